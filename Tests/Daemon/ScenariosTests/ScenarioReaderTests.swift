import HTTP
import StrictYAML
import Testing

@testable import Scenarios

@Suite struct ScenarioReaderTests {
  private static let head = """
    scenario: a test
    provider: { run: mailer --port 1 }
    apps: { mail: { background-modes: [remote-notification] } }
    faults: { busy: { app: mail, pushes: 1-2, answer: 503 } }
    steps:

    """

  /// Reads a scenario with these steps, the first of which is on line 6.
  private func steps(_ text: String) throws(StrictYAMLError) -> [ScenarioStep.Action] {
    try scenario(ScenarioReaderTests.head + text).steps.map(\.action)
  }

  private func scenario(_ text: String) throws(StrictYAMLError) -> Scenario {
    try ScenarioReader().scenario(Array(text.utf8), file: "a/b-c.yaml")
  }

  private func errors(_ text: String) -> [String] {
    do throws(StrictYAMLError) {
      _ = try scenario(text)
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
  }

  private func errors(steps text: String) -> [String] { errors(ScenarioReaderTests.head + text) }

  @Test func theHeadIsRead() throws {
    let scenario = try scenario(
      """
      scenario: 503 twice
      provider:
        run: python3 -m mailer --port ${provider.port} "a b"
        folder: ../providers
        env: { APNS: "${bell.url}", EMPTY: "" }
        ready: { line: listening on }
      apps:
        mail: { background-modes: [remote-notification] }
        news: {}
      faults:
        busy: { app: mail, pushes: 1-2, answer: 503, close: false, token: "${mail.token}" }
      steps:
        - settle
      """)
    #expect(scenario.name == "b-c")
    #expect(scenario.folder == "a")
    #expect(scenario.title == "503 twice")
    let provider = try #require(scenario.provider)
    #expect(provider.command.map(\.source) == ["python3", "-m", "mailer", "--port", "${provider.port}", "a b"])
    #expect(provider.environment.map(\.name) == ["APNS", "EMPTY"])
    #expect(provider.readyLine == "listening on")
    #expect(provider.folder == "../providers")
    #expect(scenario.apps.map(\.id) == ["mail", "news"])
    #expect(scenario.apps[0].manifest == ["background-modes": ["remote-notification"]])
    #expect(scenario.apps[1].manifest == [:])
    let fault = try #require(scenario.faults.first)
    #expect(fault.position.line == 11)
    #expect(fault.members.map(\.key) == ["app", "pushes", "answer", "close", "token"])
    guard case .json(.string("1-2")) = fault.members[1].value, case .json(.integer(503)) = fault.members[2].value,
      case .json(.bool(false)) = fault.members[3].value, case .text(let token) = fault.members[4].value
    else {
      Issue.record("\(fault.members)")
      return
    }
    #expect(token.variables == ["mail.token"])
  }

  @Test func tellIsARequestOrALine() throws {
    let actions = try steps(
      """
        - tell: POST http://127.0.0.1:${provider.port}/mail {"to":"${mail.token}", "text":"A letter"}
        - tell: send 3
        - tell: { request: GET http://localhost/, answer: 204 }
      """)
    guard case .tell(let first) = actions[0], case .request("POST", let url, let body) = first.way,
      case .tell(let second) = actions[1], case .line(let line) = second.way,
      case .tell(let third) = actions[2], case .request("GET", _, _) = third.way
    else {
      Issue.record("\(actions)")
      return
    }
    #expect(url.source == "http://127.0.0.1:${provider.port}/mail")
    #expect(body.source == #"{"to":"${mail.token}", "text":"A letter"}"#)
    #expect(first.answer == nil)
    #expect(line.source == "send 3")
    #expect(third.answer == 204)
  }

  @Test func timesAreThoseOfStories() throws {
    let actions = try steps("  - advance: 1h30m\n  - advance: { by: 2m, every: 10s }\n")
    guard case .advance(5_400, nil) = actions[0], case .advance(120, 10) = actions[1] else {
      Issue.record("\(actions)")
      return
    }
    #expect(
      errors(steps: "  - advance: 500ms\n  - advance: 2\n  - advance: 0s\n  - advance: 367d\n") == [
        "a/b-c.yaml:6:14: error: 'advance' must be whole seconds: the clock advances by seconds, not by '500ms'",
        "a/b-c.yaml:7:14: error: 'advance' must be a time such as 2s, 1h30m or 30d, not '2'",
        "a/b-c.yaml:8:14: error: 'advance' must be a time such as 2s, 1h30m or 30d, not '0s'",
        "a/b-c.yaml:9:14: error: 'advance' must be a year at most: advance it twice",
      ])
  }

