// Tests of faults as values: how they are read, and which requests they strike.

import HTTP
import HandsetCore
import Testing

@testable import PushPort

private func fault(_ words: [String: JSONValue]) throws -> Fault { try Fault(words) }

/// Returns the reason why words are no fault; nil if they are one.
private func problem(_ words: [String: JSONValue]) -> String? {
  do {
    _ = try Fault.read(words)
    return nil
  } catch {
    return error.description
  }
}

@Suite("The words of a fault")
struct FaultWordTests {
  @Test("Each action is read with its own words, and strikes at its usual moment")
  func actions() throws {
    let read: [([String: JSONValue], Fault.Kind, Fault.Moment)] = [
      (
        ["answer": .integer(503), "reason": "Tired", "retry-after": "1500ms", "timestamp": .integer(7)],
        .answer(.init(status: 503, reason: "Tired", retryAfter: 2, timestamp: 7)), .beforeCommit
      ),
      (["answer": "410", "body": ""], .answer(.init(status: 410, body: "")), .beforeCommit),
      (["delay": "2s"], .wait, .beforeCommit), (["silent": true], .silence, .afterCommit),
      (["reset": "refused-stream"], .reset(7), .beforeCommit),
      (["reset": "cancel", "at": "after-commit"], .reset(8), .afterCommit),
      (["goaway": "no-error"], .goAway(.init(code: 0, last: .this, times: 1, closes: true)), .beforeCommit),
      (
        ["goaway": "enhance-your-calm", "last-stream": .integer(3), "times": .integer(2), "close": false],
        .goAway(.init(code: 11, last: .number(3), times: 2, closes: false)), .beforeCommit
      ),
      (["streams": .integer(1)], .settings(.init(streams: 1)), .connect),
      (["streams": .integer(1), "pushes": "3-3"], .settings(.init(streams: 1)), .beforeCommit),
      (["streams": .integer(1), "pushes": .integer(1), "at": "connect"], .settings(.init(streams: 1)), .connect),
      (
        ["streams": .integer(1), "window": .integer(2), "at": "before-commit"], .settings(.init(streams: 1, window: 2)),
        .beforeCommit
      ),
      (["cut": "accept"], .cut(.accept), .accept), (["cut": "request"], .cut(.request), .head),
      (["cut": "answer"], .cut(.answer), .afterCommit), (["cut": "headers"], .cut(.headers), .afterCommit),
      (["cut": "body"], .cut(.body), .afterCommit),
      (["certificate": "not-yet-valid"], .certificate(.notYetValid), .accept),
      (["condition": "low-power"], .condition(.lowPower), .always),
    ]
    for (words, kind, moment) in read {
      let fault = try fault(words)
      #expect(fault.action.kind == kind)
      #expect(fault.moment == moment)
    }
    #expect(try fault(["delay": .integer(2), "answer": .integer(500)]).action.delay == .seconds(2))
  }

