// A countdown is wrong as soon as the clock is set, and the first answer of a time server sets the clock of a board
// without a battery by years. The kernel's timer on the wall clock stays correct, and reports that the clock was set.
// Without a deadline this thread sleeps.

import HandsetCore
import NIOPosix
import Synchronization

/// Alarms at points of the wall clock, which also ring whenever that clock is set. Lives until `stop`.
public final class WallAlarms: Sendable {
  private struct State {
    /// The alarms by their numbers, in the order of their addition; without a time one rings only if the clock is set.
    var alarms: [UInt64: (time: WallTime?, ring: @Sendable () -> Void)] = [:]
    var nextNumber: UInt64 = 0
    /// Found while arming; the thread rings for it.
    var clockWasSet = false
    var isStopped = false
  }

  private let timer: any WallTimer
  private let now: @Sendable () -> WallTime
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - timer: the alarms' own thread waits on it.
  ///   - now: the clock of the timer.
  public init(timer: any WallTimer, now: @escaping @Sendable () -> WallTime = { SystemClock().now().wall }) {
    self.timer = timer
    self.now = now
    state.withLock { arm(&$0) }
    pool.start()
    pool.submit { state in
      if state == .active { self.run() }
    }
  }

  /// One alarm. It rings, on the alarms' thread, at its time and whenever the clock was set.
  public final class Alarm: Sendable {
    private let alarms: WallAlarms
    private let number: UInt64

    fileprivate init(_ alarms: WallAlarms, _ number: UInt64) {
      self.alarms = alarms
      self.number = number
    }

    /// - Parameter time: nil for none. A time in the past rings at once.
    public func set(_ time: WallTime?) {
      alarms.state.withLock { state in
        guard state.alarms[number]?.time != time else { return }
        state.alarms[number]?.time = time
        alarms.arm(&state)
      }
    }

    deinit {
      // Released outside of the lock: the closure may own further alarms.
      _ = alarms.state.withLock { state in
        defer { alarms.arm(&state) }
        return state.alarms.removeValue(forKey: number)
      }
    }
  }

  /// - Parameter ring: must not block for long: all alarms share one thread.
  public func alarm(_ ring: @escaping @Sendable () -> Void) -> Alarm {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.alarms[state.nextNumber] = (nil, ring)
      return state.nextNumber
    }
    return Alarm(self, number)
  }

  /// Ends the thread; no alarm rings after that.
  public func stop() async {
    state.withLock { state in
      state.isStopped = true
      arm(&state)
    }
    try? await pool.shutdownGracefully()
  }

  private func run() {
    while true {
      let clockWasSet = timer.wait()
      let rings: [@Sendable () -> Void]? = state.withLock { state in
        if state.isStopped { return nil }
        let wasSet = exchange(&state.clockWasSet, with: false) || clockWasSet
        defer { arm(&state) }
        let now = now()
        let ringing = state.alarms.filter { wasSet || $0.value.time.map { $0 <= now } ?? false }
        // One that was due is no longer set.
        for (number, alarm) in ringing where alarm.time.map({ $0 <= now }) ?? false { state.alarms[number]?.time = nil }
        return ringing.sorted { $0.key < $1.key }.map(\.value.ring)
      }
      guard let rings else { return }
      for ring in rings { ring() }
    }
  }

  private func arm(_ state: inout State) {
    let isUrgent = state.isStopped || state.clockWasSet
    let earliest = state.alarms.values.compactMap { $0.time }.min()
    guard timer.arm(at: isUrgent ? .distantPast : earliest) else { return }
    state.clockWasSet = true
    _ = timer.arm(at: .distantPast)
  }
}

/// A timer on a wall clock, for one waiting thread.
public protocol WallTimer: Sendable {
  /// Sets the time to wait for, from any thread; a wait that has begun goes on for the new time.
  /// - Parameter time: nil for none; a time in the past ends the wait at once.
  /// - Returns: true if the clock was set since the last wait; the next wait does not report it again.
  func arm(at time: WallTime?) -> Bool
  /// Blocks until the time has come or the clock is set, and returns true if it was set.
  func wait() -> Bool
}

extension WallTime {
  /// A time before any alarm. Zero would ask the kernel to disarm the timer.
  fileprivate static let distantPast = WallTime(microseconds: 1)
}
