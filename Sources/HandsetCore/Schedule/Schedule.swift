// Pending notifications in the order of their times, on both clocks, so that the next one costs the same with any
// number.

struct Schedule: Sendable, Equatable {
  private(set) var pending: [AppID: [String: PendingNotification]] = [:]
  private(set) var byUptime = SortedSet<Due<Duration, Place>>()
  private(set) var byWall = SortedSet<Due<WallTime, Place>>()

  /// What a notification is known by.
  struct Place: Comparable, Sendable {
    var app: AppID
    var identifier: String

    static func < (left: Place, right: Place) -> Bool {
      (left.app, left.identifier) < (right.app, right.identifier)
    }
  }

  var isEmpty: Bool { pending.isEmpty }

  subscript(app: AppID, identifier: String) -> PendingNotification? { pending[app]?[identifier] }

  /// The one that has been due longest; nil if none is due.
  func due(at now: Moment) -> PendingNotification? {
    let first = byUptime.first.flatMap { self[$0.item.app, $0.item.identifier] }
    let other = byWall.first.flatMap { self[$0.item.app, $0.item.identifier] }
    let due = [first, other].compactMap { $0 }.filter { $0.lateness(at: now) >= .zero }
    return due.max { $0.lateness(at: now) < $1.lateness(at: now) }
  }

  /// Those that are due on the wall clock before that time, the soonest first.
  func due(before wall: WallTime) -> [PendingNotification] {
    byWall.prefix { $0.time < wall }.compactMap { self[$0.item.app, $0.item.identifier] }
  }

  /// Those of one app, the soonest first.
  func all(of app: AppID, at now: Moment) -> [PendingNotification] {
    (pending[app] ?? [:]).values.sorted {
      let (left, right) = ($0.lateness(at: now), $1.lateness(at: now))
      return left != right ? left > right : $0.request.identifier < $1.request.identifier
    }
  }

  /// Removes `old`, if any, and inserts `new`, if any. They have the same app and identifier.
  mutating func replace(_ old: PendingNotification?, with new: PendingNotification?) {
    guard let request = (old ?? new)?.request else { return }
    pending[request.app, default: [:]][request.identifier] = new
    if pending[request.app]?.isEmpty == true { pending[request.app] = nil }
    let place = Place(app: request.app, identifier: request.identifier)
    byUptime.move(place, from: old?.due.onUptime, to: new?.due.onUptime)
    byWall.move(place, from: old?.due.onWall, to: new?.due.onWall)
  }
}
