/// Something that happens to the handset. Values that the core cannot create, such as tokens, are part of it.
public enum Input: Hashable, Sendable {
  /// Indirect, as all large ones: an input is copied often.
  indirect case push(Push)
  /// A push that the service kept because it could not reach the handset. It stays kept until `forward` (rule F1).
  indirect case keep(Push)
  /// The service reaches the handset again: kept pushes arrive, unless the handset is offline or the fetch mode keeps
  /// them (rules F1, F4).
  case forward
  /// A provider takes back its push with that collapse identifier (rule N8).
  case retract(AppID, collapseID: String, Retraction)
  /// A push through a publishing node, and its property list, which the node returns unchanged (rule F2).
  indirect case publish(Push, through: NodeID, propertyList: [UInt8])
  case createNode(NodeID)
  case deleteNode(NodeID)
  /// A front end refused a push. It only becomes an event.
  indirect case refused(RefusedPush)
  /// A driver reports its action. It only becomes an event.
  case report(DriverReport)

  /// Installs an app, or replaces the bundle of an installed one. A new app gets `token`.
  indirect case install(AppManifest, token: DeviceToken)
  case uninstall(AppID)
  /// The app registers for its kinds (rule S6); an app that was unregistered gets `token` (rule R4).
  case register(AppID, NotificationKinds, token: DeviceToken)
  case unregister(AppID)
  /// The host made the token that the handset asked for with `Effect.mint`.
  case mintedToken(AppID, TokenPurpose, DeviceToken)
  case lifecycle(AppID, LifecycleCommand)
  /// The app connected to its socket and declared its state, or a connected app declares another state: foreground or
  /// background.
  case listening(AppID, Lifecycle)
  /// The app's connection ended, and Deskbell did not end it: the app counts as killed (rule U5).
  case disconnected(AppID)
  /// A process of the app ended, and Deskbell did not end it: the app counts as killed (rule U5).
  case died(AppID)
  /// The app completed a push that it was given (rule U8), or could not be run. The reason is the daemon's, for an app
  /// that gave no result itself.
  case completed(AppID, PushID, DeliveryResult, reason: String? = nil)
  /// The app's program did not complete that push within 30 real seconds, and the host stops it (rule U8).
  case timedOut(AppID, PushID)
  /// What came of the push in the app's service extension (rule X1).
  case extended(AppID, PushID, ExtensionAnswer)
  /// The app sets its own badge (rule B6).
  case setBadge(AppID, Int)
  /// The app chooses the parts of a notification that the system presents while it is in the foreground (rule N2).
  case setForegroundPresentation(AppID, NotificationKinds)
  /// The app schedules a notification, which replaces one with the same identifier (rule L1).
  indirect case schedule(LocalNotification)
  /// The app cancels one of its scheduled notifications, or all if `identifier` is nil.
  case cancel(AppID, identifier: String?)

  case setAppSetting(AppID, AppSettings.Key, String)
  case setHandsetSetting(HandsetSettings.Key, String)
  case setCondition(Condition, Bool)
  /// The person creates or changes a Focus mode, or removes it if it is nil (rule Q3).
  indirect case setFocusMode(String, FocusMode?)

  /// A button of the board was pressed, which acts on the alert on top (rules N4, D2).
  case press(AlertButton, PressLength = .short)
  /// The time zone changed. The initial one is part of the contents.
  case setTimeZone(TimeZoneTable)
  /// The person clears one notification, an app's section or all of Notification Center (rule N10).
  case clearNotification(NotificationID)
  case clearSection(AppID)
  case clearCenter
  /// The person fetches the pushes that wait for an app, or for all if it is nil (rule F4).
  case fetch(AppID?)
  /// The person silences an app, or all if it is nil (rule N12), for that time or for the setting's.
  case snooze(AppID?, for: Duration?)
  /// The person ends the snooze of an app, or every snooze.
  case endSnooze(AppID?)

