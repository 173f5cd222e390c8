// The times at which many handsets want to be woken. Another handset must not make a push slower, so the earliest is
// always known, never searched for.

import HandsetCore

struct Deadlines {
  private struct Due<Time: Comparable & Sendable>: Comparable, Sendable {
    var time: Time
    var handset: HandsetID

    static func < (left: Due, right: Due) -> Bool { (left.time, left.handset) < (right.time, right.handset) }
  }

  private var byHandset: [HandsetID: Deadline] = [:]
  private var uptimes = SortedSet<Due<Duration>>()
  private var walls = SortedSet<Due<WallTime>>()

  mutating func set(_ handset: HandsetID, to deadline: Deadline?) {
    let before = byHandset[handset]
    guard before != deadline else { return }
    if let uptime = before?.uptime { uptimes.remove(Due(time: uptime, handset: handset)) }
    if let wall = before?.wall { walls.remove(Due(time: wall, handset: handset)) }
    if let uptime = deadline?.uptime { uptimes.insert(Due(time: uptime, handset: handset)) }
    if let wall = deadline?.wall { walls.insert(Due(time: wall, handset: handset)) }
    byHandset[handset] = deadline
  }

  /// The first deadline on each clock; nil if nothing is due.
  var earliest: Deadline? { Deadline(uptime: uptimes.first?.time, wall: walls.first?.time) }

  /// Returns the handsets that are due, at most `limit` of each clock; the others remain due.
  func due(at now: Moment, limit: Int) -> [HandsetID] {
    var handsets: Set<HandsetID> = []
    for due in uptimes.prefix(limit).prefix(while: { $0.time <= now.uptime }) { handsets.insert(due.handset) }
    for due in walls.prefix(limit).prefix(while: { $0.time <= now.wall }) { handsets.insert(due.handset) }
    return handsets.sorted()
  }
}

extension Deadline {
  /// Returns the time to the earlier of the two, in whole microseconds, rounded up; zero or less if it is due.
  public func timeLeft(at now: Moment) -> Duration? {
    let byUptime = uptime.map { end in
      let left = end - now.uptime
      let whole = Duration.microseconds(left.inMicroseconds)
      return whole < left ? whole + .microseconds(1) : whole
    }
    let byWall = wall.map { end in
      let (left, overflow) = end.microseconds.subtractingReportingOverflow(now.wall.microseconds)
      return Duration.microseconds(overflow ? (end < now.wall ? Int64.min : Int64.max) : left)
    }
    return [byUptime, byWall].compactMap(\.self).min()
  }
}
