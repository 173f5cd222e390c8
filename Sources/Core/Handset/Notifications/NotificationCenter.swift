/// The notifications, one section for each app, and every order in which the rules need them. Only
/// `Handset.apply` changes them, so that all orders agree.
struct NotificationCenter: Sendable, Equatable {
  private(set) var notifications = SortedSet<Notification>()
  private(set) var listed = SortedSet<NotificationID>()
  private(set) var sections: [AppID: Section] = [:]
  private var lastSection = LastPlace<Section>()
  /// The unseen notifications, by level.
  private(set) var unseen: [SortedSet<NotificationID>] = Array(
    repeating: SortedSet(), count: InterruptionLevel.allCases.count)
  /// The size of all, listed or not, in bytes.
  private(set) var size = 0
  /// The queued alerts by order of arrival; the last is on top (rule N7).
  private(set) var alerts = SortedSet<Due<UInt64, NotificationID>>()
  /// The unseen notifications that sound again, by time (rule N11).
  private(set) var repeats = SortedSet<Due<Duration, NotificationID>>()

  /// The notifications of one app.
  struct Section: Sendable, Equatable {
    var listed = SortedSet<NotificationID>()
    /// The notifications that are shown as an alert or a banner and are not listed.
    var unlisted = SortedSet<NotificationID>()
    /// Notifications by their collapse identifiers (rule N8).
    var collapsed: [ExactText: NotificationID] = [:]
    fileprivate(set) var unseen = 0
    /// The size of all, in bytes.
    fileprivate(set) var size = 0

    fileprivate mutating func list(_ notification: Notification, isIn: Bool) {
      let id = notification.id
      size += isIn ? notification.size : -notification.size
      if notification.isListed { listed.set(id, isIn: isIn) } else { unlisted.set(id, isIn: isIn) }
      if notification.isUnseen { unseen += isIn ? 1 : -1 }
      if let key = notification.collapseID { collapsed[ExactText(key)] = isIn ? id : nil }
    }

    var isEmpty: Bool { listed.isEmpty && unlisted.isEmpty }
  }

  init(_ notifications: SortedSet<Notification> = SortedSet()) {
    self.notifications = notifications
    for notification in notifications { list(notification, isIn: true) }
  }

  /// Adds a notification. `list` has removed an older value of it, which this one replaces.
  mutating func update(_ notification: Notification) {
    notifications.update(notification)
    list(notification, isIn: true)
  }

  /// Removes a notification that `list` has removed from every order.
  mutating func remove(_ notification: Notification) { notifications.remove(notification) }

  /// The newest unseen notification of the highest level that lights the lamp: each level but passive (rule D1).
  var newestToLight: NotificationID? {
    for rank in (InterruptionLevel.active.rank..<unseen.count).reversed() {
      if let id = unseen[rank].last { return id }
    }
    return nil
  }

  var topAlert: Notification? { alerts.last.flatMap { notifications[$0.item] } }

  /// The unseen notifications that sound again, the soonest first: at most `Policy.repeatLimit`.
  var repeating: [Notification] { repeats.compactMap { notifications[$0.item] } }

  /// Notifications that only a banner shows.
  var withoutPlace: [Notification] {
    sections.values.flatMap(\.unlisted).sorted().compactMap { notifications[$0] }.filter { $0.alertOrder == nil }
  }

  func section(of app: AppID) -> Section? {
    if let place = lastSection.place(of: app) { sections.values[place] } else { sections[app] }
  }

  /// Oldest first.
  func all(of app: AppID) -> [Notification] {
    guard let section = sections[app] else { return [] }
    return (Array(section.listed) + Array(section.unlisted)).sorted().compactMap { notifications[$0] }
  }

  /// Adds the notification to every order that it belongs in, or removes it from them.
  mutating func list(_ notification: Notification, isIn: Bool) {
    let (id, app) = (notification.id, notification.app)
    size += isIn ? notification.size : -notification.size
    if notification.isListed { listed.set(id, isIn: isIn) }
    if let place = lastSection.find(app, in: sections) {
      sections.values[place].list(notification, isIn: isIn)
      if sections.values[place].isEmpty {
        sections.remove(at: place)
        lastSection = LastPlace()
      }
    } else if isIn {
      sections[app, default: Section()].list(notification, isIn: true)
    }
    if notification.isUnseen {
      unseen[notification.level.rank].set(id, isIn: isIn)
      if let due = notification.repetition?.due { repeats.set(Due(time: due, item: id), isIn: isIn) }
    }
    if let order = notification.alertOrder { alerts.set(Due(time: order, item: id), isIn: isIn) }
  }
}