  @Test(arguments: [
    (
      "push: mail alert=\"A letter\" badge=2",
      HandsetCommand.push(app: "mail", fields: ["body": "A letter", "badge": .integer(2)])
    ),
    ("push: mail background", .push(app: "mail", fields: ["background": true])),
    ("force-quit: mail", .lifecycle(app: "mail", command: "force-quit")),
    ("register: mail", .register(app: "mail", kinds: ["badge", "sound", "alert"])),
    ("register: mail badge", .register(app: "mail", kinds: ["badge"])),
    ("unregister: mail", .unregister(app: "mail")),
    ("badge: mail 0", .badge(app: "mail", 0)),
    ("set: mail style alert", .set(app: "mail", key: "style", value: "alert")),
    ("set: handset volume 3", .set(app: nil, key: "volume", value: "3")),
    ("condition: low-power on", .condition("low-power", isOn: true)),
    ("press: close", .press("close")),
    ("clear: all", .clear(app: nil)),
    ("clear: mail", .clear(app: "mail")),
    ("fetch: all", .fetch(app: nil)),
    ("fetch: mail", .fetch(app: "mail")),
  ])
  func commandsAreThoseOfStories(_ text: String, _ command: HandsetCommand) throws {
    guard case .handset(let read)? = try steps("  - \(text)\n").first else {
      Issue.record("no command")
      return
    }
    #expect(read == command)
  }

