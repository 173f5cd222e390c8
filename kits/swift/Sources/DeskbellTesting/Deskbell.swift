import Foundation
import Synchronization

/// The bench, as one test sees it: an app on a handset, the push port, and what has happened there since the test began.
///
/// `Deskbell.current` is the one of the running test, which has the trait `.deskbell(app:)`.
public struct Deskbell: Sendable {
  @TaskLocal static var ofTest: Deskbell?

  /// The bench of the running test. Stops the program in a test without the trait `.deskbell(app:)`.
  public static var current: Deskbell {
    guard let bell = ofTest else {
      preconditionFailure("this test has no bench: write @Test(.deskbell(app: \"mail\"))")
    }
    return bell
  }

  /// The address of the push port, for a provider: `https://127.0.0.1:41234`.
  public let url: String
  /// The file of the certificate authority that the provider has to trust, in PEM.
  public let ca: String
  /// The file of the key for provider tokens (ES256), in PEM.
  public let key: String
  public let keyID: String
  public let teamID: String
  /// A file with the handset's time, for a provider that takes its clock from one; nil if the bench has none.
  public let clock: String?
  /// The app's bundle identifier, which is the topic of its pushes.
  public let app: String
  /// The app's device token.
  public let token: String
  /// The name of the test's own handset; nil if the test has the bench to itself.
  public let handset: String?
  let control: ControlSocket
  /// The names of the faults that may never strike.
  private let optional: FaultNames

  /// - Parameter handset: nil for the one on the board.
  init(_ control: ControlSocket, app: String, handset: String?) async throws {
    try await self.init(control, app: app, handset: handset, optional: FaultNames())
  }

  private init(_ control: ControlSocket, app: String, handset: String?, optional: FaultNames) async throws {
    let bench = try await control.get("/v1/bench", as: BenchReport.self)
    (url, ca, clock) = (bench.url, bench.certificateAuthority, bench.clock)
    (key, keyID, teamID) = (bench.key, bench.keyID, bench.teamID)
    (self.app, self.handset, self.control, self.optional) = (app, handset, control, optional)
    token = try await Self.token(of: app, handset, control)
  }

  /// The same bench and handset with another app.
  func with(app: String) async throws -> Deskbell {
    try await Deskbell(control, app: app, handset: handset, optional: optional)
  }

  /// Returns the device token of any app. The app comes to be when it is first named.
  public func token(of app: String) async throws -> String { try await Self.token(of: app, handset, control) }

  // MARK: Faults

  /// Arms a fault. One that never strikes fails the test, because the test then did not try what it says.
  ///
  /// - Parameters:
  ///   - pushes: which of the requests, counted from 1 since now; nil for all.
  ///   - app: only requests for this app; nil for those of every app.
  ///   - token: only requests for this device token.
  ///   - connection: only requests on the connection of this number, as the recorder counts them.
  ///   - every: each n-th request.
  ///   - share: each request with this probability, 0 to 1; `seed` decides which.
  ///   - count: the fault ends after so many hits.
  ///   - time: it ends after this time on the handset's clock.
  ///   - mayMiss: true if the test passes also if it never strikes.
  /// - Throws: `BenchError` with what is wrong and what is valid.
  @discardableResult
  public func fault(
    _ fault: Fault, name: String? = nil, pushes: ClosedRange<Int>? = nil, app: String? = nil, token: String? = nil,
    provider: String? = nil, connection: Int? = nil, every: Int? = nil, share: Double? = nil, seed: Int? = nil,
    count: Int? = nil, for time: Duration? = nil, mayMiss: Bool = false
  ) async throws -> ArmedFault {
    let whole = fault.adding([
      "name": .text(name), "pushes": .text(pushes.map { "\($0.lowerBound)-\($0.upperBound)" }), "app": .text(app),
      "token": .text(token), "provider": .text(provider), "handset": .text(handset),
      "connection": .number(connection), "every": .number(every), "share": share.map { .share($0) },
      "seed": .number(seed), "count": .number(count), "for": .time(time),
    ])
    let report = try await control.send("POST", "/v1/faults", body: whole.words, as: FaultReport.self)
    let armed = ArmedFault(report, control: control)
    if mayMiss { optional.names.withLock { $0.formUnion(armed.names) } }
    return armed
  }

  // MARK: What happened

  /// The requests since the test began, refused ones too.
  ///
  /// - Parameter app: nil for those of all apps.
  public func requests(app: String? = nil) async throws -> RecordedRequests {
    let query = ["app": app, "handset": handset].compactMapValues(\.self)
    return RecordedRequests(requests: try await control.get("/v1/requests", query, as: RequestList.self).requests)
  }

