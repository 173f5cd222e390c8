// Which alarm rings when, without the thread that waits for it: wall time may jump either way at any moment.

import HandsetCore

/// Alarms on the wall clock.
struct WallSchedule: Sendable {
  typealias ID = UInt64

  private var times: [ID: WallTime?] = [:]
  private var nextID: ID = 0

  /// A new alarm, not set.
  mutating func add() -> ID {
    defer { nextID += 1 }
    times[nextID] = .some(nil)
    return nextID
  }

  mutating func remove(_ id: ID) { times[id] = nil }

  /// - Parameter time: nil for none.
  /// - Returns: whether it was another before.
  @discardableResult
  mutating func set(_ id: ID, to time: WallTime?) -> Bool {
    guard let before = times[id], before != time else { return false }
    times[id] = .some(time)
    return true
  }

  /// The first that is due; nil where none is set.
  var earliest: WallTime? { times.values.compactMap(\.self).min() }

  /// Those that ring at that time, in the order in which they were added; one that was due is no longer set.
  /// - Parameter clockWasSet: all ring then, and one that is not due stays set.
  mutating func ring(at now: WallTime, clockWasSet: Bool) -> [ID] {
    var ringing: [ID] = []
    for (id, time) in times {
      let isDue = time.map { $0 <= now } ?? false
      if isDue { times[id] = .some(nil) }
      if isDue || clockWasSet { ringing.append(id) }
    }
    return ringing.sorted()
  }
}
