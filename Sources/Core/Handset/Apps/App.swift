/// The description of an app that its bundle contains. It changes only with an installation.
public struct AppManifest: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id, name, receivesBackgroundUpdates, actionTitle, lampPattern, foregroundPresentation, sounds, strings
    case hasPrograms = "hasHooks"
    case acknowledge, categories
    case hasNotificationProgram = "hasNotificationHook"
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

  public init(token: DeviceToken) {
    self.token = token
  }

  /// The kinds that it registered for and the person allows (rules S1, S6). The switch for the whole handset is not
  /// included.
  public var allowedKinds: NotificationKinds {
    guard case .registered(var kinds) = registration, settings.allowNotifications else { return [] }
    if !settings.badge { kinds.remove(.badge) }
    if !settings.sound { kinds.remove(.sound) }
    if !settings.alert { kinds.remove(.alert) }
    return kinds
  }

  /// Returns the number that it adds to the display if its badge is allowed, else 0 (rule B5). The switch for the whole
  /// handset is not included.
  func number(unseen: @autoclosure () -> Int) -> Int {
    guard allowedKinds.contains(.badge) else { return 0 }
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
