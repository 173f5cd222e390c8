/// The pending notifications of all apps, in the order of their times on both clocks: the next one costs the same with
/// any number.
struct Schedule: Sendable, Equatable {
  private(set) var pending: [AppID: [ExactText: PendingNotification]] = [:]
  private(set) var byUptime = SortedSet<Due<Duration, Place>>()
  private(set) var byWall = SortedSet<Due<WallTime, Place>>()

  struct Place: Comparable, Sendable {
    var app: AppID
    var identifier: ExactText

    static func < (left: Place, right: Place) -> Bool {
      (left.app, left.identifier) < (right.app, right.identifier)
    }
  }

  var isEmpty: Bool { pending.isEmpty }

  subscript(app: AppID, identifier: String) -> PendingNotification? {
    self[Place(app: app, identifier: ExactText(identifier))]
  }

  private subscript(place: Place) -> PendingNotification? { pending[place.app]?[place.identifier] }

  /// Returns the one that has been due longest; nil if none is due.
  func due(at now: Moment) -> PendingNotification? {
    // Every input asks, and rarely is one due.
    let first = byUptime.first.flatMap { $0.time <= now.uptime ? $0.item : nil }
    let other = byWall.first.flatMap { $0.time <= now.wall ? $0.item : nil }
    if first == nil && other == nil { return nil }
    let due = [first, other].compactMap { $0.flatMap { self[$0] } }
    return due.max { $0.lateness(at: now) < $1.lateness(at: now) }
  }

  /// Returns the ones that are due on the wall clock before that time, the soonest first.
  func due(before wall: WallTime) -> [PendingNotification] {
    byWall.prefix { $0.time < wall }.compactMap { self[$0.item] }
  }

  /// Returns the ones of one app, the soonest first.
  func all(of app: AppID, at now: Moment) -> [PendingNotification] {
    (pending[app] ?? [:]).values.sorted {
      let (left, right) = ($0.lateness(at: now), $1.lateness(at: now))
      return left != right ? left > right : ExactText($0.request.identifier) < ExactText($1.request.identifier)
    }
  }

  /// Removes `old`, if any, and inserts `new`, if any. They have the same app and identifier.
  mutating func replace(_ old: PendingNotification?, with new: PendingNotification?) {
    guard let request = (old ?? new)?.request else { return }
    let place = Place(app: request.app, identifier: ExactText(request.identifier))
    pending[place.app, default: [:]][place.identifier] = new
    if pending[place.app]?.isEmpty == true { pending[place.app] = nil }
    byUptime.move(place, from: old?.due.onUptime, to: new?.due.onUptime)
    byWall.move(place, from: old?.due.onWall, to: new?.due.onWall)
  }
}