  @Test func commandsAreRequests() {
    let command = HandsetCommand.set(app: "mail", key: "style", value: "alert").request
    #expect(command.method == "PUT")
    #expect(command.path == ["apps", "mail", "settings", "style"])
    #expect(command.body == ["value": "alert"])
    #expect(HandsetCommand.condition("offline", isOn: false).request.body == ["value": "off"])
    #expect(HandsetCommand.fetch(app: "mail").request.body == ["app": "mail"])
    let all = HandsetCommand.fetch(app: nil).request
    #expect(all.method == "POST" && all.path == ["fetch"] && all.body == [:])
    #expect(
      HandsetCommand.push(app: "mail", fields: ["badge": .integer(2)]).request.body
        == ["app": "mail", "via": "apns", "badge": .integer(2)])
  }

  @Test func anExpectationIsRead() throws {
    let actions = try steps(
      """
        - expect: { answer: 503, app: mail, fault: busy, by: fault, within: 1s, after-previous: ">= 2s" }
        - expect:
            answer: none
            headers: { apns-priority: "5" }
            payload: { aps.badge: 2 }
            requests: { app: mail, count: 3, connections: "<= 2", same: [apns-id, payload], answers: { 200: 1 } }
            presented: { app: mail, times: 1, rang: true }
            board: { digits: "   1", lamp: blink }
            center: { texts: [] }
            events: [accepted mail P1, badge mail number=1]
            never: [held mail]
            hits: { busy: ">= 1" }
            says: giving up
            lint: none
      """)
    guard case .expect(let first) = actions[0], case .expect(let second) = actions[1] else {
      Issue.record("\(actions)")
      return
    }
    let answer = try #require(first.answer)
    #expect(answer.answer == .status(503))
    #expect(
      answer.expected(before: nil)
        == "answer 503, of mail, fault busy, by the fault, at least 2 s after the previous, within 1 s")
    #expect(second.answer?.answer == AnswerExpectation.Answer.none)
    let requests = try #require(second.requests)
    #expect(requests.position.line == 11)
    #expect(
      requests.expected == "3 requests of mail, connections: at most 2, the same apns-id and payload, 200: 1")
    #expect(second.board?.digits == "   1")
    #expect(second.center?.texts == [])
    #expect(second.events?.lines.count == 2)
    #expect(second.never?.lines.map(\.words) == ["held mail"])
    #expect(second.hits.map(\.fault) == ["busy"])
    #expect(second.says?.text == "giving up")
    #expect(second.noLint?.line == 19)
  }

  @Test func mistakesHaveTheirPlaces() {
    #expect(
      errors(
        steps: """
            - settel
            - lunch: mail
            - expect: { answer: 99, of: mail }
            - expect: { fault: bussy }
            - expect: { requests: { cout: 3, connections: "=> 2" } }
            - push: mail alrt=Hello
            - tell: POST localhost/
            - { settle: mail, advance: 2s }
            - fault: { busy: { answer: 500 } }
          """) == [
          "a/b-c.yaml:6:5: error: item 1 of 'steps' is no step: write 'settle' or 'STEP: WORDS'",
          "a/b-c.yaml:7:5: error: 'lunch' is no step; did you mean 'launch'?",
          "a/b-c.yaml:8:23: error: 'answer' must be an integer from 200 to 599, not 99",
          "a/b-c.yaml:8:27: error: unknown key 'of'; write 'app', as in faults",
          "a/b-c.yaml:9:22: error: 'fault' cannot be 'bussy', did you mean 'busy'?",
          "a/b-c.yaml:10:27: error: unknown key 'cout', did you mean 'count'?",
          #"a/b-c.yaml:10:49: error: 'connections' must be a number, or a sign and a number: ">= 2", not '=> 2'"#,
          "a/b-c.yaml:11:11: error: 'push' does not take 'alrt=Hello': there are alert=, badge=, collapse=, level=, "
            + "sound=, subtitle=, thread=, title= and background",
          "a/b-c.yaml:12:11: error: 'tell' must have an address that begins with http://, not 'localhost/'",
          "a/b-c.yaml:13:5: error: item 8 of 'steps' must have one key, the name of a step, not 2",
          "a/b-c.yaml:14:14: error: there is a fault 'busy' already: give another name",
        ])
  }

  @Test func variablesAreKnown() {
    #expect(
      errors(steps: "  - tell: \"${mail.tokn} ${token.any}\"\n") == [
        "a/b-c.yaml:6:11: error: there is no variable ${mail.tokn}; did you mean ${mail.token}?"
      ])
    #expect(
      errors(steps: "  - tell: \"${mail.start-tokn} ${mail.activity-token}\"\n") == [
        "a/b-c.yaml:6:11: error: there is no variable ${mail.start-tokn}; did you mean ${mail.start-token}?"
      ])
    #expect(
      errors(steps: "  - tell: \"${mail\"\n") == [
        "a/b-c.yaml:6:11: error: 'tell' has a variable without an end: write ${NAME}"
      ])
  }

  @Test func noAnswerHasNoReason() throws {
    let text = """
        - expect: { answer: none, by: fault }
        - expect: { answer: none, reason: Shutdown }
        - expect: { answer: none, fault: busy }

      """
    #expect(
      errors(steps: text) == [
        "a/b-c.yaml:6:33: error: 'by' has no place beside 'answer: none': name the fault with 'fault'",
        "a/b-c.yaml:7:37: error: 'reason' has no place beside 'answer: none': only an answer has a reason",
      ])
    #expect(try steps("  - expect: { answer: none, fault: busy }\n").count == 1)
  }

  @Test func aTellNeedsAProvider() {
    #expect(
      errors("scenario: a test\nsteps:\n  - tell: hello\n") == [
        "a/b-c.yaml:1:1: error: there is a 'tell' and no 'provider' that it could be told: add 'provider: { run: … }'"
      ])
  }

  @Test func faultsAreChecked() {
    let reader = ScenarioReader { words throws(FaultComplaint) in
      guard words["answer"] == .integer(503) else { throw FaultComplaint(key: "answer", message: "only 503") }
    }
    let text = "scenario: a\nfaults:\n  busy: { app: mail, answer: 500 }\nsteps: [settle]\n"
    #expect(
      throws: StrictYAMLError(
        diagnostics: [
          Diagnostic(
            "fault 'busy': only 503", at: SourcePosition(file: "x", line: 3, column: 22))
        ])
    ) { try reader.scenario(Array(text.utf8), file: "x") }
  }

  @Test func theShippedScenariosAreFine() throws {
    let folder = #filePath.split(separator: "/").dropLast(4).map(String.init).joined(separator: "/")
    for number in [
      "01-badge", "08-503-twice", "20-certificate-expired", "22-a-live-activity", "25-the-extension-fails",
    ] {
      _ = try ScenarioReader().scenario(contentsOf: "/\(folder)/examples/scenarios/\(number).yaml")
    }
  }
}

