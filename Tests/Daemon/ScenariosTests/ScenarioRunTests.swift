import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Scenarios

/// What a runner asks of a bench, over a real socket. It has no handset: each advance of its clock makes the requests
/// that a test has planned.
private final class StubBench: Sendable {
  struct State {
    var uptime: Int64 = 0
    var requests: [JSONValue] = []
    var planned: [JSONValue] = []
    var lintedProvider = "mailer"
    var faults: [[String: JSONValue]] = []
    /// The events of each push.
    var events: [JSONValue] = [["sequence": .integer(1), "event": "fault-struck"]]
    /// Method, path and body of what changes something.
    var orders: [String] = []
  }

  let state = Mutex(State())
  let folder: TemporaryFolder
  var socket: String { "\(folder.path)/control.sock" }

  init() throws { folder = try TemporaryFolder() }

  /// Runs a scenario of these lines.
  func run(_ text: String, patience: Duration = .milliseconds(200)) async throws -> ScenarioResult {
    let server = try await HTTPServer.start(HTTPService(RouteTable(routes)), on: .unixSocket(path: socket))
    let file = "\(folder.path)/try.yaml"
    try folder.write("try.yaml", text)
    var patience = ScenarioPatience(expectation: patience)
    patience.quiet = .milliseconds(10)
    let suite = ScenarioSuite(
      patience: patience, out: "\(folder.path)/out", environment: ["PATH": "/usr/bin:/bin"],
      makeBench: { [socket] in try await ScenarioBench.existing(socket: socket) })
    let results = try await suite.run([try ScenarioReader().scenario(contentsOf: file)])
    await server.shutdown()
    return try #require(results.first)
  }

  func log() throws -> String { try String(contentsOfFile: "\(folder.path)/out/try/provider.log", encoding: .utf8) }

  /// Plans a request for the next advance.
  func plan(_ number: Int64, status: Int64, fault: String? = nil, id: String = "8C072DB2") {
    let answer: [String: JSONValue] = [
      "status": .integer(status), "by": .string(fault == nil ? "handset" : "fault"),
      "fault": fault.map { .string($0) } ?? .null,
    ]
    let request: JSONValue = [
      "request": .integer(number), "connection": .integer(4), "headers": [["apns-id", .string(id)]],
      "wallMicroseconds": .integer(36_000_000_000), "app": "mail", "push": .string(id), "answer": .object(answer),
    ]
    state.withLock { $0.planned.append(request) }
  }

  private func order(_ request: HTTPRequest) {
    // Its keys are sorted when it is encoded again.
    let body = (try? request.json(JSONValue.self).encoded()) ?? []
    let text = "\(request.method) \(request.target.path) \(String(decoding: body, as: UTF8.self))"
    state.withLock { $0.orders.append(text) }
  }

  private var clock: HTTPResponse {
    get throws {
      let uptime = state.withLock(\.uptime)
      return try .json(["uptimeMicroseconds": uptime, "wallMicroseconds": 36_000_000_000 + uptime])
    }
  }

  private var routes: [Route] {
    func changing(_ method: String, _ pattern: String, _ answer: JSONValue = [:]) -> Route {
      Route(method, pattern) { [self] request in
        order(request)
        return try .json(answer)
      }
    }
    return [
      changing("POST", "/v1/bench/reset"), changing("PUT", "/v1/apps/{id}"),
      changing("POST", "/v1/apps/{id}/register", ["token": "70"]),
      changing("POST", "/v1/fetch"), changing("PUT", "/v1/conditions/{name}"), changing("DELETE", "/v1/faults/{name}"),
      Route("GET", "/v1/bench") { _ in
        let values: JSONValue = ["url": "https://127.0.0.1:2197", "key": "/k.p8", "keyID": "ABC"]
        return try .json(values)
      },
      Route("GET", "/v1/apps/{id}/activities") { [self] _ in
        // It has one more activity with a token each time that somebody fetches, and one without.
        let count = state.withLock { $0.orders.count { $0.contains("/v1/fetch") } }
        let without: JSONValue = ["id": .integer(1)]
        let activities = (0..<count).map { number -> JSONValue in ["token": .string("a\(number)")] } + [without]
        let answer: JSONValue = ["startToken": "5a", "activities": .array(activities)]
        return try .json(answer)
      },
      Route("GET", "/v1/requests") { [self] request in
        let after = Int(request.target.queryValue("after") ?? "") ?? 0
        let found = state.withLock { $0.requests }.dropFirst(after)
        return try .json(["requests": request.target.queryValue("last") == nil ? Array(found) : found.suffix(1)])
      },
      Route("GET", "/v1/clock") { [self] _ in try clock },
      Route("POST", "/v1/clock/advance") { [self] request in
        let seconds = try request.json([String: Int64].self)["seconds"] ?? 0
        state.withLock { state in
          state.uptime += seconds * 1_000_000
          for case .object(var next) in state.planned.prefix(1) {
            next["uptimeMicroseconds"] = .integer(state.uptime)
            state.requests.append(.object(next))
          }
          state.planned = Array(state.planned.dropFirst())
        }
        return try clock
      },
      Route("GET", "/v1/state") { _ in
        let state: JSONValue = ["lastEvent": .integer(0), "presentation": ["digits": "   2"]]
        return try .json(state)
      },
      Route("GET", "/v1/faults") { [self] _ in
        try .json(["faults": state.withLock { $0.faults }])
      },
      Route("POST", "/v1/faults") { [self] request in
        order(request)
        var fault = try request.json([String: JSONValue].self)
        fault["hits"] = .integer(0)
        let armed = fault
        state.withLock { $0.faults.append(armed) }
        return try .json(armed)
      },
      Route("GET", "/v1/lint") { [self] request in
        let after = Int64(request.target.queryValue("after") ?? "") ?? 0
        guard after < state.withLock({ $0.requests.count }) else { return try .json(["findings": [JSONValue]()]) }
        let finding: JSONValue = [
          "code": "L101", "request": .integer(after + 1), "sentence": "The request has no apns-push-type.",
          "remedy": "Send it.", "provider": .string(state.withLock(\.lintedProvider)),
        ]
        return try .json(["findings": [finding]])
      },
      Route("GET", "/v1/pushes/{id}/explanation") { [self] _ in
        let events = state.withLock(\.events)
        return try .json(["summary": .string("It did not ring."), "events": JSONValue.array(events)])
      },
    ]
  }
}

