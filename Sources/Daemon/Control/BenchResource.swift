import Glibc
import HTTP
import HandsetCore
import PushPort

public struct BenchReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A test bench: where its push port is, and the credentials that it accepts and verifies."

  public var url: String
  public var certificateAuthority: String
  public var key: String
  public var keyID: String
  public var teamID: String
  public var clock: String?
  public var environment: String
  public var process: Int
  public var tokens: [BenchTokenReport]

  static let meanings: [String: Meaning] = [
    "url": "The address of the push port: https://127.0.0.1:PORT.",
    "certificateAuthority": "The file of the certificate authority's certificate, PEM.",
    "key": "The file of the private key with which a provider signs its tokens: .p8, as Apple gives it out.",
    "clock": "The file that has the virtual clock's time, as libfaketime reads it; absent if there is none.",
    "environment": "The Apple push environment that the port acts as: development or production.",
    "process": .count("The daemon's process number: SIGTERM ends the bench, and removes its folder."),
    "tokens": "A device token of each handset, for whichever app is first pushed to with it.",
  ]
}

public struct BenchTokenReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A device token of a bench."

  public var handset: String
  public var token: String
  public var app: String?

  static let meanings: [String: Meaning] = [
    "app": "The app that has it; absent if it is for whichever app is first pushed to with it."
  ]
}

struct BenchTokenRequest: RequestBody, Sendable {
  static let meaning = "The app whose device token is wanted."

  var app: String
  var environment: String?

  static let meanings: [String: Meaning] = [
    "app": "A bundle identifier. An app that is not installed comes to be, registered for everything.",
    "environment":
      "The token's push environment from now on: development or production. Absent for the one that the port acts as.",
  ]
}

enum BenchResource {
  static let ofHandsets: [HandsetRoute] = [
    HandsetRoute(
      "POST", "/bench/tokens", "benchToken", in: .bench, "The device token of an app, which comes to be",
      body: BenchTokenRequest(app: "com.example.mail"), answer: "The token.", refusals: [409: ""]
    ) { handset, request -> BenchTokenReport in
      let bench = try handset.daemon.requireBenchSetup()
      let body = try request.body(BenchTokenRequest.self)
      let (name, environment) = (body.app, body.environment.flatMap { PushEnvironment(rawValue: $0) })
      if let unknown = body.environment, environment == nil {
        throw ControlError(
          400, "environment: '\(shown(unknown))' is no push environment", hint: "expected development or production")
      }
      guard let app = AppID(name) else {
        throw ControlError(
          400, "'\(shown(name))' is no bundle identifier",
          hint: "expected letters, digits, dots and dashes, as in com.example.mail")
      }
      guard let token = await bench.apps.token(of: app, on: handset.id) else {
        throw ControlError(409, "\(app) cannot be installed", hint: "uninstall another app")
      }
      bench.apps.set(environment, of: token)
      return BenchTokenReport(handset: handset.name, token: token.hex, app: app.text)
    }
  ]

  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/bench", "bench", in: .bench, "The bench, and the credentials for it", answer: "The bench.",
      refusals: [404: ControlError.noBench]
    ) { daemon, _ in try daemon.benchReport() },
    DaemonRoute(
      "POST", "/v1/bench/reset", "resetBench", in: .bench, "Bring the bench back to its start, but for the clock",
      refusals: [404: ControlError.noBench]
    ) { daemon, _ in try await daemon.resetBench(nil) },
    DaemonRoute(
      "POST", "/v1/handsets/{handset}/bench/reset", "resetBenchHandset", in: .bench,
      "Bring one handset back to its start, with what concerns it alone", refusals: [404: ControlError.noBench]
    ) { daemon, request in try await daemon.resetBench(daemon.handset(named: request.parameter("handset")).id) },
  ]
}

extension ControlParts {
  /// - Throws: `ControlError` 404 for a desk's daemon.
  func requireBenchSetup() throws(ControlError) -> BenchSetup {
    guard let benchSetup else { throw .notABench }
    return benchSetup
  }

  fileprivate func benchReport() throws(ControlError) -> BenchReport {
    let bench = try requireBenchSetup()
    return BenchReport(
      url: "https://\(pushAddress)", certificateAuthority: bench.credentials.authorityFile,
      key: bench.credentials.keyFile, keyID: BenchCredentials.keyID, teamID: BenchCredentials.teamID,
      clock: bench.clockFile, environment: bench.apps.environment.rawValue, process: Int(getpid()),
      tokens: handsets.all.compactMap { handset in
        bench.tokens[handset.id].map { BenchTokenReport(handset: handset.name, token: $0.hex) }
      })
  }

  /// - Parameter handset: nil for all of them.
  fileprivate func resetBench(_ handset: HandsetID?) async throws(ControlError) {
    let bench = try requireBenchSetup()
    do {
      try await bench.reset(handset, of: handsets, on: host)
    } catch {
      throw ControlError(failure: error)
    }
    counters.forgetStored(on: handset.map { [$0] } ?? handsets.all.map(\.id))
  }
}

extension ControlClient {
  public func bench() async throws -> BenchReport { try await get("/v1/bench") }

  /// Brings the bench back to its start, or only the handset that this client names.
  public func resetBench() async throws {
    try await send("POST", namesHandset ? path("bench", "reset") : "/v1/bench/reset")
  }

  /// Returns the device token of an app, which comes to be if it is not installed.
  public func benchToken(of app: String) async throws -> BenchTokenReport {
    try await send("POST", path("bench", "tokens"), BenchTokenRequest(app: app))
  }
}
