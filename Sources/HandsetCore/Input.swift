// All that can happen to a handset. What the core cannot make itself, such as a token, comes with the input.

/// Something that happens to the handset.
public enum Input: Sendable {
  case push(Push)
  /// A push through a publishing node, and the property list that it was, to be given back as it is (rule F2).
  case publish(Push, propertyList: [UInt8])
  case createNode(NodeID)
  case deleteNode(NodeID)
  /// A front end refused a push; only its event remains.
  case refused(RefusedPush)
  /// A driver says what it did; only its event remains.
  case report(DriverReport)

  /// Installs an app, or puts its new bundle in the place of the one that is there; `token` is used for a new one.
  case install(AppManifest, token: DeviceToken)
  case uninstall(AppID)
  /// The app registers for its kinds (rule S6); `token` is used where it was unregistered before (rule R4).
  case register(AppID, NotificationKinds, token: DeviceToken)
  case unregister(AppID)
  case lifecycle(AppID, LifecycleCommand)
  /// The app connected to its socket and declared itself in the foreground or background; or it is connected, and
  /// declares something else.
  case listening(AppID, Lifecycle)
  /// The app's connection ended by any hand but ours: as killed (rule U5).
  case disconnected(AppID)
  /// A process of the app ended by any hand but ours: as killed (rule U5).
  case died(AppID)
  /// The app is done with a push that it was given (rule U8), or could not be run for it. The reason is the edge's, where
  /// the app said nothing itself.
  case completed(AppID, PushID, DeliveryResult, reason: String? = nil)
  /// The 30 real seconds of the app's hook for that push are over, and the host is stopping it (rule U8).
  case timedOut(AppID, PushID)
  /// The app sets its own badge (rule B6).
  case setBadge(AppID, Int)
  /// The app says what the system presents of a notification that arrives while it is in the foreground (rule N2).
  case setForegroundPresentation(AppID, NotificationKinds)
  /// The app schedules a notification, or another in the place of the one that it calls the same (rule L1).
  case schedule(LocalNotification)
  /// The app takes one of its scheduled notifications back, or, with nil, all.
  case cancel(AppID, identifier: String?)

  case setAppSetting(AppID, AppSettings.Key, String)
  case setHandsetSetting(HandsetSettings.Key, String)
  case setCondition(Condition, Bool)

  /// A button of the board, which is that of the alert on top (rules N4, D2).
  case press(AlertButton, PressLength = .short)
  /// The handset is in another time zone; the one it starts in is in its contents.
  case setTimeZone(TimeZoneTable)
  /// The person clears one notification, an app's section or all of Notification Center (rule N10).
  case clearNotification(NotificationID)
  case clearSection(AppID)
  case clearCenter

  /// The daemon starts.
  case start(Start)
  /// Nothing but time has passed: `Handset.wakeAt` has come.
  case wake
}

/// A button of an alert [HIG14].
public enum AlertButton: String, Hashable, Sendable, CaseIterable {
  /// Dismisses the alert. The left button, or the only one.
  case close
  /// Dismisses the alert and launches the app in the same moment.
  case view
}

/// How long a button is held (rule D2).
public enum PressLength: String, Hashable, Sendable, CaseIterable {
  case short, long
}

/// How the daemon came to start.
public enum Start: String, Hashable, Sendable {
  /// The board has been running: only the daemon was stopped.
  case daemon
  /// The board booted: no app runs, and nobody was forced to quit.
  case board
}

/// What a driver did, with its own time stamp.
public struct DriverReport: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case lamp(lit: Bool)
    /// The text is as the digits show it: `"  12"`. `overflows` where the number is wider than the display, which shows
    /// nines then (rule B5).
    case display(String, overflows: Bool = false)
    case soundStarted(name: String)
    /// `reason` is one of `soundEndings`, or says in words why the sound failed.
    case soundEnded(name: String, reason: String)
    /// A device of the board or the sound card works no longer; the text says which, why, and what to do.
    case deviceLost(String)
    case deviceBack(String)
  }

  /// How a sound ends that was heard.
  static let soundEndings: Set = ["finished", "replaced", "stopped"]

  public var kind: Kind
  /// The push that caused it, where the driver was told.
  public var push: PushID?
  /// On the uptime clock.
  public var uptime: Duration

  public init(_ kind: Kind, push: PushID? = nil, uptime: Duration) {
    self.kind = kind
    self.push = push
    self.uptime = uptime
  }
}