@Suite struct ScenarioValueTests {
  @Test(arguments: [
    ("3", 3, true), ("3", 4, false), (">= 2", 2, true), (">=2", 1, false), ("< 5", 4, true), ("< 5", 5, false),
    ("<= 5", 5, true), ("> 5", 5, false),
  ])
  func aCountHasBounds(_ text: String, _ value: Int64, _ isAllowed: Bool) throws {
    #expect(try #require(Bound(text, .count)).allows(value) == isAllowed)
  }

  @Test(arguments: ["", "-1", "+1", "1s", "=> 2", ">= ", "two"])
  func otherTextsAreNoCounts(_ text: String) { #expect(Bound(text, .count) == nil) }

  @Test(arguments: [
    (">= 2s", "at least 2 s"), ("< 500ms", "less than 0.5 s"), ("<= 15m", "at most 15 min"), ("1h", "1 h"),
    ("> 1m1s", "more than 61 s"),
  ])
  func aTimeIsSpoken(_ text: String, _ words: String) throws {
    #expect(try #require(Bound(text, .time)).description == words)
  }

  @Test func aTokenIsMadeFromItsName() throws {
    let token = try #require(ScenarioVariables.madeToken("token.second"))
    #expect(token.count == 64)
    #expect(token.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(token != ScenarioVariables.madeToken("token.third"))
    #expect(token == ScenarioVariables.madeToken("token.second"))
    #expect(ScenarioVariables.madeToken("token.") == nil)
  }

  @Test func aTemplateIsFilledIn() throws {
    let template = try Template("a ${x.y} b ${x.y}$")
    #expect(try template.text(["x.y": "1"]) == "a 1 b 1$")
    #expect(throws: TemplateError(description: "${x.y} has no value: the bench did not give one")) {
      try template.text([:])
    }
  }

  @Test func wordsMayBeQuoted() {
    #expect(scenarioWords(#"a "b c"  d="e f" """#) == ["a", "b c", "d=e f", ""])
    #expect(scenarioWords(#"a "b"#) == nil)
  }

  @Test func addressesAreRead() {
    #expect(ScenarioURL("http://localhost:8080/mail?x=1")?.target == "/mail?x=1")
    #expect(ScenarioURL("http://localhost")?.port == 80)
    #expect(ScenarioURL("http://[::1]:81/")?.host == "::1")
    for text in ["localhost", "http://", "http://a:0/", "http://a:b/", "http://a/ b"] {
      #expect(ScenarioURL(text) == nil, "\(text)")
    }
  }

  @Test func aTimeOfDayHasMilliseconds() {
    #expect(timeOfDay(wallMicroseconds: 1_767_261_602_003_999) == "10:00:02.003")
    #expect(timeOfDay(wallMicroseconds: -1_000) == "23:59:59.999")
  }
}
