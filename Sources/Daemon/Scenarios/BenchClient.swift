import FoundationEssentials
import Glibc
import HTTP

/// The control API of a bench, as far as scenarios use it. The shapes are those of `openapi.json`; what a scenario does
/// not use is not read.
struct BenchClient: Sendable {
  let http: HTTPClient

  init(socket: String) { http = HTTPClient(.unixSocket(path: socket)) }

  struct App: Decodable, Sendable { var token: String }
  struct Installed: Decodable, Sendable { var app: App }
  struct Activities: Decodable, Sendable {
    struct Activity: Decodable, Sendable { var token: String? }
    var startToken: String?
    var activities: [Activity]
  }
  struct Requests: Decodable, Sendable { var requests: [SeenRequest] }
  struct Clock: Decodable, Sendable {
    var uptimeMicroseconds: Int64
    var wallMicroseconds: Int64
  }
  struct State: Decodable, Sendable {
    struct Presentation: Decodable, Sendable {
      struct Lamp: Decodable, Sendable { var pattern: String }
      var digits: String?
      var lamp: Lamp?
    }
    var presentation: Presentation
    var lastEvent: UInt64
  }
  struct Notification: Decodable, Sendable {
    var app: String
    var title: String?
    var body: String?
  }
  struct Explanation: Decodable, Sendable {
    var summary: String
    var events: [SeenEvent]

    /// False if the handset never got the push: then nothing but faults is known of it.
    var reachedHandset: Bool { events.contains { $0.event != "fault-struck" } }
  }
  struct SettledPush: Decodable, Sendable {
    var push: String
    var app: String?
    var rang: Bool
    var presented: Int
    var why: String?
  }
  struct Settled: Decodable, Sendable {
    var settled: Bool
    var pushes: [SettledPush]
  }
  struct Fault: Decodable, Sendable {
    var name: String
    var hits: Int
  }
  struct Faults: Decodable, Sendable { var faults: [Fault] }
  struct Finding: Decodable, Sendable {
    var request: UInt64
    var code: String
    var sentence: String
    var remedy: String
    /// Nil if it is not known, as for a refused token.
    var provider: String?
  }
  struct Lint: Decodable, Sendable { var findings: [Finding] }

  func get<Value: Decodable>(_ target: String) async throws -> Value {
    let answer = try await http.send("GET", "/v1" + target)
    try answer.requireSuccess()
    return try decoded(answer)
  }

  @discardableResult
  func send(
    _ method: String, _ path: [String], _ body: JSONValue? = nil, timeout: Duration = .seconds(60)
  ) async throws -> HTTPClient.Answer {
    let target = "/v1" + path.map { "/" + RequestTarget.encodedSegment($0) }.joined()
    let answer =
      if let body { try await http.send(method, target, json: body, timeout: timeout) } else {
        try await http.send(method, target, timeout: timeout)
      }
    try answer.requireSuccess()
    return answer
  }

  func decoded<Value: Decodable>(_ answer: HTTPClient.Answer) throws -> Value {
    do {
      return try answer.json()
    } catch {
      throw HTTPClientError.malformedAnswer(http.address, reason: "it speaks another version of the control API")
    }
  }

  /// Returns what the bench tells providers, as `bell.` variables.
  func values() async throws -> [String: String] {
    let bench: [String: JSONValue] = try await get("/bench")
    let names = [
      "url": "url", "certificateAuthority": "ca", "key": "key", "keyID": "key-id", "teamID": "team-id",
      "clock": "clock",
    ]
    var values: [String: String] = [:]
    for (name, variable) in names {
      if case .string(let text)? = bench[name] { values["bell.\(variable)"] = text }
    }
    if let url = values["bell.url"].flatMap({ ScenarioURL($0) }) {
      (values["bell.host"], values["bell.port"]) = (url.host, "\(url.port)")
    }
    return values
  }

  /// Returns the device tokens for an app's Live Activities, as variables: those that it has now.
  func activityTokens(of app: String) async throws -> [String: String] {
    let found: Activities = try await get("/apps/\(RequestTarget.encodedSegment(app))/activities")
    var values: [String: String] = [:]
    values["\(app).start-token"] = found.startToken
    values["\(app).activity-token"] = found.activities.last { $0.token != nil }?.token
    return values
  }

