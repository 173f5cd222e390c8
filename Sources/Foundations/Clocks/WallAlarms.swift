// A countdown is wrong as soon as the clock is set, and the first answer of a time server sets the clock of a board
// without a battery by years. The kernel's timer on the wall clock stays correct, and reports that the clock was set.
// Without a deadline this thread sleeps.

import HandsetCore
import NIOPosix
import Synchronization

/// Alarms at points of the wall clock, which also ring whenever that clock is set. Lives until `stop`.
public final class WallAlarms: Sendable {
  private struct State {
    var schedule = WallSchedule()
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
    private let id: WallSchedule.ID

    fileprivate init(_ alarms: WallAlarms, _ id: WallSchedule.ID) {
      self.alarms = alarms
      self.id = id
    }

    /// Replaces the alarm's time.
    /// - Parameter time: nil for none. A time in the past rings at once.
    public func set(_ time: WallTime?) {
      alarms.state.withLock { state in
        if state.schedule.set(id, to: time) { alarms.arm(&state) }
      }
    }

    deinit {
      // Released outside of the lock: the closure may own further alarms.
      _ = alarms.state.withLock { state in
        defer { alarms.arm(&state) }
        return state.schedule.remove(id)
      }
    }
  }

  /// - Parameter ring: must not block for long: all alarms share one thread.
  public func alarm(_ ring: @escaping @Sendable () -> Void) -> Alarm {
    Alarm(self, state.withLock { $0.schedule.add(ring) })
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
      let rings: [WallSchedule.Ring]? = state.withLock { state in
        if state.isStopped { return nil }
        let wasSet = clockWasSet || state.clockWasSet
        state.clockWasSet = false
        defer { arm(&state) }
        return state.schedule.ring(at: now(), clockWasSet: wasSet)
      }
      guard let rings else { return }
      for ring in rings { ring() }
    }
  }

  private func arm(_ state: inout State) {
    let isUrgent = state.isStopped || state.clockWasSet
    guard timer.arm(at: isUrgent ? .distantPast : state.schedule.earliest) else { return }
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

/// Alarms on the wall clock.
struct WallSchedule: Sendable {
  typealias ID = UInt64

  typealias Ring = @Sendable () -> Void

  private var alarms: [ID: (time: WallTime?, ring: Ring)] = [:]
  private var nextID: ID = 0

  mutating func add(_ ring: @escaping Ring) -> ID {
    defer { nextID += 1 }
    alarms[nextID] = (nil, ring)
    return nextID
  }

  mutating func remove(_ id: ID) -> Ring? { alarms.removeValue(forKey: id)?.ring }

  /// - Parameter time: nil for none.
  /// - Returns: true if it had another time before.
  @discardableResult
  mutating func set(_ id: ID, to time: WallTime?) -> Bool {
    guard let alarm = alarms[id], alarm.time != time else { return false }
    alarms[id]?.time = time
    return true
  }

  var earliest: WallTime? { alarms.values.compactMap { $0.time }.min() }

  /// Returns the alarms that ring at that time, in the order of their addition; one that was due is no longer set.
  /// - Parameter clockWasSet: true makes all ring; one that is not due stays set.
  mutating func ring(at now: WallTime, clockWasSet: Bool) -> [Ring] {
    var ringing: [Ring] = []
    for (id, alarm) in alarms.sorted(by: { $0.key < $1.key }) {
      let isDue = alarm.time.map { $0 <= now } ?? false
      if isDue { alarms[id]?.time = nil }
      if isDue || clockWasSet { ringing.append(alarm.ring) }
    }
    return ringing
  }
}