@Suite struct ScenarioRunTests {
  @Test func aProviderIsStartedToldAndEnded() async throws {
    let bench = try StubBench()
    let result = try await bench.run(
      """
      scenario: a provider
      provider:
        run: sh -c "echo $$ $BELL_KEY_ID $WORD; while read line; do echo got $line; done; echo end >&2"
        env: { WORD: "${mail.token}" }
        ready: { line: ABC }
      apps: { mail: {} }
      steps:
        - tell: a letter
        - expect: { says: got a letter }
      """)
    #expect(result.failure == nil)
    #expect(result.passed)
    let lines = try bench.log().split(separator: "\n")
    #expect(lines[0].hasSuffix(" ABC 70"))
    #expect(lines[1] == "got a letter")
    // It has ended, and is no zombie.
    let process = try #require(lines[0].split(separator: " ").first.flatMap { pid_t($0) })
    #expect(kill(process, 0) == -1)
    #expect(errno == ESRCH)
  }

  @Test func tokensOfLiveActivitiesAreKnownWhenTheyAreTold() async throws {
    let bench = try StubBench()
    let result = try await bench.run(
      """
      scenario: tokens
      provider: { run: cat }
      apps: { match: { live-activity: { display: goals } } }
      steps:
        - tell: start ${match.start-token}
        - fetch: all
        - fetch: match
        - tell: update ${match.activity-token}
        - expect: { says: start 5a }
        - expect: { says: update a1 }
      """)
    #expect(result.failure == nil)
    #expect(bench.state.withLock(\.orders).suffix(2) == ["POST /v1/fetch {}", #"POST /v1/fetch {"app":"match"}"#])
    let early = try await StubBench().run(
      """
      scenario: no activity
      provider: { run: cat }
      apps: { match: { live-activity: { display: goals } } }
      steps:
        - tell: update ${match.activity-token}
      """)
    #expect(early.failure?.sentence == "${match.activity-token} has no value: the bench did not give one")
  }

