// A timer that says "alive" would say it of a daemon that hangs. So the word goes round through every thread that a
// push needs, and is sent by the last of them, the handset's own.

import HandsetCore
import NIOCore
import Synchronization

/// Tells the service manager that the daemon works, as long as it does.
final class Watchdog: Sendable {
  private struct State {
    var timer: RepeatedTask?
    /// A round that has not come back. No second one is sent after it: it would only wait, too.
    var isUnderWay = false
  }

  private let state = Mutex(State())
  private let eventLoops: [any EventLoop]
  private let askHost: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let alive: @Sendable () -> Void

  /// - Parameters:
  ///   - askHost: calls back on the host's thread once that has nothing older to do.
  ///   - alive: tells the service manager.
  init(
    eventLoops: [any EventLoop], askHost: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    alive: @escaping @Sendable () -> Void
  ) {
    self.eventLoops = eventLoops
    self.askHost = askHost
    self.alive = alive
  }

  /// - Parameter timeout: after which the service manager ends a silent daemon. It hears from us twice as often.
  func start(timeout: Duration) {
    guard let first = eventLoops.first else { return }
    let interval = TimeAmount.nanoseconds(max(timeout.inMicroseconds * 1_000 / 2, 1))
    let timer = first.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in self?.goRound() }
    state.withLock { $0.timer = timer }
  }

  func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func goRound() {
    let mayGo = state.withLock { state in
      defer { state.isUnderWay = true }
      return !state.isUnderWay
    }
    if mayGo { ask(eventLoops.dropFirst()) }
  }

  private func ask(_ rest: ArraySlice<any EventLoop>) {
    if let next = rest.first {
      next.execute { self.ask(rest.dropFirst()) }
    } else {
      askHost {
        self.alive()
        self.state.withLock { $0.isUnderWay = false }
      }
    }
  }
}