  /// Returns the number of the bench's process; nil if it does not say it.
  func process() async throws -> pid_t? {
    let bench: [String: JSONValue] = try await get("/bench")
    guard case .integer(let number)? = bench["process"] else { return nil }
    return pid_t(exactly: number)
  }

  func reset() async throws { try await send("POST", ["bench", "reset"]) }

  /// - Parameter number: the requests after this one.
  func requests(after number: UInt64) async throws -> [SeenRequest] {
    let answer: Requests = try await get("/requests?after=\(number)")
    return answer.requests
  }

  /// Returns the number of the newest request; 0 if there is none.
  func lastRequest() async throws -> UInt64 {
    let answer: Requests = try await get("/requests?last=1")
    return answer.requests.last?.request ?? 0
  }

  func clock() async throws -> Clock { try await get("/clock") }

  func advance(seconds: Int64) async throws {
    try await send("POST", ["clock", "advance"], ["seconds": .integer(seconds)], timeout: .seconds(3_600))
  }

  func state() async throws -> State { try await get("/state") }

  /// Installs and registers an app.
  /// - Returns: its device token.
  func install(_ app: ScenarioApp) async throws -> String {
    var manifest = app.manifest
    manifest["id"] = .string(app.id)
    if manifest["name"] == nil { manifest["name"] = .string(app.id.prefix(1).uppercased() + app.id.dropFirst()) }
    // JSON is YAML.
    let file = Data(try JSONValue.object(manifest).encoded())
    let body: JSONValue = .object(["files": .object(["app.yaml": .string(file.base64EncodedString())])])
    try await send("PUT", ["apps", app.id], body)
    return try await register(app.id, ["badge", "sound", "alert"])
  }

  /// - Returns: the app's device token.
  func register(_ app: String, _ kinds: [String]) async throws -> String {
    let body: JSONValue = ["kinds": .array(kinds.map { .string($0) })]
    let answer: App = try decoded(await send("POST", ["apps", app, "register"], body))
    return answer.token
  }

  func arm(_ name: String, _ members: [String: JSONValue]) async throws {
    try await send("POST", ["faults"], .object(members.merging(["name": .string(name)]) { own, _ in own }))
  }

  func faults() async throws -> [Fault] {
    let answer: Faults = try await get("/faults")
    return answer.faults
  }

  /// Returns the linter's findings in the provider's requests, and none in those of the steps `push`, which the bench
  /// sends as its provider `panel`.
  /// - Parameter number: of requests after this one.
  func findings(after number: UInt64) async throws -> [Finding] {
    let answer: Lint = try await get("/lint?after=\(number)")
    return answer.findings.filter { $0.provider != "panel" }
  }

  /// - Parameter number: pushes with events after this one.
  func settled(app: String?, after number: UInt64) async throws -> Settled {
    try await get(
      "/settled?timeout=10s&after=\(number)" + (app.map { "&app=\(RequestTarget.encodedSegment($0))" } ?? ""))
  }

  /// Returns the notifications in Notification Center, newest first.
  func center(app: String?) async throws -> [Notification] {
    try await get("/center" + (app.map { "?app=\(RequestTarget.encodedSegment($0))" } ?? ""))
  }

  /// Returns why a push rang or did not; nil if the journal has nothing of it.
  func explanation(of push: String) async -> Explanation? {
    try? await get("/pushes/\(RequestTarget.encodedSegment(push))/explanation")
  }

  func events(after number: UInt64) async throws -> [SeenEvent] {
    let answer = try await http.send("GET", "/v1/events?after=\(number)")
    try answer.requireSuccess()
    return try answer.body.split(separator: UInt8(ascii: "\n")).map { line in
      do {
        return try JSONDecoder().decode(SeenEvent.self, from: Data(line))
      } catch {
        throw HTTPClientError.malformedAnswer(http.address, reason: "an event cannot be read")
      }
    }
  }
}
