import AppLink
import FoundationEssentials
import HTTPRoutes
import HandsetCore
import Speaker
import StrictYAML
import Synchronization
import WebCalls

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
}

/// The answer to `PUT /v1/apps/{id}`.
public struct InstallReport: Codable, Sendable, Equatable {
  public var app: AppReport
  /// The parts that were not installed, and why: a sound that cannot be decoded.
  public var notes: [String]
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

/// The apps of one handset.
final class AppsResource: Sendable {
  private let access: HandsetAccess
  private let folders: AppFolders
  private let link: AppLink
  private let keys: AppKeys
  private let language: String
  private let decoder: SoundDecoder
  private let endReading: @Sendable (AppID) -> Void
  /// The apps that are being installed.
  private let installing = Mutex<Set<AppID>>([])

  /// - Parameters:
  ///   - decoder: the decoder of the apps' sounds.
  ///   - endReading: closes the streams that access keys read from an app that is uninstalled.
  init(
    access: HandsetAccess, folders: AppFolders, link: AppLink, keys: AppKeys, language: String,
    decoder: SoundDecoder = .child, endReading: @escaping @Sendable (AppID) -> Void
  ) {
    self.access = access
    self.folders = folders
    self.link = link
    self.keys = keys
    self.language = language
    self.decoder = decoder
    self.endReading = endReading
  }

  static let routes = [
    HandsetRoute("GET", "/apps") { handset, _ in try .json(await handset.access.apps()) },
    HandsetRoute("GET", "/tokens") { handset, _ in try .json(await handset.access.tokens()) },
    HandsetRoute("GET", "/apps/{id}") { handset, request in
      try .json(await handset.access.app(handset.access.appID(request)))
    },
    HandsetRoute("PUT", "/apps/{id}", bodyLimit: ControlLimits.bundleBodyBytes) { handset, request in
      try .json(await handset.apps.install(bundle(in: request)))
    },
    HandsetRoute("DELETE", "/apps/{id}") { handset, request in
      try await handset.apps.uninstall(handset.access.appID(request))
      return .noContent
    },
    HandsetRoute("POST", "/apps/{id}/register") { handset, request in
      try await change(handset, request) { id in
        .register(id, try request.body(KindsRequest.self).known(), token: .random())
      }
    },
    HandsetRoute("POST", "/apps/{id}/unregister") { handset, request in
      try await change(handset, request) { id in .unregister(id) }
    },
    HandsetRoute("POST", "/apps/{id}/lifecycle") { handset, request in
      try await change(handset, request) { id in
        .lifecycle(id, try known(request.body(LifecycleRequest.self).command, of: "lifecycle command"))
      }
    },
    HandsetRoute("PUT", "/apps/{id}/badge") { handset, request in
      try await change(handset, request) { id in .setBadge(id, try request.body(BadgeRequestBody.self).number) }
    },
    HandsetRoute("GET", "/apps/{id}/key") { handset, request in
      try .json(await handset.apps.key(of: handset.access.appID(request), isNew: false))
    },
    // Revokes the existing key.
    HandsetRoute("POST", "/apps/{id}/key") { handset, request in
      try .json(await handset.apps.key(of: handset.access.appID(request), isNew: true))
    },
    // Rule N2: as requested by the app's own code.
    HandsetRoute("PUT", "/apps/{id}/foreground") { handset, request in
      try await change(handset, request) { id in
        .setForegroundPresentation(id, try request.body(KindsRequest.self).known())
      }
    },
  ]

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
    _ handset: HandsetResources, _ request: HTTPRequest, _ input: (AppID) throws -> Input
  ) async throws -> HTTPResponse {
    let id = try await handset.access.appID(request)
    try await handset.access.apply(input(id))
    return try .json(await handset.access.app(id))
  }

  // MARK: Installing

  /// Reads the manifest, converts the sounds, and installs the app.
  /// - Throws: `ControlError` 400 with every line that is wrong, 413 past a limit; nothing is installed then. 507 if
  ///   the bundle cannot be written.
  func install(_ upload: BundleUpload) async throws(ControlError) -> InstallReport {
    let files = upload.files.mapValues { Array($0) }
    let digest = folders.hold(files)
    defer { folders.release(digest) }
    let bundle: AppBundle
    do {
      bundle = try AppBundle(files: files, folder: "bundle", language: language, decoder: decoder) { name in
        folders.hasSound(name, in: digest)
      }
    } catch {
      throw ControlError(400, error.description)
    }
    let id = bundle.manifest.id
    guard installing.withLock({ $0.insert(id).inserted }) else {
      throw ControlError(409, "\(id) is being installed by another command", hint: "wait until it is done")
    }
    defer { installing.withLock { _ = $0.remove(id) } }
    do {
      try folders.store(bundle, files: files, as: digest)
    } catch {
      throw ControlError(507, "\(error)")
    }
    let verdict = try await access.submit(.install(bundle.manifest, token: .random()))
    if case .refused(let refusal) = verdict { throw ControlError(409, refusal.explanation) }
    if bundle.manifest.acknowledge != nil { _ = try await keys.key(of: address(of: id), by: access.host) }
    do {
      link.install(address(of: id), hooks: try folders.install(digest, as: address(of: id)))
    } catch {
      throw ControlError(
        507, "\(id) is installed with the hooks it had: \(error.description)", hint: "install it again")
    }
    return InstallReport(app: try await access.app(id), notes: bundle.notes)
  }

  /// Removes the app and everything stored for it.
  /// - Throws: `ControlError` 404 if it is not installed, 503 if the removal could not be stored.
  func uninstall(_ id: AppID) async throws(ControlError) {
    try await access.apply(.uninstall(id))
    endReading(id)
    link.uninstall(address(of: id))
    keys.forget(address(of: id))
    folders.remove(address(of: id))
  }

  /// Returns the key by which the app's receiver recognises its calls (rule N13), and makes one if it has none.
  /// - Parameter isNew: true to make another one, which revokes it.
  /// - Throws: `ControlError` 404 if the app is not installed.
  private func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport {
    _ = try await access.app(id)
    let address = address(of: id)
    let key = isNew ? try await keys.renew(address, by: access.host) : try await keys.key(of: address, by: access.host)
    return AppKeyReport(app: id.text, key: key.text)
  }

  private func address(of app: AppID) -> AppAddress { AppAddress(app, on: access.identity.id) }
}

extension ControlClient {
  public func apps() async throws -> [AppReport] { try await get(path("apps")) }

  /// Returns the device tokens of all apps.
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

  /// - Parameter kinds: the kinds that are presented while the app is in the foreground.
  public func present(_ id: String, inForeground kinds: [String]) async throws -> AppReport {
    try await send("PUT", path("apps", id, "foreground"), KindsRequest(kinds: kinds))
  }
}
