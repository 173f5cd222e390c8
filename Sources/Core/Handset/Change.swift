/// One change of the handset's state. The handset changes in place, because a second copy would make Swift copy every
/// table on its next change. So each change has the value before it, and a batch that cannot be stored is undone step
/// by step. A large case is indirect, because it is handed on several times.
public enum Change: Equatable, Sendable {
  /// An app was installed, given a new bundle, or uninstalled.
  case app(AppID, before: App?, after: App?)
  /// The state of an app, whose bundle is the same before and after.
  case appState(AppID, before: App, after: App)
  indirect case token(DeviceToken, before: TokenRecord?, after: TokenRecord?)
  case notification(NotificationChange)
  /// `payload` is that of a new update; nil if it does not change.
  indirect case held(AppID, before: HeldUpdate?, after: HeldUpdate?, payload: [UInt8]?)
  indirect case offered(AppID, before: Offer?, after: Offer?, payload: OfferedPayload)
  /// An app without deliveries has no budget stored.
  indirect case budget(AppID, before: DeliveryBudget, after: DeliveryBudget)
  indirect case kept(SlotKey, before: KeptPush?, after: KeptPush?)
  /// A deferred push; its number is the same before and after (rules Q1, Q2).
  indirect case deferred(before: DeferredPush?, after: DeferredPush?)
  indirect case focusMode(String, before: FocusMode?, after: FocusMode?)
  /// A remembered push and its replacement (rule P1).
  indirect case recent(before: RecentPush?, after: RecentPush?)
  indirect case node(NodeID, before: PublishingNode?, after: PublishingNode?, published: PublishedBytes)
  /// A call that waits; its number is the same before and after (rule N13).
  indirect case call(before: QueuedCall?, after: QueuedCall?)
  /// A Live Activity; its number is the same before and after.
  indirect case activity(before: LiveActivity?, after: LiveActivity?)
  /// A push that waits for its app's service extension; its number is the same before and after (rule X1).
  indirect case extending(AppID, before: ExtendingPush?, after: ExtendingPush?)
  case record(RecordChange)
  /// A local notification; app and identifier are the same before and after.
  indirect case pending(before: PendingNotification?, after: PendingNotification?)
  /// The following are not stored. When the daemon starts there are no connections and no banner, the lamp's pattern
  /// starts again, and the daemon reads the clocks.
  case listener(AppID, before: Bool, after: Bool)
  indirect case banner(before: Presentation.Banner?, after: Presentation.Banner?)
  case lamp(before: LitLamp?, after: LitLamp?)
  indirect case timeZone(before: TimeZoneTable, after: TimeZoneTable)
  indirect case clockSkew(before: Duration?, after: Duration?)
  indirect case soundedAgain(before: Duration?, after: Duration?)
  indirect case selection(before: ActionSelection?, after: ActionSelection?)

  public var reversed: Change {
    switch self {
    case .app(let id, let before, let after): .app(id, before: after, after: before)
    case .appState(let id, let before, let after): .appState(id, before: after, after: before)
    case .token(let token, let before, let after): .token(token, before: after, after: before)
    case .notification(let change): .notification(change.reversed)
    case .held(let app, let before, let after, _): .held(app, before: after, after: before, payload: nil)
    case .offered(let app, let before, let after, _):
      .offered(app, before: after, after: before, payload: .unchanged)
    case .budget(let app, let before, let after): .budget(app, before: after, after: before)
    case .kept(let slot, let before, let after): .kept(slot, before: after, after: before)
    case .deferred(let before, let after): .deferred(before: after, after: before)
    case .focusMode(let name, let before, let after): .focusMode(name, before: after, after: before)
    case .recent(let before, let after): .recent(before: after, after: before)
    case .node(let id, let before, let after, _): .node(id, before: after, after: before, published: .unchanged)
    case .listener(let app, let before, let after): .listener(app, before: after, after: before)
    case .call(let before, let after): .call(before: after, after: before)
    case .activity(let before, let after): .activity(before: after, after: before)
    case .extending(let app, let before, let after): .extending(app, before: after, after: before)
    case .record(let change): .record(RecordChange(before: change.after, after: change.before))
    case .banner(let before, let after): .banner(before: after, after: before)
    case .lamp(let before, let after): .lamp(before: after, after: before)
    case .pending(let before, let after): .pending(before: after, after: before)
    case .timeZone(let before, let after): .timeZone(before: after, after: before)
    case .clockSkew(let before, let after): .clockSkew(before: after, after: before)
    case .soundedAgain(let before, let after): .soundedAgain(before: after, after: before)
    case .selection(let before, let after): .selection(before: after, after: before)
    }
  }
}

