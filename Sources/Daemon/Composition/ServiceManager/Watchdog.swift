// A timer that reports "alive" would also report it for a daemon that hangs. Therefore the ping passes through every
// event loop that a push needs and through the host's thread, which sends it.

import HandsetCore
import NIOCore
import Synchronization

/// A watchdog that pings the service manager for as long as the daemon works.
public final class Watchdog: Sendable {
  private struct State {
    var timer: RepeatedTask?
    /// True if a ping is in progress. No second one follows it, because it would only wait, too.
    var isUnderWay = false
  }

  private let state = Mutex(State())
  private let eventLoops: [any EventLoop]
  private let askHost: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let alive: @Sendable () -> Void

  /// - Parameter askHost: calls back on the host's thread once that has finished its earlier work.
  public init(
    eventLoops: [any EventLoop], askHost: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    alive: @escaping @Sendable () -> Void
  ) {
    self.eventLoops = eventLoops
    self.askHost = askHost
    self.alive = alive
  }

  /// - Parameter timeout: the time after which the service manager ends a silent daemon. Pings are sent twice as often.
  public func start(timeout: Duration) {
    guard let first = eventLoops.first else { return }
    let interval = TimeAmount.nanoseconds(max(timeout.inMicroseconds * 1_000 / 2, 1))
    let timer = first.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in self?.ping() }
    state.withLock { $0.timer = timer }
  }

  public func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func ping() {
    let isFirst = state.withLock { state in
      defer { state.isUnderWay = true }
      return !state.isUnderWay
    }
    if isFirst { pass(through: eventLoops.dropFirst()) }
  }

  private func pass(through rest: ArraySlice<any EventLoop>) {
    if let next = rest.first {
      next.execute { self.pass(through: rest.dropFirst()) }
    } else {
      askHost {
        self.alive()
        self.state.withLock { $0.isUnderWay = false }
      }
    }
  }
}