  /// The person pressed another button of a push's notification, which makes a call of its own.
  indirect case call(AppID, PushID, WebCall)
  case called(UInt64, CallOutcome)

  /// The person opens a notification, or chooses one of its actions, and may write a text (rule N14); if it is nil, the
  /// alert on top. The action is `NotificationResponse.open` or an identifier.
  case respond(NotificationID?, action: String, text: String? = nil)

  /// The app removes notifications of its own from Notification Center (rule N17); nil removes all.
  case removeDelivered(AppID, [NotificationID]?)
  /// The app asks for its notifications in Notification Center (rule N17).
  case listDelivered(AppID)

  /// A broadcast to the channel, for the activities of `topic` that are subscribed to it (rule LA8).
  indirect case broadcast(Push, channel: ChannelID)
  /// The app starts an activity of its own, or updates or ends that one.
  indirect case changeActivity(AppID, ActivityID?, ActivityUpdate)
  /// The person dismisses a Live Activity.
  case dismissActivity(ActivityID)

  case start(Start)
  /// The time of `Handset.wakeAt` has come.
  case wake

  /// The fate of an input.
  public enum Outcome: Hashable, Sendable {
    case stored(Verdict)
    /// Nothing changed, because the queue was full or the disk refused it. The text says why.
    case failed(String)
  }
}

/// The names of values in a written input that have no name in the input itself. They never change.
// swift-format-ignore: OneCasePerLine
extension Input: Codable {
  private enum PushCodingKeys: String, CodingKey { case _0 = "content" }
  private enum KeepCodingKeys: String, CodingKey { case _0 = "content" }
  private enum PublishCodingKeys: String, CodingKey { case _0 = "content", through = "node", propertyList }
  private enum RetractCodingKeys: String, CodingKey { case _0 = "app", collapseID, _2 = "as" }
  private enum CreateNodeCodingKeys: String, CodingKey { case _0 = "node" }
  private enum DeleteNodeCodingKeys: String, CodingKey { case _0 = "node" }
  private enum RefusedCodingKeys: String, CodingKey { case _0 = "push" }
  private enum ReportCodingKeys: String, CodingKey { case _0 = "content" }
  private enum InstallCodingKeys: String, CodingKey { case _0 = "manifest", token }
  private enum UninstallCodingKeys: String, CodingKey { case _0 = "app" }
  private enum RegisterCodingKeys: String, CodingKey { case _0 = "app", _1 = "kinds", token }
  private enum MintedTokenCodingKeys: String, CodingKey { case _0 = "app", _1 = "purpose", _2 = "token" }
  private enum UnregisterCodingKeys: String, CodingKey { case _0 = "app" }
  private enum LifecycleCodingKeys: String, CodingKey { case _0 = "app", _1 = "command" }
  private enum ListeningCodingKeys: String, CodingKey { case _0 = "app", _1 = "state" }
  private enum DisconnectedCodingKeys: String, CodingKey { case _0 = "app" }
  private enum DiedCodingKeys: String, CodingKey { case _0 = "app" }
  private enum CompletedCodingKeys: String, CodingKey { case _0 = "app", _1 = "push", _2 = "result", reason }
  private enum TimedOutCodingKeys: String, CodingKey { case _0 = "app", _1 = "push" }
  private enum ExtendedCodingKeys: String, CodingKey { case _0 = "app", _1 = "push", _2 = "answer" }
  private enum SetBadgeCodingKeys: String, CodingKey { case _0 = "app", _1 = "number" }
  private enum SetForegroundPresentationCodingKeys: String, CodingKey { case _0 = "app", _1 = "kinds" }
  private enum ScheduleCodingKeys: String, CodingKey { case _0 = "request" }
  private enum CancelCodingKeys: String, CodingKey { case _0 = "app", identifier }
  private enum SetAppSettingCodingKeys: String, CodingKey { case _0 = "app", _1 = "key", _2 = "value" }
  private enum SetHandsetSettingCodingKeys: String, CodingKey { case _0 = "key", _1 = "value" }
  private enum SetConditionCodingKeys: String, CodingKey { case _0 = "condition", _1 = "isOn" }
  private enum SetFocusModeCodingKeys: String, CodingKey { case _0 = "name", _1 = "mode" }
  private enum PressCodingKeys: String, CodingKey { case _0 = "button", _1 = "length" }
  private enum SetTimeZoneCodingKeys: String, CodingKey { case _0 = "zone" }
  private enum ClearNotificationCodingKeys: String, CodingKey { case _0 = "number" }
  private enum ClearSectionCodingKeys: String, CodingKey { case _0 = "app" }
  private enum FetchCodingKeys: String, CodingKey { case _0 = "app" }
  private enum SnoozeCodingKeys: String, CodingKey { case _0 = "app", `for` }
  private enum EndSnoozeCodingKeys: String, CodingKey { case _0 = "app" }
  private enum CallCodingKeys: String, CodingKey { case _0 = "app", _1 = "push", _2 = "call" }
  private enum CalledCodingKeys: String, CodingKey { case _0 = "number", _1 = "outcome" }
  private enum RespondCodingKeys: String, CodingKey { case _0 = "number", action, text }
  private enum RemoveDeliveredCodingKeys: String, CodingKey { case _0 = "app", _1 = "numbers" }
  private enum ListDeliveredCodingKeys: String, CodingKey { case _0 = "app" }
  private enum BroadcastCodingKeys: String, CodingKey { case _0 = "content", channel }
  private enum ChangeActivityCodingKeys: String, CodingKey { case _0 = "app", _1 = "activity", _2 = "update" }
  private enum DismissActivityCodingKeys: String, CodingKey { case _0 = "activity" }
  private enum StartCodingKeys: String, CodingKey { case _0 = "after" }
}

