import FoundationEssentials
import HTTP
import StrictYAML
import Testing

@testable import Scenarios

@Suite struct ScenarioJudgingTests {
  private let place = SourcePosition(file: "x.yaml", line: 16, column: 5)

  private func request(
    _ number: UInt64, at seconds: Int64 = 0, status: Int? = 200, fault: String? = nil, reason: String? = nil,
    id: String = "8C072DB2-12F5-4B70-B99F-73F50AC5525B", connection: Int = 1, payload: String = #"{"aps":{"badge":1}}"#,
    app: String = "mail", end: String? = nil, headers: [[String]] = [], struck: [String] = []
  ) -> SeenRequest {
    SeenRequest(
      request: number, connection: connection,
      headers: [["apns-id", id], ["apns-priority", "10"], ["authorization", "bearer …1"]] + headers, payload: payload,
      at: seconds * 1_000_000, wall: 36_000_000_000 + seconds * 1_000_000, app: app, token: "aa", push: id,
      answer: status.map {
        SeenRequest.Answer(status: $0, reason: reason, by: fault == nil ? "handset" : "fault", fault: fault)
      }, end: end, faults: struck)
  }

  private func number(_ request: SeenRequest) -> String { "#\(request.request)" }

  private func sentence(_ verdict: Verdict) -> String? {
    switch verdict {
    case .met: nil
    case .open(let shortfall): "open: \(shortfall.sentence)"
    case .failed(let shortfall): "failed: \(shortfall.sentence)"
    }
  }

  private func judged(
    _ change: (inout AnswerExpectation) -> Void, _ requests: [SeenRequest], after previous: SeenRequest? = nil
  ) -> String? {
    var expectation = AnswerExpectation(position: place)
    expectation.answer = .status(200)
    change(&expectation)
    var cursor = AnswerCursor()
    if let previous { cursor.take(previous) }
    return sentence(expectation.judge(requests, cursor, number: number).0)
  }

  @Test func theNextAnswerIsTaken() {
    var expectation = AnswerExpectation(position: place)
    expectation.answer = .status(503)
    expectation.fault = "busy"
    let requests = [request(1, status: 503, fault: "busy"), request(2)]
    let (verdict, taken) = expectation.judge(requests, AnswerCursor(), number: number)
    #expect(verdict == .met)
    #expect(taken?.request == 1)
  }

