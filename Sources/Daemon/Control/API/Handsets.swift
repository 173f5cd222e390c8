import HTTP
import HandsetCore

/// The handsets of the daemon.
public protocol HandsetDirectory: Sendable {
  /// The names in the order of the settings; not empty.
  var names: [String] { get }
  /// The name of the handset on the board.
  var onBoard: String { get }
  /// Returns a handset's resources; nil if no handset has that name.
  func resources(of name: String) -> HandsetResources?
  /// Returns the reports of all handsets, in the order of `names`.
  func reports() async throws(ControlError) -> [HandsetReport]
}

/// The resources of one handset that the control API needs.
public struct HandsetResources: Sendable {
  let handset: any HandsetBackend
  let apps: any AppsBackend
  let local: any LocalNotificationsBackend
  let settings: any SettingsBackend
  let center: any CenterBackend
  let sounds: any SoundsBackend
  let events: any EventsBackend
  let pushes: any PushesBackend

  public init(
    handset: any HandsetBackend, apps: any AppsBackend, local: any LocalNotificationsBackend,
    settings: any SettingsBackend, center: any CenterBackend, sounds: any SoundsBackend, events: any EventsBackend,
    pushes: any PushesBackend
  ) {
    self.handset = handset
    self.apps = apps
    self.local = local
    self.settings = settings
    self.center = center
    self.sounds = sounds
    self.events = events
    self.pushes = pushes
  }
}

/// A handset in the list of `GET /v1/handsets`.
public struct HandsetReport: Codable, Sendable, Equatable {
  public var name: String
  /// The number, never given to another handset, even if its name is.
  public var number: Int64
  /// The handset's device ID in the 2008 service: 40 hexadecimal digits.
  public var deviceID: String
  public var isOnBoard: Bool
  /// The number that its display would show; 0 is dark.
  public var badge: Int
  /// Notifications that are listed and not seen.
  public var unseen: Int
  /// The number of installed apps.
  public var apps: Int
}

extension HandsetReport {
  public init(_ handset: Handset, _ identity: HandsetIdentity, isOnBoard: Bool, at now: Moment) {
    self.init(
      name: identity.name, number: identity.id.number, deviceID: identity.device.hex, isOnBoard: isOnBoard,
      badge: Int(clamping: handset.presentation(at: now).badge), unseen: handset.unseenCount, apps: handset.apps.count)
  }
}

/// The identity of a handset.
public struct HandsetIdentity: Sendable, Hashable {
  public let id: HandsetID
  public let name: String
  /// Its device ID in the 2008 service.
  public let device: DeviceID

  public init(_ id: HandsetID, name: String, device: DeviceID) {
    (self.id, self.name, self.device) = (id, name, device)
  }
}

/// An app's device token on one handset.
public struct TokenReport: Codable, Sendable, Equatable {
  public var handset: String
  public var app: String
  public var token: String
  /// True if the app is registered: the pushes of others are ignored.
  public var isRegistered: Bool
}

extension TokenReport {
  init(_ app: AppReport, on handset: String) {
    self.init(handset: handset, app: app.id, token: app.token, isRegistered: app.registration == "registered")
  }
}

/// The result of an installation on one of all handsets.
public struct HandsetInstallReport: Codable, Sendable, Equatable {
  public var handset: String
  /// The installed app; nil if it is refused.
  public var app: AppReport?
  /// The parts that were not installed, and why.
  public var notes: [String] = []
  /// The refusal; nil if it is installed.
  public var refusal: Refusal?

  public struct Refusal: Codable, Sendable, Equatable {
    /// The HTTP status with which an installation on this handset alone would be answered.
    public var status: Int
    public var error: String
    /// The remedy.
    public var hint: String?
  }
}

extension HandsetDirectory {
  /// - Parameter name: nil for the one on the board.
  /// - Throws: `ControlError` 404 with the nearest name.
  func named(_ name: String?) throws(ControlError) -> HandsetResources {
    let name = name ?? onBoard
    guard let resources = resources(of: name) else {
      throw .unknown("handset", name, among: names, status: 404)
    }
    return resources
  }
}

enum HandsetsResource {
  static func routes(_ handsets: any HandsetDirectory) -> [Route] {
    [
      .control("GET", "/v1/handsets") { _ in try .json(await handsets.reports()) },
      .control("GET", "/v1/all-handsets/tokens") { _ in
        var tokens: [TokenReport] = []
        for name in handsets.names { tokens += try await handsets.named(name).tokens() }
        return try .json(tokens)
      },
      // Installs on one handset after the other. An invalid bundle is refused by the first.
      .control("PUT", "/v1/all-handsets/apps/{id}", bodyLimit: ControlLimits.bundleBodyBytes) { request in
        let bundle = try AppsResource.bundle(in: request)
        var reports: [HandsetInstallReport] = []
        for name in handsets.names {
          do throws(ControlError) {
            let report = try await handsets.named(name).apps.install(bundle)
            reports.append(HandsetInstallReport(handset: name, app: report.app, notes: report.notes))
          } catch {
            guard error.status != 400 else { throw error }
            let refusal = HandsetInstallReport.Refusal(status: error.status, error: error.message, hint: error.hint)
            reports.append(HandsetInstallReport(handset: name, refusal: refusal))
          }
        }
        return try .json(reports)
      },
    ]
  }
}

// MARK: - Code shared by several resources

extension HandsetResources {
  /// - Throws: `ControlError` if the handset refuses the input or cannot store it.
  func submit(_ input: Input) async throws(ControlError) {
    try await accept(try await handset.submit(input))
  }

  /// - Throws: `ControlError` if the verdict is a refusal.
  func accept(_ verdict: Verdict) async throws(ControlError) {
    guard case .refused(let refusal) = verdict else { return }
    if case .unknownApp(let id) = refusal { throw await unknownApp(id.text) }
    throw ControlError(refusal)
  }

  /// Returns the app in the path.
  func appID(_ request: HTTPRequest) async throws -> AppID { try await appID(try request.parameter("id")) }

  /// Returns the app with that identifier. An invalid bundle identifier cannot belong to an installed app.
  func appID(_ text: String) async throws(ControlError) -> AppID {
    guard let id = AppID(text) else { throw await unknownApp(text) }
    return id
  }

  /// Returns the installed app in the query; nil if it names none.
  func queriedApp(_ request: HTTPRequest) async throws -> AppID? {
    guard let text = request.target.queryValue("app") else { return nil }
    let id = try await appID(text)
    // An installed app without any gives an empty list; an app that is not installed is an error.
    _ = try await report(of: id)
    return id
  }

  func tokens() async throws(ControlError) -> [TokenReport] {
    try await apps.apps().map { TokenReport($0, on: handset.name) }
  }

  func report(of id: AppID) async throws(ControlError) -> AppReport {
    do throws(ControlError) {
      return try await apps.app(id)
    } catch {
      throw error.status == 404 ? await unknownApp(id.text) : error
    }
  }

  /// Makes a 404 that suggests the intended app.
  private func unknownApp(_ text: String) async -> ControlError {
    let installed = (try? await apps.apps().map(\.id)) ?? []
    let hint =
      if installed.isEmpty {
        "no app is installed yet; install one first"
      } else {
        hint(for: text, among: installed)
      }
    return ControlError(404, "no app '\(shown(text))' is installed", hint: hint)
  }
}
