// The notifications, and every order in which the rules need them. Only `replace` changes them, so that all orders
// agree.

/// The list of notifications, one section for each app, and the queue of alerts.
struct NotificationCenter: Sendable, Equatable {
  private(set) var notifications: [NotificationID: Notification] = [:]
  /// All listed notifications, of all apps.
  private(set) var listed = SortedSet<NotificationID>()
  private(set) var sections: [AppID: Section] = [:]
  /// The unseen notifications, by level.
  private(set) var unseen: [SortedSet<NotificationID>] = Array(
    repeating: SortedSet(), count: InterruptionLevel.allCases.count)
  /// The size of all, listed or not, in bytes.
  private(set) var size = 0
  /// By order of arrival; the last is on top (rule N7).
  private(set) var alerts = SortedSet<AlertPlace>()

  struct Section: Sendable, Equatable {
    var listed = SortedSet<NotificationID>()
    /// Shown as an alert or a banner, and not listed.
    var unlisted = SortedSet<NotificationID>()
    var collapsed: [String: NotificationID] = [:]

    fileprivate mutating func add(_ new: Notification) {
      if new.isListed { listed.insert(new.id) } else { unlisted.insert(new.id) }
      if let key = new.collapseID { collapsed[key] = new.id }
    }

    fileprivate mutating func remove(_ old: Notification) {
      if old.isListed { listed.remove(old.id) } else { unlisted.remove(old.id) }
      if let key = old.collapseID { collapsed[key] = nil }
    }

    var isEmpty: Bool { listed.isEmpty && unlisted.isEmpty }
  }

  struct AlertPlace: Comparable, Sendable {
    var order: UInt64
    var notification: NotificationID

    static func < (left: AlertPlace, right: AlertPlace) -> Bool { left.order < right.order }
  }

  /// Reserves memory for so many at once: a start inserts all that are stored.
  mutating func reserveCapacity(_ count: Int) { notifications.reserveCapacity(count) }

  mutating func replace(_ old: Notification?, with new: Notification?) {
    if let old { remove(old) }
    if let new { add(new) }
  }

  /// The newest unseen notification of the highest level that lights the lamp.
  var newestToLight: Notification? {
    for level in InterruptionLevel.allCases.reversed() where LampPattern.standard(for: level) != nil {
      if let id = unseen[level.rank].last { return notifications[id] }
    }
    return nil
  }

  var topAlert: Notification? { alerts.last.flatMap { notifications[$0.notification] } }

  /// Notifications that only a banner shows.
  var withoutPlace: [Notification] {
    sections.values.flatMap(\.unlisted).sorted().compactMap { notifications[$0] }.filter { $0.alertOrder == nil }
  }

  /// All notifications of one app, oldest first.
  func all(of app: AppID) -> [Notification] {
    guard let section = sections[app] else { return [] }
    return (Array(section.listed) + Array(section.unlisted)).sorted().compactMap { notifications[$0] }
  }

  private mutating func remove(_ old: Notification) {
    notifications[old.id] = nil
    size -= old.size
    if old.isListed { listed.remove(old.id) }
    sections[old.app]?.remove(old)
    if sections[old.app]?.isEmpty == true { sections[old.app] = nil }
    if old.isUnseen { unseen[old.level.rank].remove(old.id) }
    if let order = old.alertOrder { alerts.remove(AlertPlace(order: order, notification: old.id)) }
  }

  private mutating func add(_ new: Notification) {
    notifications[new.id] = new
    size += new.size
    if new.isListed { listed.insert(new.id) }
    sections[new.app, default: Section()].add(new)
    if new.isUnseen { unseen[new.level.rank].insert(new.id) }
    if let order = new.alertOrder { alerts.insert(AlertPlace(order: order, notification: new.id)) }
  }
}

extension Notification {
  /// Listed and not yet seen: it lights the lamp (rule D1).
  public var isUnseen: Bool { isListed && !isSeen }
}
