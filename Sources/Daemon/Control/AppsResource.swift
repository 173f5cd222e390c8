import AppLink
import FoundationEssentials
import HTTP
import HandsetCore
import Speaker
import StrictYAML
import Synchronization
import WebCalls

public struct AppReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "An installed app."

  public struct Held: Codable, Sendable, Equatable, WireType {
    static let meaning = "A background update that waits for its app."

    public var push: String
    public var expiresWallMicroseconds: Int64

    static let meanings: [String: Meaning] = [
      "expiresWallMicroseconds": "The time at which it is discarded, in microseconds since 1970-01-01T00:00:00Z."
    ]
  }

  public var id: String
  public var name: String
  public var registration: String
  public var kinds: [String]
  public var lifecycle: String
  public var badge: Int
  public var visibleBadge: Int
  public var token: String
  public var receivesBackgroundUpdates: Bool
  public var foregroundPresentation: [String]
  public var sounds: [String]
  public var notifications: Int
  public var hasSettings: Bool
  public var settings: [SettingReport]
  public var held: Held?
  public var icon = false
  public var launchImages: [String] = []

  static let meanings: [String: Meaning] = [
    "id": "The bundle identifier.",
    "name": "The name, shown above its messages.",
    "registration": .words(
      ["pending", "registered", "unregistered"],
      "The state of its registration for notifications."),
    "kinds": .words(
      NotificationKinds.all.names + NotificationKinds.provisional.names,
      "The kinds that it registered for; with provisional its notifications are only listed (Q4)."),
    "lifecycle": .one(of: Lifecycle.self, "The state of the app itself."),
    "badge": .count("The number on its icon, even if it may not be shown."),
    "visibleBadge": .count(
      "The number that its icon shows: 0 if a setting of the app or of the handset hides the badge."),
    "receivesBackgroundUpdates": "True if it has the background mode remote-notification.",
    "foregroundPresentation": .words(
      NotificationKinds.all.names,
      "The kinds that are presented while the app is in the foreground."),
    "sounds": "The names of its sounds, without extension.",
    "notifications": .count("The number of its notifications in Notification Center."),
    "hasSettings": Meaning(
      "True if it is in the notification settings: it is registered, or has scheduled a local notification. Its "
        + "settings can be changed before."),
    "settings": "The settings of the app.",
    "held": "The background update that waits; absent if there is none.",
    "icon": "True if its bundle has an icon.",
    "launchImages": "The names of its bundle's launch images, without extension.",
  ]
}

extension AppReport {
  init(_ app: App, of handset: Handset) {
    let (registration, kinds): (String, NotificationKinds) =
      switch app.state.registration {
      case .pending: ("pending", [])
      case .registered(let kinds): ("registered", kinds)
      case .unregistered: ("unregistered", [])
      }
    self.init(
      id: app.id.text, name: app.manifest.name, registration: registration, kinds: kinds.names,
      lifecycle: app.state.lifecycle.rawValue, badge: app.state.badge, visibleBadge: handset.visibleBadge(of: app),
      token: app.state.token.hex, receivesBackgroundUpdates: app.manifest.receivesBackgroundUpdates,
      foregroundPresentation: app.foregroundPresentation.names, sounds: app.manifest.sounds.sorted(),
      notifications: handset.listedCount(of: app.id), hasSettings: app.state.hasSettings,
      settings: AppSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: app.state.settings[$0]) },
      held: handset.held(for: app.id).map {
        Held(push: $0.push.description, expiresWallMicroseconds: $0.expires.microseconds)
      })
  }
}

/// An app's bundle as sent over the socket, since the daemon may be unable to read the caller's home.
public struct BundleUpload: RequestBody, Sendable {
  static let meaning = "An app's bundle folder: app.yaml, icon.png, launch-images/, sounds/, strings/LANGUAGE.yaml."

  public static let manifestPath = "app.yaml"

  public var files: [String: Data]

  static let meanings: [String: Meaning] = [
    "files": "The files by their paths in the folder: `app.yaml`, `sounds/letter.wav`. Base64."
  ]

  public init(files: [String: Data]) {
    self.files = files
  }

  /// The app that the manifest names; nil if there is no manifest, or its name of the app is not valid.
  public var declaredApp: AppID? {
    guard let manifest = files[BundleUpload.manifestPath],
      let document = try? YAMLDocument.parse(Array(manifest), file: BundleUpload.manifestPath),
      case .mapping(let entries) = document.root.content,
      let text = try? entries.first(where: { $0.key == "id" })?.value.string()
    else { return nil }
    return AppID(text)
  }
}