  /// Waits until so many requests have ended, for a provider that sends on its own.
  ///
  /// - Parameters:
  ///   - advancing: advances the clock by at most this time meanwhile, second by second.
  ///   - timeout: in real time, after that.
  /// - Throws: `BenchError` if fewer came.
  public func requests(
    app: String? = nil, atLeast count: Int, advancing time: Duration = .zero, timeout: Duration = .seconds(10)
  ) async throws -> RecordedRequests {
    let query = ["app": app, "handset": handset, "follow": "true"].compactMapValues(\.self)
    var seconds = time.components.seconds
    while true {
      let pause = seconds > 0 ? Self.reactionTime : timeout
      let found = try await control.countLines("/v1/requests", query, upTo: count, within: pause)
      if found >= count { return try await requests(app: app) }
      guard seconds > 0 else { throw BenchError("only \(found) of \(count) requests came") }
      seconds -= 1
      try await advance(by: .seconds(1))
    }
  }

  /// The real time that a provider has to notice that the clock has advanced by a second.
  private static let reactionTime: Duration = .milliseconds(30)

  /// Waits until nothing is under way any more: commit, digits, lamp, sound, hook.
  ///
  /// - Parameters:
  ///   - push: only this push, by its `apns-id`; nil for all of the app.
  ///   - timeout: in real time.
  /// - Throws: `BenchError` if something is still under way then.
  public func settled(push: String? = nil, timeout: Duration = .seconds(10)) async throws -> Settled {
    let query = push.map { ["push": $0] } ?? ["app": app]
    let report = try await control.get(
      path("/settled"), query.merging(["timeout": FaultValue.text(timeout)]) { $1 }, waiting: timeout,
      as: SettledReport.self)
    guard report.settled else { throw BenchError("something is still under way after \(FaultValue.text(timeout))") }
    return Settled(pushes: report.pushes, requests: try await requests(app: push == nil ? app : nil))
  }

  /// Why a push rang, or did not: a sentence or two.
  public func explain(_ push: String) async throws -> String {
    try await control.get(path("/pushes/\(push)/explanation"), as: Explanation.self).summary
  }

  /// The linter's findings about the requests since the test began; none is best.
  public func lint() async throws -> [LintFinding] {
    let findings = try await control.get("/v1/lint", as: LintReport.self).findings
    guard handset != nil else { return findings }
    let numbers = Set(try await requests().map(\.number))
    return findings.filter { numbers.contains($0.request) }
  }

  /// The handset's board now.
  public var board: Board {
    get async throws { try await control.get(path("/state"), as: StateReport.self).presentation }
  }

  // MARK: Time

  /// The handset's wall time. Provider tokens are judged by it.
  public var now: Date {
    get async throws {
      let clock = try await control.get("/v1/clock", as: ClockReport.self)
      return Date(timeIntervalSince1970: Double(clock.wallMicroseconds) / 1_000_000)
    }
  }

  /// Advances the clock, which all handsets share. Everything that falls due on the way happens, in order.
  ///
  /// - Parameter time: whole seconds, at least one.
  public func advance(by time: Duration) async throws {
    try await control.bytes(
      "POST", "/v1/clock/advance", body: ["seconds": time.components.seconds], waiting: .seconds(600))
  }

  // MARK: The beginning and the end of a test

  /// The names of the faults that were armed and have not struck.
  func unfiredFaults() async throws -> [String] {
    let unfired = try await control.get("/v1/faults", as: FaultList.self).faults.filter { $0.hits == 0 && isOurs($0) }
    return optional.names.withLock { optional in unfired.map(\.name).filter { !optional.contains($0) } }
  }

  func removeFaults() async throws {
    for fault in try await control.get("/v1/faults", as: FaultList.self).faults where isOurs(fault) {
      try await control.bytes("DELETE", "/v1/faults/\(fault.name)")
    }
  }

  private func isOurs(_ fault: FaultReport) -> Bool { handset == nil || fault.handset == handset }

  /// Returns the path of a resource of the test's handset.
  func path(_ resource: String) -> String { handset.map { "/v1/handsets/\($0)\(resource)" } ?? "/v1\(resource)" }

  private static func token(of app: String, _ handset: String?, _ control: ControlSocket) async throws -> String {
    let resource = handset.map { "/v1/handsets/\($0)/bench/tokens" } ?? "/v1/bench/tokens"
    return try await control.send("POST", resource, body: ["app": app], as: AppToken.self).token
  }
}

private final class FaultNames: Sendable {
  let names = Mutex<Set<String>>([])
}

private struct BenchReport: Decodable {
  var url: String
  var certificateAuthority: String
  var key: String
  var keyID: String
  var teamID: String
  var clock: String?
}

private struct AppToken: Decodable {
  var token: String
}

struct RequestList: Decodable, Sendable {
  var requests: [RecordedRequest]
}

private struct SettledReport: Decodable {
  var settled: Bool
  var pushes: [SettledPush]
}

struct Explanation: Decodable {
  var summary: String
}

private struct ClockReport: Decodable {
  var wallMicroseconds: Int64
}

private struct LintReport: Decodable {
  var findings: [LintFinding]
}

struct StateReport: Decodable {
  var presentation: Board
}
