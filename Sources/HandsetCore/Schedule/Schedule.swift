// Pending notifications in the order of their times, on both clocks, so that the next one costs the same with any
// number.

/// All pending notifications.
struct Schedule: Sendable, Equatable {
  private(set) var pending: [AppID: [String: PendingNotification]] = [:]
  private(set) var byUptime = SortedSet<Place<Duration>>()
  private(set) var byWall = SortedSet<Place<WallTime>>()

  /// A notification's place on one of the clocks.
  struct Place<Time: Comparable & Sendable>: Comparable, Sendable {
    var time: Time
    var app: AppID
    var identifier: String

    static func < (left: Self, right: Self) -> Bool {
      (left.time, left.app, left.identifier) < (right.time, right.app, right.identifier)
    }
  }

  var isEmpty: Bool { pending.isEmpty }

  subscript(app: AppID, identifier: String) -> PendingNotification? { pending[app]?[identifier] }

  /// When the first is due on either clock.
  var nextUptime: Duration? { byUptime.first?.time }
  var nextWall: WallTime? { byWall.first?.time }

  /// The one that has been due longest; nil if none is due.
  func due(at now: Moment) -> PendingNotification? {
    let first = byUptime.first.flatMap { self[$0.app, $0.identifier] }
    let other = byWall.first.flatMap { self[$0.app, $0.identifier] }
    let due = [first, other].compactMap { $0 }.filter { $0.lateness(at: now) >= .zero }
    return due.max { $0.lateness(at: now) < $1.lateness(at: now) }
  }

  /// Those that are due on the wall clock before that time, the soonest first.
  func due(before wall: WallTime) -> [PendingNotification] {
    byWall.prefix { $0.time < wall }.compactMap { self[$0.app, $0.identifier] }
  }

  /// Those of one app, the soonest first.
  func all(of app: AppID, at now: Moment) -> [PendingNotification] {
    (pending[app] ?? [:]).values.sorted {
      let (left, right) = ($0.lateness(at: now), $1.lateness(at: now))
      return left != right ? left > right : $0.request.identifier < $1.request.identifier
    }
  }

  /// Removes `old`, if any, and inserts `new`, if any.
  mutating func replace(_ old: PendingNotification?, with new: PendingNotification?) {
    if let old {
      let (app, identifier) = (old.request.app, old.request.identifier)
      var section = pending.removeValue(forKey: app) ?? [:]
      section[identifier] = nil
      if !section.isEmpty { pending[app] = section }
      switch old.due {
      case .uptime(let time, _): byUptime.remove(Place(time: time, app: app, identifier: identifier))
      case .wall(let time, _, _): byWall.remove(Place(time: time, app: app, identifier: identifier))
      }
    }
    if let new {
      let (app, identifier) = (new.request.app, new.request.identifier)
      pending[app, default: [:]][identifier] = new
      switch new.due {
      case .uptime(let time, _): byUptime.insert(Place(time: time, app: app, identifier: identifier))
      case .wall(let time, _, _): byWall.insert(Place(time: time, app: app, identifier: identifier))
      }
    }
  }
}