public struct AppKeyReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The key by which an app's receiver recognises its calls."

  public var app: String
  public var key: String

  static let meanings: [String: Meaning] = [
    "key": "64 hexadecimal digits."
  ]
}

public struct InstallReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The result of an installation."

  public var app: AppReport
  public var notes: [String]

  static let meanings: [String: Meaning] = [
    "app": "The installed app."
  ]
}

struct KindsRequest: RequestBody, Sendable {
  static let meaning = "The kinds that an app registers for, or that are presented while it is in the foreground."

  var kinds: [String]

  static let meanings: [String: Meaning] = [
    "kinds": .words(
      NotificationKinds.all.names + NotificationKinds.provisional.names,
      "The kinds; an empty list is none. With provisional an app that registers asks for no decision yet: its "
        + "notifications are only listed, until the person decides (Q4).")
  ]

  func known() throws(ControlError) -> NotificationKinds {
    for name in kinds where NotificationKinds(names: [name]) == nil {
      throw .unknown(
        "kind of notification", name, among: NotificationKinds.all.names + NotificationKinds.provisional.names)
    }
    return NotificationKinds(names: kinds) ?? []
  }
}

struct LifecycleRequest: RequestBody, Sendable {
  static let meaning = "A change of an app's state."

  var command: String

  static let meanings: [String: Meaning] = [
    "command": .one(
      of: LifecycleCommand.self,
      "launch opens it; background leaves the foreground or starts it there; the system kills it, the user "
        + "force-quits it.")
  ]
}

struct BadgeRequestBody: RequestBody, Sendable {
  static let meaning = "An app's own badge."

  var number: Int

  static let meanings: [String: Meaning] = [
    "number": .count("0 clears it.")
  ]
}

