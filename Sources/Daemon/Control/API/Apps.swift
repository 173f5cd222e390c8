import FoundationEssentials
import HTTP
import HandsetCore
import StrictYAML

/// The apps of one handset.
public protocol AppsBackend: Sendable {
  func apps() async throws(ControlError) -> [AppReport]
  /// - Throws: `ControlError` 404 if it is not installed.
  func app(_ id: AppID) async throws(ControlError) -> AppReport

  /// Reads the manifest, converts the sounds, and installs the app.
  /// - Throws: `ControlError` 400 with every line that is wrong, 413 past a limit; nothing is installed then.
  func install(_ bundle: BundleUpload) async throws(ControlError) -> InstallReport

  /// Removes the app and everything stored for it.
  /// - Throws: `ControlError` 503 if that could not be stored.
  func uninstall(_ id: AppID) async throws(ControlError) -> Verdict

  /// Returns the key by which the app's receiver recognises its calls (rule N13), and makes one if it has none.
  /// - Parameter isNew: true to make another one, which revokes it.
  /// - Throws: `ControlError` 404 if the app is not installed.
  func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport

  /// Returns a token for an app that registers again.
  func freshToken() -> DeviceToken
}

/// An installed app.
public struct AppReport: Codable, Sendable, Equatable {
  public struct Held: Codable, Sendable, Equatable {
    public var push: String
    public var expiresWallMicroseconds: Int64
  }

  public var id: String
  public var name: String
  /// `pending`, `registered` or `unregistered`.
  public var registration: String
  /// The kinds that it registered for: `badge`, `sound`, `alert`.
  public var kinds: [String]
  /// `notRunning`, `background`, `foreground` or `forceQuit`.
  public var lifecycle: String
  /// The number on its icon, even if it may not be shown.
  public var badge: Int
  /// The number that its icon shows.
  public var visibleBadge: Int
  /// The device token that its provider sends to.
  public var token: String
  public var receivesBackgroundUpdates: Bool
  /// The kinds that are presented while the app is in the foreground: `badge`, `sound`, `alert`.
  public var foregroundPresentation: [String]
  public var sounds: [String]
  /// The number of its notifications in Notification Center.
  public var notifications: Int
  public var settings: [SettingReport]
  public var held: Held?
}

extension AppReport {
  public init(_ app: App, of handset: Handset) {
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
      notifications: handset.listedCount(of: app.id),
      settings: AppSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: app.state.settings[$0]) },
      held: handset.held(for: app.id).map {
        Held(push: $0.push.description, expiresWallMicroseconds: $0.expires.microseconds)
      })
  }
}

/// An app's bundle as sent over the socket, since the daemon may be unable to read the caller's home.
public struct BundleUpload: RequestBody, Sendable {
  /// The path of the manifest in the bundle.
  public static let manifestPath = "app.yaml"

  /// The files by path within the bundle folder, with `/`: `app.yaml`, `sounds/letter.wav`. Base64 in the JSON.
  public var files: [String: Data]

  enum CodingKeys: CodingKey, CaseIterable { case files }

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

/// The key of an app's calls.
public struct AppKeyReport: Codable, Sendable, Equatable {
  public var app: String
  /// 64 hexadecimal digits.
  public var key: String

  public init(app: String, key: String) {
    self.app = app
    self.key = key
  }
}

/// The answer to `PUT /v1/apps/{id}`.
public struct InstallReport: Codable, Sendable, Equatable {
  public var app: AppReport
  /// The parts that were not installed, and why: a sound that cannot be decoded.
  public var notes: [String]

  public init(app: AppReport, notes: [String]) {
    self.app = app
    self.notes = notes
  }
}

/// The kinds that an app registers for, or that are presented while it is in the foreground.
struct KindsRequest: RequestBody, Sendable {
  /// `badge`, `sound`, `alert`.
  var kinds: [String]

  enum CodingKeys: CodingKey, CaseIterable { case kinds }

  /// - Throws: `ControlError` 400 with the nearest kind.
  func known() throws(ControlError) -> NotificationKinds {
    for name in kinds where NotificationKinds(names: [name]) == nil {
      throw .unknown("kind of notification", name, among: NotificationKinds.all.names)
    }
    return NotificationKinds(names: kinds) ?? []
  }
}

struct LifecycleRequest: RequestBody, Sendable {
  /// `launch`, `background`, `kill` or `force-quit`.
  var command: String

  enum CodingKeys: CodingKey, CaseIterable { case command }
}

struct BadgeRequestBody: RequestBody, Sendable {
  var number: Int

  enum CodingKeys: CodingKey, CaseIterable { case number }
}

enum AppsResource {
  static let routes = [
    HandsetRoute("GET", "/apps") { handset, _ in try .json(await handset.apps.apps()) },
    HandsetRoute("GET", "/tokens") { handset, _ in try .json(await handset.tokens()) },
    HandsetRoute("GET", "/apps/{id}") { handset, request in
      try .json(await handset.report(of: handset.appID(request)))
    },
    HandsetRoute("PUT", "/apps/{id}", bodyLimit: ControlLimits.bundleBodyBytes) { handset, request in
      try .json(await handset.apps.install(bundle(in: request)))
    },
    HandsetRoute("DELETE", "/apps/{id}") { handset, request in
      try await handset.accept(handset.apps.uninstall(handset.appID(request)))
      return .noContent
    },
    HandsetRoute("POST", "/apps/{id}/register") { handset, request in
      try await change(handset, request) { id, handset in
        .register(id, try request.body(KindsRequest.self).known(), token: handset.apps.freshToken())
      }
    },
    HandsetRoute("POST", "/apps/{id}/unregister") { handset, request in
      try await change(handset, request) { id, _ in .unregister(id) }
    },
    HandsetRoute("POST", "/apps/{id}/lifecycle") { handset, request in
      try await change(handset, request) { id, _ in
        .lifecycle(id, try known(request.body(LifecycleRequest.self).command, of: "lifecycle command"))
      }
    },
    HandsetRoute("PUT", "/apps/{id}/badge") { handset, request in
      try await change(handset, request) { id, _ in .setBadge(id, try request.body(BadgeRequestBody.self).number) }
    },
    HandsetRoute("GET", "/apps/{id}/key") { handset, request in
      try await key(handset, request, isNew: false)
    },
    // Revokes the existing key.
    HandsetRoute("POST", "/apps/{id}/key") { handset, request in
      try await key(handset, request, isNew: true)
    },
    // Rule N2: as requested by the app's own code.
    HandsetRoute("PUT", "/apps/{id}/foreground") { handset, request in
      try await change(handset, request) { id, _ in
        .setForegroundPresentation(id, try request.body(KindsRequest.self).known())
      }
    },
  ]

  private static func key(
    _ handset: HandsetResources, _ request: HTTPRequest, isNew: Bool
  ) async throws -> HTTPResponse {
    let id = try await handset.appID(request)
    _ = try await handset.report(of: id)
    return try .json(await handset.apps.key(of: id, isNew: isNew))
  }

  /// Returns the bundle, which must belong to the app in the path.
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

  /// Applies an input for the app in the path, and answers with the app.
  private static func change(
    _ handset: HandsetResources, _ request: HTTPRequest, _ input: (AppID, HandsetResources) throws -> Input
  ) async throws -> HTTPResponse {
    let id = try await handset.appID(request)
    try await handset.submit(input(id, handset))
    return try .json(await handset.report(of: id))
  }
}