extension Change {
  public static func added(_ notification: Notification, _ content: NotificationContent? = nil) -> Change {
    .notification(NotificationChange(notification, content: content))
  }

  public static func changed(_ notification: Notification, to after: Notification) -> Change {
    .notification(NotificationChange(after, replaces: notification))
  }

  public static func removed(_ notification: Notification) -> Change {
    .notification(NotificationChange(notification, isRemoval: true))
  }
}

/// A change of a notification, and its words if they are new. A class, as the next one: the store, the host and its
/// sinks read the large values in place.
public final class NotificationChange: Equatable, Sendable {
  /// The notification after the change, or before it if the change removes it.
  public let notification: Notification
  public let isRemoval: Bool
  /// Its value before; nil if it is new or removed.
  public let replaced: Notification?
  public let content: NotificationContent?

  public var before: Notification? { isRemoval ? notification : replaced }
  public var after: Notification? { isRemoval ? nil : notification }

  fileprivate init(
    _ notification: Notification, isRemoval: Bool = false, replaces replaced: Notification? = nil,
    content: NotificationContent? = nil
  ) {
    self.notification = notification
    self.isRemoval = isRemoval
    self.replaced = replaced
    self.content = content
  }

  fileprivate var reversed: NotificationChange {
    if let replaced { return NotificationChange(replaced, replaces: notification) }
    return NotificationChange(notification, isRemoval: !isRemoval)
  }

  public static func == (left: NotificationChange, right: NotificationChange) -> Bool {
    (left.before, left.after, left.content) == (right.before, right.after, right.content)
  }
}

public final class RecordChange: Equatable, Sendable {
  public let before: HandsetRecord
  public let after: HandsetRecord

  public init(before: HandsetRecord, after: HandsetRecord) {
    self.before = before
    self.after = after
  }

  public static func == (left: RecordChange, right: RecordChange) -> Bool {
    (left.before, left.after) == (right.before, right.after)
  }
}

/// The change of the property list that a node returns (rule F2).
public enum PublishedBytes: Hashable, Sendable {
  case bytes([UInt8])
  case unchanged
  /// The node returns nothing any more.
  case none
}

/// The handset's own values, apart from its tables.
public struct HandsetRecord: Hashable, Sendable, Codable {
  /// Numbers are never reused. This one is first because it differs after nearly every input: a comparison ends there.
  public var nextEvent: UInt64 = 1
  public var nextNotification: UInt64 = 1
  public var nextAlert: UInt64 = 1
  public var settings = HandsetSettings()
  public var conditions: Set<Condition> = []
  /// The start of the fetch interval in which the first of the pushes that wait came (rule F4).
  public var fetchStart = Moment(uptime: .zero, wall: WallTime(microseconds: 0))
  /// The snooze of all apps (rule N12).
  public var snooze: Snooze?
}

/// The notification that lights the lamp, and the lamp's pattern with its start. By reference: most pushes replace it.
public final class LitLamp: Equatable, Sendable {
  let notification: NotificationID
  let push: PushID
  let lamp: Presentation.Lamp

  init(_ notification: NotificationID, _ push: PushID, _ lamp: Presentation.Lamp) {
    (self.notification, self.push, self.lamp) = (notification, push, lamp)
  }

  public static func == (left: LitLamp, right: LitLamp) -> Bool {
    (left.notification, left.push, left.lamp) == (right.notification, right.push, right.lamp)
  }
}