  @Test func aProviderThatEndsIsAFailureAtOnce() async throws {
    let early = try await StubBench().run(
      """
      scenario: a provider
      provider:
        run: sh -c "echo no key >&2; exit 3"
        ready: { line: ready }
      steps: [settle]
      """)
    #expect(early.failure?.line == 3)
    #expect(early.failure?.sentence == "the provider ended with 3 before it was ready")
    #expect(early.failure?.provider == "no key")
    #expect(early.failure?.log?.hasSuffix("/out/try/provider.log:1") == true)
    let missing = try await StubBench().run("scenario: a\nprovider: { run: no-such-mailer }\nsteps: [settle]\n")
    #expect(
      missing.failure?.sentence == "there is no program 'no-such-mailer': install it, or correct 'run'")
    let start = ContinuousClock.now
    let later = try await StubBench().run(
      """
      scenario: a provider
      provider: { run: "true" }
      steps:
        - expect: { answer: 200 }
      """, patience: .seconds(3_600))
    #expect(later.failure?.sentence == "no answer 200 came: there is no first attempt")
    #expect(later.failure?.happened == ["no request came", "the provider ended with 0"])
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func answersAreMatchedInTheHandsetsTime() async throws {
    let bench = try StubBench()
    bench.plan(1, status: 503, fault: "busy")
    bench.plan(2, status: 503, fault: "busy", id: "1D522DB2")
    let result = try await bench.run(
      """
      scenario: 503 twice
      faults: { busy: { pushes: 1-2, answer: 503 } }
      steps:
        - advance: 1s
        - expect: { answer: 503, fault: busy }
        - advance: { by: 4s, every: 2s }
        - expect: { answer: 503, after-previous: 2s }
        - expect: { answer: 200, after-previous: ">= 3s" }
      """)
    let failure = try #require(result.failure)
    #expect(
      failure.text == """
        FAIL try.yaml:8  no answer 200 came: there is no third attempt
          expected  answer 200, at least 3 s after the previous, before 10:00:05.000
          happened  10:00:00.000 #1 c1 mail id 8C07… 503 fault busy (1 of 2)
                    10:00:00.000 #2 c1 mail id 1D52… 503 fault busy (2 of 2)
                    nothing since
          explain   1D52…: refused 503 (fault busy), nothing presented
        """)
    #expect(
      bench.state.withLock(\.orders) == [
        "POST /v1/bench/reset ", #"POST /v1/faults {"answer":503,"name":"busy","pushes":"1-2"}"#,
      ])
  }

  @Test func anAnswerAfterTheCommitIsNoRefusal() async throws {
    let bench = try StubBench()
    bench.plan(1, status: 503, fault: "late")
    bench.state.withLock { $0.events.append(["sequence": .integer(2), "event": "accepted"]) }
    let result = try await bench.run(
      """
      scenario: after the commit
      faults: { late: { answer: 503, at: after-commit } }
      steps:
        - advance: 1s
        - expect: { answer: 200 }
      """)
    #expect(result.failure?.explain == ["8C07…: It did not ring."])
  }

  @Test func moreRequestsThanExpectedFail() async throws {
    let bench = try StubBench()
    bench.plan(1, status: 200)
    bench.plan(2, status: 200)
    let result = try await bench.run(
      """
      scenario: one request
      steps:
        - advance: 1s
        - expect: { requests: { app: mail, count: 1 }, board: { digits: "2" } }
        - advance: 1s
        - expect: { requests: { count: 1 } }
      """)
    #expect(result.failure?.line == 6)
    #expect(result.failure?.sentence == "2 requests came, not 1")
    #expect(result.failure?.explain == ["8C07…: It did not ring."])
  }

  @Test func aFindingOfTheLinterFails() async throws {
    let bench = try StubBench()
    bench.plan(1, status: 200)
    let result = try await bench.run(
      "scenario: lint\nsteps:\n  - expect: { lint: none }\n  - advance: 1s\n  - expect:\n      lint: none\n")
    #expect(result.failure?.line == 6)
    #expect(result.failure?.sentence == "#1: The request has no apns-push-type (lint L101)")
    #expect(result.failure?.expected == "no lint: Send it.")
  }

  @Test func thePushesOfTheScenarioAreNotJudgedByTheLinter() async throws {
    let bench = try StubBench()
    bench.state.withLock { $0.lintedProvider = "panel" }
    bench.plan(1, status: 200)
    let result = try await bench.run("scenario: lint\nsteps:\n  - advance: 1s\n  - expect: { lint: none }\n")
    #expect(result.failure == nil)
  }

  @Test func aFaultThatNeverStruckFails() async throws {
    let bench = try StubBench()
    let never = try await bench.run(
      "scenario: a\nfaults:\n  busy: { answer: 503 }\nsteps:\n  - condition: offline on\n")
    #expect(never.failure?.line == 3)
    #expect(never.failure?.sentence == "fault busy never struck: no request was in its scope")
    #expect(bench.state.withLock(\.orders).last == #"PUT /v1/conditions/offline {"value":"on"}"#)
  }

  @Test func aRefusalOfTheBenchIsAFailureOfItsLine() async throws {
    let result = try await StubBench().run("scenario: a\nsteps:\n  - launch: mail\n")
    #expect(result.failure?.line == 3)
    #expect(result.failure?.sentence.hasPrefix("the bench refused it: ") == true)
  }

  @Test func aTellThatIsRefusedFails() async throws {
    let port = try #require(freePort())
    let result = try await StubBench().run(
      """
      scenario: a provider
      provider: { run: sleep 60 }
      steps:
        - tell: POST http://127.0.0.1:\(port)/mail {}
        - expect: { requests: { count: 1 } }
      """, patience: .seconds(3_600))
    #expect(result.failure?.line == 4)
    #expect(result.failure?.sentence.hasPrefix("the provider could not be told: ") == true)
  }

  @Test func benchesAreReadFromWhatTheyPrint() async throws {
    #expect(
      ScenarioBench.printedValues([#"{"BELL_CONTROL":"/x","#, #""BELL_PID":3}"#]) == [
        "BELL_CONTROL": "/x", "BELL_PID": "3",
      ])
    #expect(ScenarioBench.printedValues(["{"]) == nil)
    await #expect(throws: BenchProblem.self) {
      try await ScenarioBench.started(["/bin/false"], environment: [:])
    }
  }
}
