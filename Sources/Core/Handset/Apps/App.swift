/// The description of an app that its bundle contains. It changes only with an installation.
public struct AppManifest: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id, name, receivesBackgroundUpdates, actionTitle, lampPattern, foregroundPresentation, sounds, strings
    case hasPrograms = "hasHooks"
    case acknowledge, categories
    case hasNotificationProgram = "hasNotificationHook"
    case hasBroadcasts = "broadcast"
    case liveActivity
    case pushTypes, hasServiceExtension
  }

  public var id: AppID
  /// Shown above each of its messages (rule N3).
  public var name: String
  /// True if background updates reach it: the `remote-notification` background mode (rule U1) [BG].
  public var receivesBackgroundUpdates: Bool
  /// The title of its alerts' action button, if the push has none (rule N4).
  public var actionTitle: String?
  /// The lamp's pattern while one of its notifications is unseen (rule D1).
  public var lampPattern: LampPattern?
  /// The parts of a notification that the system presents if it arrives while the app is in the foreground (rule N2).
  public var foregroundPresentation: NotificationKinds
  /// Names, without extension, of the sounds in its bundle that can be played (rule A1).
  public var sounds: Set<String>
  /// Formats for localised messages, by key.
  public var strings: [String: String]
  /// True if its bundle names programs or services that open or wake it. The handset does not need to know which.
  public var hasPrograms: Bool
  /// The address that is called when the person answers one of its notifications (rule N13); nil for none.
  public var acknowledge: String? = nil
  /// The categories of its notifications' actions (rule N15); nil for none.
  public var categories: [NotificationCategory]? = nil
  /// True if its bundle names a program that gets every push (rule N16).
  @WrittenWhereTrue public var hasNotificationProgram = false
  /// True if its provider may make channels and broadcast on them: Apple's broadcast capability of an app.
  @WrittenWhereTrue public var hasBroadcasts = false
  /// What the board shows of its Live Activities, which have tokens of their own then; nil if it has none.
  @Rare public var liveActivity: LiveActivityManifest? = nil
  /// The types of push that its background modes let it have (rule T1); nil if it names no modes: it has them all.
  public var pushTypes: [PushType]? = nil
  /// True if its bundle names a program that may change notifications before they are presented (rule X1).
  @WrittenWhereTrue public var hasServiceExtension = false

  public init(
    id: AppID, name: String, receivesBackgroundUpdates: Bool = false, actionTitle: String? = nil,
    lampPattern: LampPattern? = nil, foregroundPresentation: NotificationKinds = [], sounds: Set<String> = [],
    strings: [String: String] = [:], hasPrograms: Bool = false
  ) {
    self.id = id
    self.name = name
    self.receivesBackgroundUpdates = receivesBackgroundUpdates
    self.actionTitle = actionTitle
    self.lampPattern = lampPattern
    self.foregroundPresentation = foregroundPresentation
    self.sounds = sounds
    self.strings = strings
    self.hasPrograms = hasPrograms
  }
}

/// The state of an app, small enough to be written with every push.
public struct AppState: Hashable, Sendable, Codable {
  /// The number on its icon (rule B1), kept also while it may not be shown (rule S4). First, because most pushes change
  /// it and nothing else: a comparison ends there.
  public var badge = 0
  /// Its device token; after it unregistered, its last one.
  public var token: DeviceToken
  public var registration = Registration.pending
  public var lifecycle = Lifecycle.notRunning
  public var settings = AppSettings()
  /// True if it has ever connected to its socket. If so, deliveries wait until it connects again.
  public var listens = false
  /// The kinds that the app asked for at run time; they replace the manifest's (rule N2).
  public var foregroundPresentation: NotificationKinds?
  /// Its snooze (rule N12); nil while it may sound.
  @Rare public var snooze: Snooze? = nil
  /// What is counted of its pushes by type (rules T2, T3), in the order of the types' words; nil if nothing is.
  @Rare public var pushTypeCounts: [PushTypeCount]? = nil
  /// True if it has scheduled a local notification since it was installed, or last unregistered. Then it notifies
  /// without a registration (rule L4), and is in the notification settings.
  @WrittenWhereTrue public var hasScheduled = false
  /// True if a local notification set its badge, which is shown without a registration for badges (rule L4).
  @WrittenWhereTrue public var hasLocalBadge = false

