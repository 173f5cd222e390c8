import FoundationEssentials
import HTTP
import HandsetCore

public struct HandsetReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A handset of the daemon."

  public var name: String
  public var number: Int64
  public var deviceID: String
  public var isOnBoard: Bool
  public var badge: Int
  public var unseen: Int
  public var apps: Int

  static let meanings: [String: Meaning] = [
    "name": "The name, for the path of its resources.",
    "number": .count("The number, never given to another handset, even if its name is."),
    "badge": .count("The number that its display would show; 0 is dark."),
  ]
}

public struct TokenReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "An app's device token on one handset."

  public var handset: String
  public var app: String
  public var token: String
  public var isRegistered: Bool

  static let meanings: [String: Meaning] = [
    "isRegistered": "True if the app is registered: the pushes of others are ignored."
  ]
}

public struct HandsetInstallReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The result of an installation on one of all handsets."

  public var handset: String
  public var app: AppReport?
  public var notes: [String] = []
  public var refusal: Refusal?

  static let meanings: [String: Meaning] = [
    "app": "The installed app; absent if it is refused.",
    "refusal": "The refusal; absent if it is installed.",
  ]

  public struct Refusal: Codable, Sendable, Equatable, WireType {
    static var schemaName: String { "HandsetRefusal" }
    static let meaning = "The reason why a handset has not installed an app."

    public var status: Int
    public var error: String
    public var hint: String?

    static let meanings: [String: Meaning] = [
      "status": .number(
        400...599,
        "The HTTP status with which an installation on this handset alone would be answered.")
    ]
  }
}

enum HandsetsResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/handsets", "handsets", in: .daemon, "The handsets of the daemon",
      answer: "In the order of the settings."
    ) { daemon, _ -> [HandsetReport] in
      var reports: [HandsetReport] = []
      for one in daemon.allHandsets {
        reports.append(
          try await one.access.read { handset, _, _, now in
            HandsetReport(
              name: one.name, number: one.id.number, deviceID: one.access.identity.device.hex, isOnBoard: one.isOnBoard,
              badge: Int(clamping: handset.presentation(at: now).badge), unseen: handset.unseenCount,
              apps: handset.apps.count)
          })
      }
      return reports
    },
    DaemonRoute(
      "GET", "/v1/all-handsets/tokens", "allTokens", in: .apps, "The device tokens of all apps of all handsets",
      answer: "By handset, then by app."
    ) { daemon, _ -> [TokenReport] in
      var tokens: [TokenReport] = []
      for handset in daemon.allHandsets { tokens += try await handset.access.tokens() }
      return tokens
    },
    DaemonRoute(
      "PUT", "/v1/all-handsets/apps/{id}", "installOnAll", in: .apps,
      "Install an app on all handsets, or replace its bundle",
      details: "On one handset after the other. A handset that refuses it does not keep it from the others; its "
        + "report has the refusal. A bundle that is wrong is installed on none.",
      body: BundleUpload(files: ["app.yaml": Data("id: com.example.mail\nname: Mail\n".utf8)]),
      bodyLimit: ControlLimits.bundleBodyBytes,
      answer: "Installed, except on the handsets whose reports have a refusal."
    ) { daemon, request -> [HandsetInstallReport] in
      let bundle = try AppsResource.bundle(in: request)
      var reports: [HandsetInstallReport] = []
      for handset in daemon.allHandsets {
        do throws(ControlError) {
          let report = try await handset.install(bundle)
          reports.append(HandsetInstallReport(handset: handset.name, app: report.app, notes: report.notes))
        } catch {
          guard error.status != 400 else { throw error }
          let refusal = HandsetInstallReport.Refusal(status: error.status, error: error.message, hint: error.hint)
          reports.append(HandsetInstallReport(handset: handset.name, refusal: refusal))
        }
      }
      return reports
    },
  ]
}

extension ControlClient {
  public func handsets() async throws -> [HandsetReport] { try await get("/v1/handsets") }

  public func allTokens() async throws -> [TokenReport] { try await get("/v1/all-handsets/tokens") }

  public func installOnAll(_ id: String, _ bundle: BundleUpload) async throws -> [HandsetInstallReport] {
    try await send("PUT", daemonPath("all-handsets", "apps", id), bundle, timeout: .seconds(3600))
  }
}
