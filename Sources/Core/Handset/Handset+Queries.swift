extension Handset {
  /// Returns the listed notifications of an app, or of all, oldest first.
  public func listed(of app: AppID? = nil) -> [Notification] {
    let ids = app.map { center.sections[$0]?.listed ?? SortedSet() } ?? center.listed
    return ids.compactMap { center.notifications[$0] }
  }

  /// Returns true if its message is hidden, as the person chose for its app (rule N18).
  public func hidesPreview(of notification: Notification) -> Bool {
    switch apps[notification.app]?.state.settings.showPreviews {
    case .always, nil: false
    case .whenUnlocked: record.conditions.contains(.locked)
    case .never: true
    }
  }

  public func listedCount(of app: AppID) -> Int { center.sections[app]?.listed.count ?? 0 }

  public func notification(_ id: NotificationID) -> Notification? { center.notifications[id] }

  /// Calls the body with each notification, listed or not, in ascending order.
  public func forEachNotification<Failure>(_ body: (Notification) throws(Failure) -> Void) throws(Failure) {
    for notification in center.notifications { try body(notification) }
  }

  /// The queued alerts, the one on top last.
  public var alerts: [Notification] { center.alerts.compactMap { center.notifications[$0.item] } }

  /// Returns the number that the app's icon shows: its badge if the settings of the app and of the handset allow that
  /// (rules S2, S4), else 0.
  public func visibleBadge(of app: App) -> Int {
    hidesBadge(of: app, isLocal: app.state.hasLocalBadge) ? 0 : app.state.badge
  }

  public func held(for app: AppID) -> HeldUpdate? { holds[app] }

  public var heldCount: Int { holds.slots.count }

  /// Returns the pushes that the app was given and has not completed, in the order of the offers.
  public func offers(for app: AppID) -> [Offer] { outbox.all(of: app) }

  /// Returns the deliveries that the app has used (rule U7).
  public func budget(of app: AppID) -> DeliveryBudget { budgets[app] ?? DeliveryBudget() }

  /// Returns the pushes that wait in the service for an app, or for all if it is nil, in the order in which they were
  /// sent (rules F1, F4).
  public func waiting(for app: AppID? = nil) -> [WaitingPush] { slots.waiting(for: app) }

  /// Returns the node; nil if there is none, or it is only remembered as gone.
  public func node(_ id: NodeID) -> PublishingNode? { nodes[id] }

  /// Returns the app's scheduled notifications, the soonest first.
  public func pending(of app: AppID, at now: Moment) -> [PendingNotification] { schedule.all(of: app, at: now) }

  public var unseenCount: Int { center.unseen.reduce(0) { $0 + $1.count } }

  public var tally: HandsetTally {
    HandsetTally(
      apps: apps.count, notifications: center.listed.count, notificationBytes: center.size, unseen: unseenCount,
      alerts: center.alerts.count, repeating: center.repeats.count, held: holds.slots.count,
      offered: outbox.offers.values.reduce(0) { $0 + $1.count }, kept: slots.pushes.count,
      scheduled: schedule.pending.values.reduce(0) { $0 + $1.count }, calls: queue.calls.count,
      deferred: deferred.all.count)
  }

  /// The notifications of each app in Notification Center, and the bytes of their texts and payloads; in no order.
  public var usage: [(app: AppID, notifications: Int, bytes: Int)] {
    center.sections.map { (app: $0, notifications: $1.listed.count, bytes: $1.size) }
  }
}

/// The number of everything that a handset keeps.
public struct HandsetTally: Sendable, Equatable {
  public var apps: Int
  /// Listed ones only.
  public var notifications: Int
  /// The size of the texts and payloads of all notifications, in bytes.
  public var notificationBytes: Int
  public var unseen: Int
  public var alerts: Int
  public var repeating: Int
  public var held: Int
  public var offered: Int
  public var kept: Int
  public var scheduled: Int
  public var calls: Int
  public var deferred: Int
}
