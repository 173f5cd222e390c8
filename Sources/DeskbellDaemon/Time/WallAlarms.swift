// A timer counted down from now is wrong as soon as somebody sets the clock, and a board without a battery clock has
// its clock set by years when it meets a time server. The kernel's own timer on the wall clock is right whatever
// happens, and tells when the clock was set. Nothing due means that this thread sleeps.

import HandsetCore
import NIOPosix
import Synchronization

/// Rings at points of the wall clock, and whenever that clock is set. Lives until `stop`.
final class WallAlarms: Sendable {
  private struct State {
    var schedule = WallSchedule()
    var rings: [WallSchedule.ID: @Sendable () -> Void] = [:]
    /// Found out while arming; the thread tells.
    var clockWasSet = false
    var isStopped = false
  }

  private let timer: any WallTimer
  private let now: @Sendable () -> WallTime
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - timer: waited on by a thread of the alarms' own.
  ///   - now: the clock that the timer goes by.
  init(timer: any WallTimer, now: @escaping @Sendable () -> WallTime = { SystemClock().now().wall }) {
    self.timer = timer
    self.now = now
    state.withLock { arm(&$0) }
    pool.start()
    pool.submit { state in
      if state == .active { self.run() }
    }
  }

  /// One alarm. It rings, on the alarms' thread, when its time has come and whenever the clock was set.
  final class Alarm: Sendable {
    private let alarms: WallAlarms
    private let id: WallSchedule.ID

    fileprivate init(_ alarms: WallAlarms, _ id: WallSchedule.ID) {
      self.alarms = alarms
      self.id = id
    }

    /// Forgets the time before.
    /// - Parameter time: nil for none. One that is past rings at once.
    func set(_ time: WallTime?) {
      alarms.state.withLock { state in
        state.schedule.set(id, to: time)
        alarms.arm(&state)
      }
    }

    deinit {
      // Let go outside of the lock: what it holds may have alarms of its own.
      _ = alarms.state.withLock { state in
        state.schedule.remove(id)
        alarms.arm(&state)
        return state.rings.removeValue(forKey: id)
      }
    }
  }

  /// - Parameter ring: must not block for long: all alarms share one thread.
  func alarm(_ ring: @escaping @Sendable () -> Void) -> Alarm {
    Alarm(
      self,
      state.withLock { state in
        let id = state.schedule.add()
        state.rings[id] = ring
        return id
      })
  }

  /// Ends the thread; no alarm rings after that.
  func stop() async {
    state.withLock { state in
      state.isStopped = true
      arm(&state)
    }
    try? await pool.shutdownGracefully()
  }

  private func run() {
    while true {
      let clockWasSet = timer.wait() == .clockWasSet
      let rings: [@Sendable () -> Void]? = state.withLock { state in
        if state.isStopped { return nil }
        let isNews = clockWasSet || state.clockWasSet
        state.clockWasSet = false
        let ringing = state.schedule.ring(at: now(), clockWasSet: isNews)
        arm(&state)
        return ringing.compactMap { state.rings[$0] }
      }
      guard let rings else { return }
      for ring in rings { ring() }
    }
  }

  private func arm(_ state: inout State) {
    let isUrgent = state.isStopped || state.clockWasSet
    guard timer.arm(at: isUrgent ? .distantPast : state.schedule.earliest) == .clockWasSet else { return }
    state.clockWasSet = true
    _ = timer.arm(at: .distantPast)
  }
}

/// A timer on a wall clock, for one waiting thread.
protocol WallTimer: Sendable {
  /// From any thread; a thread that waits goes on waiting, for the new time.
  /// - Parameter time: nil for none; one that is past ends the wait at once.
  /// - Returns: whether the clock was set since the wait before; that wait does not tell it again.
  func arm(at time: WallTime?) -> WallTimerNews
  /// Blocks until the time has come or the clock was set.
  func wait() -> WallTimerNews
}

enum WallTimerNews: Hashable, Sendable { case nothingElse, clockWasSet }

extension WallTime {
  /// Before any alarm, and for the kernel no request to disarm the timer, which zero would be.
  fileprivate static let distantPast = WallTime(microseconds: 1)
}