  @Test("Scope, which and end are read; a number of pushes is the first so many")
  func limits() throws {
    let fault = try PushPortTests.fault([
      "name": "busy", "answer": .integer(503), "app": "com.example.bell", "provider": "mailer", "token": "A1",
      "handset": "desk",
      "connection": .integer(2), "pushes": "2-3", "count": .integer(4), "for": "1m30s",
    ])
    #expect(fault.name == "busy")
    #expect(
      fault.scope
        == Fault.Scope(provider: "mailer", app: "com.example.bell", token: "a1", handset: "desk", connection: 2))
    #expect(fault.which == .range(2...3))
    #expect(fault.end == Fault.End(count: 4, duration: .seconds(90)))
    #expect(try PushPortTests.fault(["silent": true, "pushes": .integer(2)]).which == .range(1...2))
    #expect(try PushPortTests.fault(["silent": true, "every": .integer(3)]).which == .every(3))
    #expect(
      try PushPortTests.fault(["silent": true, "share": "30%", "seed": .integer(9)]).which == .share(0.3, seed: 9))
    #expect(try PushPortTests.fault(["silent": true, "share": .double(0.3)]).which == .share(0.3, seed: 0))
    let pace = try PushPortTests.fault(["answer": .integer(429), "per-token": "10/1m30s"])
    #expect(pace.which == .perToken(10, in: .seconds(90)) && pace.moment == .beforeCommit)
    let closing = try PushPortTests.fault(["reset": "cancel", "refusals": .integer(3)])
    #expect(closing.which == .refusals(3) && closing.moment == .afterCommit)
  }

  @Test("What is no fault is refused with the key, the problem and what is valid")
  func problems() {
    let refused: [([String: JSONValue], String)] = [
      (
        [:],
        "it has no action; expected one of answer, silent, reset, goaway, streams, window, cut, certificate, "
          + "condition, delay"
      ),
      (["answer": .integer(99)], "answer: '99' is not valid; expected a number from 200 to 599"),
      (["answer": .integer(503), "reset": "cancel"], "reset: there is 'answer' already; expected one action a fault"),
      (["silent": "perhaps"], "silent: it is no flag; expected true or false"),
      (
        ["silent": true, "reason": "Tired"],
        "reason: it belongs to 'answer', which is absent; expected 'answer' beside it"
      ),
      (
        ["silent": true, "pushes": "3-2"],
        "pushes: '3-2' is not valid; expected 2 or 1-2 for the first two, 3-3 for the third"
      ),
      (
        ["silent": true, "pushes": .integer(1), "every": .integer(2)],
        "every: there is 'pushes' already; expected one of pushes, every, share, per-token, refusals"
      ),
      (["silent": true, "share": .integer(2)], "share: '2' is not valid; expected 0 to 1, or 0% to 100%"),
      (
        ["delay": "soon"],
        "delay: 'soon' is no time; expected for example 500ms, 2s, 1m30s, or a number of seconds, up to a day"
      ),
      (["cut": "tail"], "cut: 'tail' is not valid; expected accept, request, answer, headers, body"),
      (["cut": "accept", "app": "a"], "app: it is not known yet when this strikes; expected no 'app'"),
      (["cut": "body", "at": "before-commit"], "at: 'before-commit' is not for this action; expected after-commit"),
      (
        ["goaway": "no-error", "last-stream": "next"],
        "last-stream: 'next' is no stream; expected this, previous, or a number below 2147483648"
      ),
      (
        ["silent": true, "per-token": "10"],
        "per-token: '10' is not valid; expected a number of requests and a time of up to a day: 10/1m"
      ),
      (
        ["silent": true, "per-token": "0/1m"],
        "per-token: '0/1m' is not valid; expected a number of requests and a time of up to a day: 10/1m"
      ),
      (
        ["cut": "accept", "per-token": "1/1m"],
        "per-token: it is not known yet when this strikes; expected no 'per-token'"
      ),
      (
        ["cut": "request", "refusals": .integer(1)],
        "refusals: it is not known yet when this strikes; expected no 'refusals'"
      ),
      (["condition": "offline", "pushes": .integer(2)], "pushes: a condition strikes no requests; expected 'for'"),
      (
        ["name": "two words", "silent": true],
        "name: 'two words' is no name; expected 1 to 64 letters, digits, dots, dashes and underscores"
      ),
    ]
    for (words, text) in refused { #expect(problem(words) == text) }
    #expect(
      problem(["anwser": .integer(503)])?.hasPrefix("anwser: there is no such key; expected name, preset, app,") == true
    )
    #expect(
      problem(["preset": "none"])?.hasPrefix("preset: 'none' is none; expected apple-limits, closes-after-refusals,")
        == true)
  }

  @Test("Every preset is faults, and has a source; the other keys limit all of them")
  func presets() throws {
    for preset in FaultPreset.all {
      let faults = try Fault.read(["preset": .string(preset.name), "handset": "desk"])
      #expect(faults.count == preset.faults.count && !preset.source.isEmpty)
      #expect(faults.first?.name == preset.name)
      #expect(faults.allSatisfy { $0.scope.handset == "desk" && $0.preset == preset.name })
    }
    let closes = try Fault.read(["preset": "closes-after-refusals"])
    #expect(closes.map(\.which) == [.refusals(10)] && closes.map(\.moment) == [.afterCommit])
    #expect(try Fault.read(["preset": "closes-after-refusals", "every": .integer(4)]).map(\.which) == [.every(4)])
    #expect(
      problem(["preset": "closes-after-refusals", "at": "before-commit"])
        == "at: a refusal is known only after it; expected no 'at'")
    let limits = try Fault.read(["preset": "apple-limits", "per-token": "2/10s", "refusals": .integer(4)])
    #expect(limits.map(\.which) == [.perToken(2, in: .seconds(10)), .refusals(4)])
    #expect(limits.map(\.name) == ["apple-limits", "apple-limits-2"])
    let burst = try Fault.read(["preset": "expired-token-in-a-burst", "name": "burst"])
    #expect(burst.map(\.name) == ["burst", "burst-2", "burst-3"])
  }
}

