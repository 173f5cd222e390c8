import HTTPRoutes
import HandsetCore

/// One handset, with the resources that need more of the daemon than their handset.
struct HandsetResources: Sendable {
  let access: HandsetAccess
  let state: StateResource
  let apps: AppsResource
  let sounds: SoundsResource
  let events: EventsResource
  let pushes: PushesResource
}

/// The handsets of the daemon, by their names.
struct HandsetDirectory: Sendable {
  /// The names in the order of the settings; not empty.
  let names: [String]
  /// The name of the handset on the board.
  let onBoard: String
  private let handsets: [String: HandsetResources]

  /// - Parameter resources: makes the resources of one handset.
  init(_ handsets: Handsets, host: Host, queue: InputQueue, resources: (HandsetAccess) -> HandsetResources) {
    names = handsets.all.map(\.name)
    onBoard = handsets.board.name
    let made = handsets.all.map { handset in
      resources(
        HandsetAccess(
          host: host, queue: queue, identity: HandsetIdentity(handset.id, name: handset.name, device: handset.device)))
    }
    self.handsets = Dictionary(uniqueKeysWithValues: made.map { ($0.access.identity.name, $0) })
  }

  /// - Parameter name: nil for the one on the board.
  /// - Throws: `ControlError` 404 with the nearest name.
  func named(_ name: String?) throws(ControlError) -> HandsetResources {
    let name = name ?? onBoard
    guard let resources = handsets[name] else { throw .unknown("handset", name, among: names, status: 404) }
    return resources
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
  init(_ handset: Handset, _ identity: HandsetIdentity, isOnBoard: Bool, at now: Moment) {
    self.init(
      name: identity.name, number: identity.id.number, deviceID: identity.device.hex, isOnBoard: isOnBoard,
      badge: Int(clamping: handset.presentation(at: now).badge), unseen: handset.unseenCount, apps: handset.apps.count)
  }
}

/// The identity of a handset.
struct HandsetIdentity: Sendable, Hashable {
  let id: HandsetID
  let name: String
  /// Its device ID in the 2008 service.
  let device: DeviceID

  init(_ id: HandsetID, name: String, device: DeviceID) {
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

enum HandsetsResource {
  static func routes(_ handsets: HandsetDirectory) -> [Route] {
    [
      .control("GET", "/v1/handsets") { _ in
        var reports: [HandsetReport] = []
        for name in handsets.names {
          let access = try handsets.named(name).access
          reports.append(
            try await access.read { handset, _, _, now in
              HandsetReport(handset, access.identity, isOnBoard: name == handsets.onBoard, at: now)
            })
        }
        return try .json(reports)
      },
      .control("GET", "/v1/all-handsets/tokens") { _ in
        var tokens: [TokenReport] = []
        for name in handsets.names { tokens += try await handsets.named(name).access.tokens() }
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

extension ControlClient {
  public func handsets() async throws -> [HandsetReport] { try await get("/v1/handsets") }

  /// Returns the tokens of all apps of all handsets.
  public func allTokens() async throws -> [TokenReport] { try await get("/v1/all-handsets/tokens") }

  /// Installs or replaces the app on all handsets; the reports show which of them refuse it.
  public func installOnAll(_ id: String, _ bundle: BundleUpload) async throws -> [HandsetInstallReport] {
    try await send("PUT", "/v1/all-handsets/apps/" + RequestTarget.encodedSegment(id), bundle, timeout: .seconds(3600))
  }
}