enum AppsResource {
  final class Installing: Sendable {
    fileprivate let apps = Mutex<Set<AppAddress>>([])
  }

  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/apps", "apps", in: .apps, "The installed apps", answer: "By bundle identifier."
    ) { handset, _ in try await handset.access.apps().map(handset.withPictures) },
    HandsetRoute(
      "GET", "/tokens", "tokens", in: .apps, "The device tokens of all apps", answer: "By app."
    ) { handset, _ in try await handset.access.tokens() },
    HandsetRoute("GET", "/apps/{id}", "app", in: .apps, "An app", answer: "The app now.") { handset, request in
      try await handset.app(handset.access.appID(request))
    },
    HandsetRoute(
      "GET", "/apps/{id}/icon", "icon", in: .apps, "An app's icon",
      response: Operation.Answer(
        meaning: "The icon of its bundle: at most \(BundlePictures.Limits.bytes) bytes.", form: .text,
        type: "image/png")
    ) { handset, request in try await handset.picture(BundlePictures.icon, in: request) },
    HandsetRoute(
      "GET", "/apps/{id}/launch-image/{name}", "launchImage", in: .apps,
      "The image that shows while a notification opens the app",
      parameters: ["name": "A launch image's name, without extension."],
      response: Operation.Answer(
        meaning: "The image of its bundle: at most \(BundlePictures.Limits.bytes) bytes.", form: .text,
        type: "image/png")
    ) { handset, request in
      let name = try request.parameter("name")
      return try await handset.picture("\(BundlePictures.launchImages)/\(name).png", in: request)
    },
    HandsetRoute(
      "PUT", "/apps/{id}", "install", in: .apps, "Install an app, or replace its bundle",
      body: BundleUpload(files: ["app.yaml": Data("id: com.example.mail\nname: Mail\n".utf8)]),
      bodyLimit: ControlLimits.bundleBodyBytes, answer: "Installed.", refusals: [409: "", 507: ""]
    ) { handset, request in try await handset.install(bundle(in: request)) },
    HandsetRoute("DELETE", "/apps/{id}", "uninstall", in: .apps, "Uninstall an app and delete its data") {
      handset, request in try await handset.uninstall(handset.access.appID(request))
    },
    HandsetRoute(
      "POST", "/apps/{id}/register", "register", in: .apps, "Register an app for kinds of notification",
      body: KindsRequest(kinds: ["badge", "sound", "alert"]), answer: "The app now."
    ) { handset, request in
      try await change(handset, request) { id in
        .register(id, try request.body(KindsRequest.self).known(), token: .random())
      }
    },
    HandsetRoute(
      "POST", "/apps/{id}/unregister", "unregister", in: .apps, "Unregister an app; its token becomes invalid",
      answer: "The app now."
    ) { handset, request in try await change(handset, request) { id in .unregister(id) } },
    HandsetRoute(
      "POST", "/apps/{id}/lifecycle", "lifecycle", in: .apps,
      "Launch, send to the background, kill or force-quit an app", body: LifecycleRequest(command: "launch"),
      answer: "The app now.", refusals: [409: ""]
    ) { handset, request in
      try await change(handset, request) { id in
        .lifecycle(id, try known(request.body(LifecycleRequest.self).command, of: "lifecycle command"))
      }
    },
    HandsetRoute(
      "PUT", "/apps/{id}/badge", "badge", in: .apps, "Set a running app's own badge", body: BadgeRequestBody(number: 0),
      answer: "The app now.", refusals: [409: ""]
    ) { handset, request in
      try await change(handset, request) { id in .setBadge(id, try request.body(BadgeRequestBody.self).number) }
    },
    HandsetRoute(
      "GET", "/apps/{id}/key", "appKey", in: .apps, "Read the key of an app's acknowledgements (N13)",
      answer: "The key."
    ) { handset, request in try await handset.key(of: handset.access.appID(request), isNew: false) },
    HandsetRoute(
      "POST", "/apps/{id}/key", "renewAppKey", in: .apps, "Make another key, which revokes the existing one",
      answer: "The key."
    ) { handset, request in try await handset.key(of: handset.access.appID(request), isNew: true) },
    // Rule N2: as requested by the app's own code.
    HandsetRoute(
      "PUT", "/apps/{id}/foreground", "foreground", in: .apps,
      "Choose what is presented while a running app is in the foreground", body: KindsRequest(kinds: ["badge"]),
      answer: "The app now.", refusals: [409: ""]
    ) { handset, request in
      try await change(handset, request) { id in
        .setForegroundPresentation(id, try request.body(KindsRequest.self).known())
      }
    },
  ]

  static func bundle(in request: HTTPRequest) throws -> BundleUpload {
    let text = try request.parameter("id")
    guard let id = AppID(text) else {
      throw ControlError(
        400, "'\(shown(text))' is no bundle identifier",
        hint: "expected letters, digits, dots and dashes, as in com.example.mail")
    }
    let bundle: BundleUpload = try request.body()
    // An unreadable manifest names no app; the installation reports the errors in it.
    if let declared = bundle.declaredApp, declared != id {
      throw ControlError(400, "the bundle is of '\(declared)', not of '\(id)'", hint: "PUT it to /v1/apps/\(declared)")
    }
    return bundle
  }

  /// Applies an input for the app in the path, and returns the app.
  private static func change(
    _ handset: HandsetParts, _ request: HTTPRequest, _ input: (AppID) throws -> Input
  ) async throws -> AppReport {
    let id = try await handset.access.appID(request)
    try await handset.access.apply(input(id))
    return try await handset.app(id)
  }
}

extension HandsetParts {
  /// Reads the manifest, converts the sounds, and installs the app.
  /// - Throws: `ControlError` 400 with every line that is wrong, 413 past a limit; nothing is installed then. 507 if
  ///   the bundle cannot be written.
  func install(_ upload: BundleUpload) async throws(ControlError) -> InstallReport {
    let files = upload.files.mapValues { Array($0) }
    let folders = daemon.folders
    let digest = folders.hold(files)
    defer { folders.release(digest) }
    let bundle = try refusing(400) {
      try AppBundle(files: files, folder: "bundle", language: daemon.language, decoder: daemon.decoder) {
        folders.hasSound($0, in: digest)
      }
    }
    let id = bundle.manifest.id
    let installing = daemon.installing
    guard installing.apps.withLock({ $0.insert(address(of: id)).inserted }) else {
      throw ControlError(409, "\(id) is being installed by another command", hint: "wait until it is done")
    }
    defer { installing.apps.withLock { _ = $0.remove(address(of: id)) } }
    try refusing(507) { try folders.store(bundle, files: files, as: digest) }
    let verdict = try await access.submit(.install(bundle.manifest, token: .random()))
    if case .refused(let refusal) = verdict { throw ControlError(409, refusal.explanation) }
    if bundle.manifest.acknowledge != nil { _ = try await daemon.keys.key(of: address(of: id), by: access.host) }
    let programs = try refusing(507, "\(id) is installed with the hooks it had: ", hint: "install it again") {
      try folders.install(digest, as: address(of: id))
    }
    daemon.link.install(address(of: id), programs: programs)
    return InstallReport(app: try await app(id), notes: bundle.notes)
  }