@Suite("The table of faults")
struct FaultTableTests {
  private var table = FaultTable()

  /// Returns the names of the faults that strike so many requests, empty for none.
  private mutating func strikes(
    _ count: Int, _ facts: FaultFacts = FaultFacts(connection: 1), now: Duration = .zero
  ) -> [String] {
    (0..<count).map { _ in
      table.strike(facts, at: .beforeCommit, now: now).map(\.name).joined(separator: "+")
    }
  }

  @Test("The first that matches wins, and later ones do not count its requests: a list of answers needs no states")
  mutating func precedence() throws {
    #expect(try table.add(fault(["answer": .integer(503), "pushes": .integer(2)]), now: .zero) == "fault-1")
    #expect(
      try table.add(fault(["name": "once", "answer": .integer(500), "pushes": .integer(1)]), now: .zero) == "once")
    #expect(try table.add(fault(["answer": .integer(429), "pushes": "2-2"]), now: .zero) == "fault-3")
    #expect(strikes(6) == ["fault-1", "fault-1", "once", "", "fault-3", ""])
    #expect(table.entries.map(\.hits) == [2, 1, 1] && table.unfired.isEmpty)
    #expect(table.entries.map { $0.isArmed(now: .zero) } == [false, false, false])
  }

  @Test("A range, every third, a count and a time end what they say")
  mutating func ends() throws {
    try table.add(fault(["name": "a", "answer": .integer(503), "pushes": "2-3"]), now: .zero)
    #expect(strikes(5) == ["", "a", "a", "", ""])
    table.removeAll()
    try table.add(
      fault(["name": "b", "answer": .integer(503), "every": .integer(3), "count": .integer(2)]), now: .zero)
    #expect(strikes(10) == ["", "", "b", "", "", "b", "", "", "", ""])
    table.removeAll()
    try table.add(fault(["name": "c", "answer": .integer(503), "for": "10s"]), now: .seconds(5))
    #expect(strikes(1, now: .milliseconds(14_999)) == ["c"])
    #expect(strikes(1, now: .seconds(15)) == [""])
  }

  @Test("Each request of a token beyond its number in a time, whatever the others send; the tokens counted are bounded")
  mutating func perToken() throws {
    try table.add(fault(["name": "t", "answer": .integer(429), "per-token": "2/10s"]), now: .zero)
    var facts = FaultFacts(connection: 1, token: "a")
    #expect(strikes(3, facts) == ["", "", "t"])
    facts.token = "b"
    #expect(strikes(3, facts, now: .seconds(9)) == ["", "", "t"])
    facts.token = "a"
    #expect(strikes(1, facts, now: .milliseconds(9_999)) == ["t"])
    #expect(strikes(3, facts, now: .seconds(10)) == ["", "", "t"])
    #expect(strikes(3, FaultFacts(connection: 1)) == ["", "", ""])
    // With a and b one more than are counted: the counts begin anew.
    for number in 0..<FaultTable.tokenLimit - 1 {
      facts.token = "\(number)"
      #expect(strikes(1, facts, now: .seconds(10)) == [""])
    }
    facts.token = "a"
    #expect(strikes(3, facts, now: .seconds(10)) == ["", "", "t"])
  }

  @Test("A share strikes the same requests for a seed, about as many as it says")
  mutating func share() throws {
    try table.add(fault(["name": "x", "answer": .integer(503), "share": "30%", "seed": .integer(7)]), now: .zero)
    let first = strikes(1_000)
    table.removeAll()
    try table.add(fault(["name": "x", "answer": .integer(503), "share": "30%", "seed": .integer(7)]), now: .zero)
    #expect(strikes(1_000) == first)
    #expect((250...350).contains(first.count { $0 == "x" }))
    table.removeAll()
    try table.add(fault(["name": "x", "answer": .integer(503), "share": "30%", "seed": .integer(8)]), now: .zero)
    #expect(strikes(1_000) != first)
  }

  @Test("Every part of the scope must agree; HTTP/1.1 has no streams to reset")
  mutating func scope() throws {
    try table.add(
      fault([
        "name": "s", "answer": .integer(503), "app": "a", "provider": "p", "token": "t", "handset": "h",
        "connection": .integer(1),
      ]),
      now: .zero)
    let facts = FaultFacts(connection: 1, provider: "p", app: "a", token: "t", handset: "h")
    #expect(strikes(1, facts) == ["s"])
    let parts: [(inout FaultFacts) -> Void] = [
      { $0.app = "b" }, { $0.provider = nil }, { $0.token = "u" }, { $0.handset = nil }, { $0.connection = 2 },
    ]
    for change in parts {
      var other = facts
      change(&other)
      #expect(strikes(1, other) == [""])
    }
    #expect(table.entries.map(\.seen) == [1])
    table.removeAll()
    try table.add(fault(["reset": "cancel"]), now: .zero)
    #expect(strikes(1, FaultFacts(connection: 1, isHTTP2: false)) == [""])
    #expect(table.unfired == ["fault-1"])
  }

  @Test("Settings and GOAWAY leave the request to the next fault")
  mutating func ofConnection() throws {
    for fault in try Fault.read(["preset": "shutdown"]) { try table.add(fault, now: .zero) }
    #expect(strikes(2) == ["shutdown+shutdown-2", ""])
  }

  @Test("GOAWAY that ends the request is its only fault: the next one is not used up")
  mutating func goAwayThatEndsTheRequest() throws {
    var facts = FaultFacts(connection: 1)
    facts.stream = 5
    for (last, both) in [("previous", false), ("3", false), ("5", true), ("this", true)] {
      table.removeAll()
      let goAway = try fault(["name": "goaway", "goaway": "no-error", "last-stream": .string(last)])
      try table.add(goAway, now: .zero)
      try table.add(fault(["name": "busy", "answer": .integer(503), "pushes": .integer(1)]), now: .zero)
      #expect(strikes(1, facts) == [both ? "goaway+busy" : "goaway"], "\(last)")
      #expect(table.unfired == (both ? [] : ["busy"]), "\(last)")
    }
  }

  @Test("A name is there once, and the table has an end")
  mutating func limit() throws {
    try table.add(fault(["name": "a", "silent": true]), now: .zero)
    let again = #expect(throws: FaultError.self) { try table.add(fault(["name": "a", "silent": true]), now: .zero) }
    #expect(again?.description == "name: there is a fault 'a' already; expected another name")
    for _ in 1..<FaultTable.limit { try table.add(fault(["silent": true]), now: .zero) }
    #expect(throws: FaultError.self) { try table.add(fault(["silent": true]), now: .zero) }
    #expect(table.remove("a")?.fault.name == "a" && table.remove("a") == nil)
    try table.add(fault(["silent": true]), now: .zero)
  }
}