/// A button of an alert [HIG14].
public enum AlertButton: String, Hashable, Sendable, CaseIterable, Codable {
  /// Dismisses the alert. The left button, or the only one.
  case close
  /// Dismisses the alert and launches the app in the same moment.
  case view
}

/// The ways in which a provider takes a notification back (rule N8).
public enum Retraction: String, Hashable, Sendable, CaseIterable, Codable {
  /// The notification was seen elsewhere: its alert ends, and it stays in Notification Center.
  case seen
  /// The notification is removed, even if it has not arrived yet.
  case removed
}

/// The length of a press of a button (rule D2).
public enum PressLength: String, Hashable, Sendable, CaseIterable, Codable {
  case short, long
}

public enum Start: String, Hashable, Sendable, Codable {
  /// Only the daemon was stopped; the board kept running.
  case daemon
  /// The board booted: no app runs, and force-quit is forgotten.
  case board
}

/// A driver's report, with its own time stamp.
public struct DriverReport: Hashable, Sendable, Codable {
  public enum Kind: Hashable, Sendable, Codable {
    case lamp(lit: Bool)
    /// The text that the digits show: `"  12"`.
    case display(text: String)
    /// The same if the number is wider than the display, which shows its largest number (rule B5).
    case displayOverflow(text: String)
    case soundStarted(name: String)
    /// `reason` is one of `soundEndings`, or a text that says why the sound failed.
    case soundEnded(name: String, reason: String)
    /// A device of the board or the sound card failed. The text says which one, why, and what to do.
    case deviceLost(problem: String)
    case deviceBack(device: String)
    /// A fault of a test bench struck.
    case faultStruck(name: String)
  }

  public static let soundEndings: Set = ["finished", "replaced", "stopped"]

  public var kind: Kind
  /// The push that caused it, if the driver knows it.
  public var push: PushID?
  /// The time on the uptime clock.
  public var uptime: Duration

  public init(_ kind: Kind, push: PushID? = nil, uptime: Duration) {
    self.kind = kind
    self.push = push
    self.uptime = uptime
  }
}