  @Test func aMissingAttemptIsNamed() {
    #expect(judged({ _ in }, []) == "open: no answer 200 came: there is no first attempt")
    let first = request(1, status: 503)
    let second = request(2, status: 503)
    #expect(
      judged({ _ in }, [first, second], after: second) == "open: no answer 200 came: there is no third attempt")
    #expect(judged({ _ in }, [request(1, status: nil)]) == "open: no answer 200 came: #1 has no answer yet")
  }

  @Test func anotherAnswerFailsAtOnce() {
    #expect(
      judged({ _ in }, [request(1, status: 503, fault: "busy", reason: "ServiceUnavailable")])
        == "failed: answer 503 ServiceUnavailable (fault busy) came to #1, not 200")
    #expect(
      judged({ _ in }, [request(1, status: nil, end: "cut")]) == "failed: no answer 200 came to #1: cut")
    #expect(
      judged({ $0.answer = AnswerExpectation.Answer.none }, [request(1)]) == "failed: answer 200 came to #1, not none")
    #expect(judged({ $0.answer = AnswerExpectation.Answer.none }, [request(1, status: nil, end: "cut")]) == nil)
    #expect(
      judged({ $0.fault = "busy" }, [request(1)]) == "failed: answer 200 came from the handset, not from fault busy")
    #expect(
      judged({ $0.reason = "X" }, [request(1, reason: "Y")]) == "failed: #1 was answered with reason Y, not X")
  }

  @Test func aRequestWithoutAnAnswerIsOfItsFault() throws {
    func judgedOfCut(struck: [String]) -> String? {
      let cut = request(1, status: nil, end: "cut", struck: struck)
      return judged(
        {
          $0.answer = AnswerExpectation.Answer.none
          $0.fault = "snip"
        }, [cut])
    }
    #expect(judgedOfCut(struck: ["snip"]) == nil)
    #expect(judgedOfCut(struck: ["slow", "snip"]) == nil)
    #expect(
      judgedOfCut(struck: []) == "failed: #1 ended without an answer, and no fault struck it, not snip")
    #expect(
      judgedOfCut(struck: ["slow"]) == "failed: #1 ended without an answer, and fault slow struck it, not snip")
    let line = #"{"request":1,"connection":1,"end":"cut","faults":["snip"]}"#
    #expect(try JSONDecoder().decode(SeenRequest.self, from: Data(line.utf8)).faults == ["snip"])
  }

  @Test func timesAreThoseOfTheHandset() {
    let first = request(1, at: 10, status: 503)
    let bound = Bound(relation: .atLeast, value: 2_000_000, measure: .time)
    #expect(judged({ $0.afterPrevious = bound }, [first, request(2, at: 12)], after: first) == nil)
    #expect(
      judged({ $0.afterPrevious = bound }, [first, request(2, at: 11)], after: first)
        == "failed: #2 came 1 s after the previous one, not at least 2 s")
    let within = Bound(relation: .atMost, value: 2_000_000, measure: .time)
    #expect(
      judged({ $0.within = within }, [request(1, at: 3)])
        == "failed: #1 came 3 s after the step before, not at most 2 s")
  }

  @Test func headersAndPayloadAreCompared() {
    #expect(judged({ $0.headers = [("apns-priority", "10")] }, [request(1)]) == nil)
    #expect(
      judged({ $0.headers = [("apns-priority", "5")] }, [request(1)]) == "failed: #1 has apns-priority 10, not 5")
    #expect(
      judged({ $0.headers = [("apns-push-type", "alert")] }, [request(1)])
        == "failed: #1 has no apns-push-type, not alert")
    #expect(judged({ $0.headers = [("apns-push-type", "none")] }, [request(1)]) == nil)
    #expect(judged({ $0.payload = [("aps.badge", "1")] }, [request(1)]) == nil)
    #expect(
      judged({ $0.payload = [("aps.badge", "2")] }, [request(1)]) == "failed: #1's payload has aps.badge 1, not 2")
    #expect(
      judged({ $0.payload = [("aps.alert", "x")] }, [request(1)]) == "failed: #1's payload has no aps.alert, not x")
  }

  private func judged(
    _ requests: [SeenRequest], token: String? = nil, _ change: (inout RequestsExpectation) -> Void
  ) -> String? {
    var expectation = RequestsExpectation(position: place)
    change(&expectation)
    return sentence(expectation.judge(requests, token: token, number: number))
  }

  @Test func requestsAreCounted() {
    let requests = [request(1, status: 503), request(2, connection: 2), request(3, app: "news")]
    #expect(judged(requests) { $0.count = .equal(3) } == nil)
    #expect(judged(requests) { $0.count = .equal(4) } == "open: 3 requests came, not 4")
    #expect(judged(requests) { $0.count = .equal(2) } == "failed: 3 requests came, not 2")
    #expect(
      judged(requests) {
        $0.app = "mail"
        $0.count = .equal(2)
      } == nil)
    #expect(judged(requests, token: "bb") { $0.count = .equal(0) } == nil)
    #expect(judged(requests) { $0.connections = .equal(1) } == "failed: 2 connections had requests, not 1")
    #expect(judged(requests) { $0.credentials = .equal(1) } == nil)
    #expect(judged(requests) { $0.answers = [(200, .equal(2))] } == nil)
    #expect(judged(requests) { $0.answers = [(200, .equal(3))] } == "open: 2 answers 200 came, not 3")
    #expect(judged([]) { $0.count = .equal(0) } == nil)
  }

  @Test func requestsAreTheSameOrNot() {
    let other = "1D522DB2-12F5-4B70-B99F-73F50AC5525B"
    let requests = [request(1, status: 503), request(2, id: other)]
    #expect(
      judged(requests) { $0.same = ["apns-id"] }
        == "failed: #2 has another apns-id than #1: 1D52… instead of 8C07…")
    #expect(judged(requests) { $0.same = ["payload"] } == nil)
    #expect(judged(requests) { $0.differ = ["apns-id"] } == nil)
    #expect(judged(requests) { $0.differ = ["payload"] } == "failed: #2 has the same payload as #1")
    // Letters of an identifier have no case.
    #expect(judged([request(1), request(2, id: request(1).push?.lowercased() ?? "")]) { $0.same = ["apns-id"] } == nil)
  }

  @Test func theRequestsOfAFailureAreLines() {
    let other = "1D522DB2-12F5-4B70-B99F-73F50AC5525B"
    let requests = [
      request(41, status: 503, fault: "busy", connection: 7),
      request(42, at: 2, status: 503, fault: "busy", id: other, connection: 7),
      request(
        43, at: 3, status: nil, connection: 9, payload: "{}", end: "cut", headers: [["apns-push-type", "background"]]),
    ]
    #expect(
      RequestLines(requests: requests, base: 40, armedFor: ["busy": 2]).lines == [
        "10:00:00.000 #1 c1 mail p10 id 8C07… 503 fault busy (1 of 2)",
        "10:00:02.000 #2 c1 mail p10 id 1D52… 503 fault busy (2 of 2)  other apns-id than #1",
        "10:00:03.000 #3 c2 mail background p10 id 8C07… no answer: cut",
      ])
    let many = (1...100).map { request($0, payload: "\($0)") }
    let lines = RequestLines(requests: many, base: 0, armedFor: [:]).lines
    #expect(lines.count == 41)
    #expect(lines[20] == "… 60 more …")
  }

  @Test func presentationsAreCounted() {
    func push(_ id: String, rang: Bool = true, _ presented: Int = 1) -> BenchClient.SettledPush {
      BenchClient.SettledPush(push: id, app: "mail", rang: rang, presented: presented, why: "these are quiet hours")
    }
    let once = PresentedExpectation(position: place, app: "mail", times: .equal(1), rang: true)
    #expect(once.judge([push("a")]) == .met)
    #expect(sentence(once.judge([])) == "open: mail was not presented, not once")
    #expect(sentence(once.judge([push("a"), push("b")])) == "failed: mail was presented 2 times, not once")
    #expect(sentence(once.judge([push("a", rang: false)])) == "open: it did not ring: these are quiet hours")
    let silent = PresentedExpectation(position: place, app: nil, times: nil, rang: false)
    #expect(sentence(silent.judge([push("a")])) == "open: it rang")
  }

  @Test func theBoardIsCompared() {
    let board = BoardExpectation(position: place, digits: "1", lamp: "blink")
    #expect(board.judge(digits: "   1", lamp: "blink") == .met)
    #expect(sentence(board.judge(digits: "   2", lamp: "blink")) == #"open: the digits show "   2", not "1""#)
    #expect(sentence(board.judge(digits: "   1", lamp: nil)) == "open: the lamp is off, not blink")
    #expect(sentence(board.judge(digits: nil, lamp: nil)) == "open: the board has no display")
    #expect(BoardExpectation(position: place, digits: "", lamp: "off").judge(digits: "    ", lamp: nil) == .met)
  }

  @Test func eventsAreThoseOfStories() throws {
    let events = [
      SeenEvent(event: "accepted", app: "mail", push: "A"),
      SeenEvent(event: "accepted", app: "mail", push: "b"),
      SeenEvent(event: "discarded", app: "mail", push: "A", fields: ["reason": "replaced", "replacedBy": "B"]),
      SeenEvent(event: "badge", app: "mail", push: "B", fields: ["number": .integer(2), "listed": true]),
    ]
    func judged(_ lines: String...) throws -> String? {
      let patterns = try lines.map { try #require(EventPattern(scenarioWords($0) ?? [])) }
      return sentence(EventsExpectation(position: place, lines: patterns).judge(events))
    }
    #expect(try judged("accepted mail P2", "discarded P1 replacedBy=P2", "badge mail P2 number=2 listed=yes") == nil)
    #expect(
      try judged("badge mail", "accepted mail") == "open: there is no event 'accepted mail' after 'badge mail'")
    #expect(try judged("badge mail number=3") == "open: there is no event 'badge mail number=3'")
    #expect(try judged("badge mail P3") == "open: there is no event 'badge mail P3'")
    for words in [["a=b"], ["badge", "P1", "P2"], ["badge", "mail", "news"], ["badge", "a=1", "a=2"], []] {
      #expect(EventPattern(words) == nil, "\(words)")
    }
    let never = EventsExpectation(position: place, lines: [try #require(EventPattern(["badge", "mail"]))])
    #expect(never.broken(by: events)?.sentence == "event 'badge mail' happened")
    #expect(never.broken(by: Array(events.prefix(3))) == nil)
  }

  @Test func recordedRequestsAreRead() throws {
    let body =
      #"{"requests":[{"request":3,"connection":1,"method":"POST","path":"/x","headers":[["apns-id","a"]],"payloadBytes":2,"uptimeMicroseconds":5,"wallMicroseconds":6,"lint":["L101"]}]}"#
    let read = try JSONDecoder().decode(BenchClient.Requests.self, from: Data(body.utf8))
    let request = try #require(read.requests.first)
    #expect((request.request, request.connection, request.lint) == (3, 1, ["L101"]))
    #expect(request.value(named: "apns-id") == "A")
    #expect(!request.isOver)
  }
}

@Suite struct ScenarioReportTests {
  private let failure: ScenarioFailure = {
    var failure = ScenarioFailure(
      file: "a/503-twice.yaml", line: 16, sentence: "no answer 200 came: there is no third attempt")
    failure.expected = "answer 200"
    failure.happened = ["10:00:00.000 #1", "nothing since"]
    failure.explain = ["1D52…: refused 503 (fault busy), nothing presented"]
    failure.provider = "giving up"
    failure.log = "out/503-twice/provider.log:41"
    return failure
  }()

  @Test func aFailureIsText() {
    #expect(
      failure.text == """
        FAIL 503-twice.yaml:16  no answer 200 came: there is no third attempt
          expected  answer 200
          happened  10:00:00.000 #1
                    nothing since
          explain   1D52…: refused 503 (fault busy), nothing presented
          provider  "giving up"   log: out/503-twice/provider.log:41
        """)
  }

  @Test func resultsAreJUnit() {
    let results = [
      ScenarioResult(file: "a.yaml", scenario: "a <b> & \"c\"", milliseconds: 1_005, requests: 1, failure: nil),
      ScenarioResult(file: "b.yaml", scenario: "b", milliseconds: 20, requests: 0, failure: failure),
    ]
    let lines = JUnitReport.text(results).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[1] == #"<testsuites tests="2" failures="1" errors="0" time="1.025">"#)
    #expect(
      lines[3]
        == #"    <testcase name="a &lt;b&gt; &amp; &quot;c&quot;" classname="a.yaml" file="a.yaml" time="1.005"/>"#)
    #expect(lines[5].hasPrefix(#"      <failure type="expectation" message="no answer 200 came"#))
    #expect(lines.suffix(2) == ["</testsuites>", ""])
    #expect(JUnitReport.escaped("\u{1}\n\u{1F514}") == "\u{FFFD}&#10;\u{1F514}")
  }
}
