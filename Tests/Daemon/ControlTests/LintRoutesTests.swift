// The linter's findings, through the control socket.

import HandsetCore
import Lint
import PushPort
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct LintRoutesTests {
  /// A background update with priority 10, answered 200.
  @discardableResult
  private func send(_ bench: Bench, priority: String, id: Int, provider: String = "mailer") -> Int {
    let fields = [
      "apns-topic": mail, "apns-push-type": "background", "apns-priority": priority, "apns-expiration": "0",
      "apns-id": "123e4567-e89b-12d3-a456-42665544000\(id)",
    ]
    let request = RecordedRequest(
      connection: 1, stream: 1, frontEnd: "apns", method: "POST", path: "/3/device/0f",
      headers: fields.sorted { $0.key < $1.key }.map { RecordedField($0.key, $0.value) })
    let number = bench.requestBegan(request).number
    let payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
    bench.bodyReceived(payload, size: payload.count, of: number, provider: provider)
    bench.answered(number, RecordedAnswer(status: 200, by: .handset), provider: provider)
    return number
  }

  @Test(.daemon) func aDeskHasNoLinter() async throws {
    try await asker.refuses(["GET /v1/lint": notABench])
  }

  @Test("Findings are live, of all providers or one, from a request on, and marks on the requests")
  func findings() async throws {
    try await withServer(ControlRig(isBench: true)) { asker, rig async throws in
      let bench = try #require(rig.bench)
      #expect(try await asker.client.lint() == LintReport(findings: [], dropped: 0))
      send(bench, priority: "5", id: 1)
      send(bench, priority: "10", id: 2)
      send(bench, priority: "10", id: 3, provider: "printer")
      let findings = try await asker.client.lint().findings
      #expect(findings.map(\.code) == ["L105", "L105"])
      #expect(findings.map(\.request) == [2, 3] && findings.map(\.provider) == ["mailer", "printer"])
      #expect(findings.first?.sentence == "A background push has priority '10'.")
      #expect(try await asker.client.lint(after: 2).findings.map(\.request) == [3])
      #expect(try await asker.client.lint(provider: "mailer").findings.map(\.request) == [2])
      #expect(try await asker.client.lint(provider: "nobody").findings == [])
      #expect(try await asker.client.lint(handset: "1").findings == [])
      #expect(try await asker.client.requests().map(\.lint) == [[], ["L105"], ["L105"]])
      try await asker.refuses([
        "GET /v1/lint?after=x": "400 after is a request's number, 0 or more, not 'x'",
        "GET /v1/lint?name=x": "400 …",
      ])
    }
  }

  @Test("A request without an answer is examined at its end, once")
  func ends() async throws {
    try await withServer(ControlRig(isBench: true)) { asker, rig async throws in
      let bench = try #require(rig.bench)
      let head = RecordedRequest(connection: 1, stream: 1, frontEnd: "none", method: "", path: "", headers: [])
      let number = bench.requestBegan(head).number
      bench.ended(number, "reset")
      bench.ended(number, "cut")
      #expect(try await asker.client.lint().findings.map(\.code) == ["L119"])
    }
  }

  @Test("Requests are examined when somebody asks, in the order of their ends")
  func examining() {
    let (ring, log) = (RequestRing(), LintLog())
    for stream in 1...4 {
      var request = RecordedRequest(
        connection: 1, stream: UInt32(stream), frontEnd: "none", method: "", path: "", headers: [])
      if stream == 4 { request.handset = "kitchen" }
      _ = ring.append(request)
    }
    for number in [3, 1, 4] { ring.change(number) { $0.end = "reset" } }
    #expect(log.report().findings.isEmpty && ring[3]?.lint == [])
    ring.forget(of: "kitchen")
    #expect(log.examine(ring) == 3 && log.examine(ring) == 3)
    #expect(log.report().findings.map(\.request) == [3, 1])
    #expect((1...4).map { ring[$0]?.lint } == [["L119"], [], ["L119"], []])
    ring.change(2) { $0.end = "reset" }
    #expect(log.examine(ring) == 4 && log.report().findings.map(\.request) == [3, 1, 2])
    ring.removeAll()
    #expect(log.examine(ring) == 4)
  }

  @Test("Requests are examined before they leave, if nobody has asked")
  func leaving() async throws {
    try await withServer(ControlRig(isBench: true)) { _, rig async throws in
      let bench = try #require(rig.bench)
      let head = RecordedRequest(connection: 1, stream: 1, frontEnd: "none", method: "", path: "", headers: [])
      for _ in 0..<RequestRing.Limits.requests + 1_000 { bench.ended(bench.requestBegan(head).number, "reset") }
      bench.examine()
      let report = bench.lint.report()
      #expect(report.findings.count == LintLog.limit && report.dropped == 1_000)
    }
  }

  @Test("Of too many findings the oldest leave, and removing forgets all")
  func bounds() {
    let log = LintLog()
    var request = RecordedRequest(
      connection: 1, stream: 1, frontEnd: "none", method: "", path: "", headers: [])
    request.end = "reset"
    for number in 1...LintLog.limit + 1 {
      request.number = number
      #expect(log.note(request) == ["L119"])
    }
    let report = log.report()
    #expect(report.findings.count == LintLog.limit && report.findings.first?.request == 2 && report.dropped == 1)
    log.removeAll()
    #expect(log.report() == LintReport(findings: [], dropped: 0))
  }
}
