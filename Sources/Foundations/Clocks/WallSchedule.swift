// The times of alarms, without the thread that waits for them: wall time may jump either way at any moment.

import HandsetCore

/// Alarms on the wall clock.
struct WallSchedule: Sendable {
  typealias ID = UInt64

  typealias Ring = @Sendable () -> Void

  private var alarms: [ID: (time: WallTime?, ring: Ring)] = [:]
  private var nextID: ID = 0

  /// Adds a new alarm, not set.
  mutating func add(_ ring: @escaping Ring) -> ID {
    defer { nextID += 1 }
    alarms[nextID] = (nil, ring)
    return nextID
  }

  /// - Returns: the alarm's closure.
  mutating func remove(_ id: ID) -> Ring? { alarms.removeValue(forKey: id)?.ring }

  /// - Parameter time: nil for none.
  /// - Returns: true if it had another time before.
  @discardableResult
  mutating func set(_ id: ID, to time: WallTime?) -> Bool {
    guard let alarm = alarms[id], alarm.time != time else { return false }
    alarms[id]?.time = time
    return true
  }

  /// The earliest time that is set; nil if none is.
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