  /// - Throws: `ControlError` 404 if it is not installed, 503 if the removal could not be stored.
  fileprivate func uninstall(_ id: AppID) async throws(ControlError) {
    try await access.apply(.uninstall(id))
    daemon.providers.directory.endReading(of: id, on: isOnBoard ? [name, nil] : [name])
    daemon.link.uninstall(address(of: id))
    daemon.keys.forget(address(of: id))
    daemon.folders.remove(address(of: id))
  }

  /// Returns the key by which the app's receiver recognises its calls (rule N13), and makes one if it has none.
  /// - Throws: `ControlError` 404 if the app is not installed.
  fileprivate func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport {
    _ = try await access.app(id)
    let (address, keys) = (self.address(of: id), daemon.keys)
    let key = isNew ? try await keys.renew(address, by: access.host) : try await keys.key(of: address, by: access.host)
    return AppKeyReport(app: id.text, key: key.text)
  }

  /// Returns the app with the pictures that its bundle has.
  /// - Throws: `ControlError` 404 with the nearest app if it is not installed.
  fileprivate func app(_ id: AppID) async throws(ControlError) -> AppReport { withPictures(try await access.app(id)) }

  fileprivate func withPictures(_ report: AppReport) -> AppReport {
    guard let id = AppID(report.id), let pictures = daemon.folders.pictures(of: address(of: id)) else { return report }
    var report = report
    (report.icon, report.launchImages) = (pictures.hasIcon, pictures.launchImages)
    return report
  }

  /// Returns the picture at a path within the bundle of the app in the request.
  /// - Throws: `ControlError` 404 if the app is not installed, or has no such picture.
  fileprivate func picture(_ path: String, in request: HTTPRequest) async throws -> HTTPResponse {
    let id = try await access.appID(request)
    _ = try await access.app(id)
    guard let bytes = daemon.folders.picture(path, of: address(of: id)) else {
      throw ControlError(
        404, "'\(id)' has no picture '\(shown(path))'", hint: "add it to its bundle, and install the app again")
    }
    return HTTPResponse(headers: ["Content-Type": "image/png"], body: .bytes(bytes))
  }

  private func address(of app: AppID) -> AppAddress { AppAddress(app, on: self.id) }
}

extension ControlClient {
  public func apps() async throws -> [AppReport] { try await get(path("apps")) }

  public func tokens() async throws -> [TokenReport] { try await get(path("tokens")) }

  public func app(_ id: String) async throws -> AppReport { try await get(path("apps", id)) }

  /// Installs or replaces the app; its sounds are converted before the answer arrives.
  public func install(_ id: String, _ bundle: BundleUpload) async throws -> InstallReport {
    try await send("PUT", path("apps", id), bundle, timeout: .seconds(300))
  }

  public func uninstall(_ id: String) async throws { try await send("DELETE", path("apps", id)) }

  public func register(_ id: String, kinds: [String]) async throws -> AppReport {
    try await send("POST", path("apps", id, "register"), KindsRequest(kinds: kinds))
  }

  /// - Parameter isNew: true to make another key, which revokes the existing one.
  public func key(of id: String, isNew: Bool) async throws -> AppKeyReport {
    try await isNew ? send("POST", path("apps", id, "key")) : get(path("apps", id, "key"))
  }

  public func unregister(_ id: String) async throws -> AppReport {
    try await send("POST", path("apps", id, "unregister"))
  }

  /// - Parameter command: `launch`, `background`, `kill` or `force-quit`.
  public func changeLifecycle(_ id: String, _ command: String) async throws -> AppReport {
    try await send("POST", path("apps", id, "lifecycle"), LifecycleRequest(command: command))
  }

  public func setBadge(_ id: String, _ number: Int) async throws -> AppReport {
    try await send("PUT", path("apps", id, "badge"), BadgeRequestBody(number: number))
  }

  public func present(_ id: String, inForeground kinds: [String]) async throws -> AppReport {
    try await send("PUT", path("apps", id, "foreground"), KindsRequest(kinds: kinds))
  }
}