  public init(token: DeviceToken) {
    self.token = token
  }

  /// The kinds that it registered for (rule S6).
  var registeredKinds: NotificationKinds { if case .registered(let kinds) = registration { kinds } else { [] } }

  /// Returns the kinds that it may show and the person allows, in a push or in a local notification (rules S1, S6, L4).
  /// The switch for the whole handset is not included.
  func allowedKinds(isLocal: Bool) -> NotificationKinds {
    isLocal ? wantedKinds : wantedKinds.intersection(registeredKinds)
  }

  /// The kinds that the person allows: in a provisional app only its entries in Notification Center (rules S1, Q4).
  var wantedKinds: NotificationKinds {
    isProvisional ? settings.allowedKinds.intersection(.alert) : settings.allowedKinds
  }

  /// True if it is in the notification settings: it is registered, or has scheduled a local notification (rules R2, L4).
  public var hasSettings: Bool { if case .registered = registration { true } else { hasScheduled } }

  /// True if the person has not yet decided about its notifications (rule Q4).
  public var isProvisional: Bool {
    if case .registered(let kinds) = registration { kinds.contains(.provisional) } else { false }
  }

  /// Returns the number that it adds to the display if its badge is allowed, else 0 (rule B5). The switch for the whole
  /// handset is not included.
  func number(unseen: @autoclosure () -> Int) -> Int {
    guard allowedKinds(isLocal: hasLocalBadge).contains(.badge) else { return 0 }
    return settings.badgeShows == .unseen ? unseen() : badge
  }
}

/// An installed app.
public struct App: Equatable, Sendable, Codable {
  private final class Bundle: Sendable {
    let manifest: AppManifest

    init(_ manifest: AppManifest) { self.manifest = manifest }
  }

  /// By reference: each push copies its app several times, and a manifest and a state have many parts to retain.
  private final class Parts: Sendable {
    let bundle: Bundle
    let state: AppState

    init(_ bundle: Bundle, _ state: AppState) { (self.bundle, self.state) = (bundle, state) }
  }

  private var parts: Parts

  public var manifest: AppManifest { parts.bundle.manifest }

  public var state: AppState {
    get { parts.state }
    set { parts = Parts(parts.bundle, newValue) }
  }

  public var id: AppID { manifest.id }

  /// The app's own choice, else the manifest's (rule N2).
  public var foregroundPresentation: NotificationKinds {
    state.foregroundPresentation ?? manifest.foregroundPresentation
  }

  /// True if it has no programs and has never listened, so that it completes a delivery at once (rule U8).
  public var isScripted: Bool { !manifest.hasPrograms && !state.listens }

  public init(manifest: AppManifest, state: AppState) {
    parts = Parts(Bundle(manifest), state)
  }

  public static func == (left: App, right: App) -> Bool {
    left.parts === right.parts || (left.state == right.state && left.manifest == right.manifest)
  }

  private enum CodingKeys: CodingKey { case manifest }

  /// The state is not a value of its own, but the fields beside `manifest`.
  public init(from decoder: any Decoder) throws {
    let manifest = try decoder.container(keyedBy: CodingKeys.self).decode(AppManifest.self, forKey: .manifest)
    self.init(manifest: manifest, state: try AppState(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(manifest, forKey: .manifest)
    try state.encode(to: encoder)
  }
}

/// The states of an app (rules N1, N2, U5).
public enum Lifecycle: String, Hashable, Sendable, CaseIterable, Codable {
  case notRunning
  case background
  case foreground
  /// Stopped by the person. Unlike a stopped app, it is not woken (rule U5).
  case forceQuit

  public var isRunning: Bool { self == .background || self == .foreground }
}

public enum LifecycleCommand: String, Hashable, Sendable, CaseIterable, Codable {
  /// Opens the app: moves it to the foreground.
  case launch
  /// Moves the app to the background, or starts it there.
  case background
  /// The system or something else ends the app.
  case kill
  case forceQuit = "force-quit"
}
