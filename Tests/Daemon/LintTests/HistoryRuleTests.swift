// The rules that need more than one request.

import Testing

@testable import Lint

extension RuleCase {
  /// Requests over the connections, each begun so much after the one before.
  private static func requests(over connections: [Int], every interval: Int64 = second) -> [LintedRequest] {
    connections.enumerated().map { request($0 + 1, at: Int64($0) * interval, connection: $1) }
  }

  static let connections = [
    RuleCase(.connectionPerPush, requests(over: [1, 2, 3]), fine: requests(over: [1, 2, 2])),
    RuleCase(.connectionPerPush, requests(over: [4, 5, 6]), fine: requests(over: [4, 5, 6], every: minute + second)),
    RuleCase(.connectionPerPush, requests(over: [1, 2, 3]), fine: requests(over: [1, 2, 3], every: 1)),
    RuleCase(
      .connectionPerPush, requests(over: [1, 2, 3]),
      fine: requests(over: [1, 2, 3]).map { $0.number == 2 ? $0.answered(200, byFault: true) : $0 }),
    RuleCase(.manyConnections, requests(over: Array(1...10), every: 1), fine: requests(over: Array(1...9), every: 1)),
    RuleCase(
      .manyConnections, requests(over: Array(1...10), every: 1),
      fine: requests(over: (1...9).flatMap { Array(repeating: $0, count: 11) } + [10], every: 1)),
  ]

  private static func requests(with tokens: [String], every interval: Int64) -> [LintedRequest] {
    tokens.enumerated().map { request($0 + 1, at: Int64($0) * interval, token: $1) }
  }

  static let tokens = [
    RuleCase(
      .tokenPerPush, requests(with: ["a", "b", "c"], every: second),
      fine: requests(with: ["a", "a", "a"], every: second)),
    RuleCase(
      .tokenTooSoon, requests(with: ["a", "b"], every: 20 * minute - 1),
      fine: requests(with: ["a", "b"], every: 20 * minute)),
    RuleCase(
      .tokenTooSoon, [request(1, token: "a"), request(2, at: second, token: "b")],
      fine: [
        request(1, token: "a").answered(403, "ExpiredProviderToken"), request(2, at: second, id: 1, token: "b"),
      ]),
    RuleCase(
      .tokenAgeing, requests(with: ["a", "a"], every: 50 * minute + 1),
      fine: requests(with: ["a", "a"], every: 50 * minute)),
    RuleCase(
      .tokenTooOld, requests(with: ["a", "a"], every: 60 * minute + 1),
      fine: requests(with: ["a", "a", "b"], every: 25 * minute)),
    RuleCase(
      .refusedTokenAgain,
      [request(1, token: "a").answered(403, "ExpiredProviderToken"), request(2, at: second, id: 1, token: "a")],
      // Both were under way.
      fine: [request(1, token: "a").answered(403, "ExpiredProviderToken"), request(2, at: 1, token: "a")]),
  ]

  private static func twice(
    _ status: Int, _ reason: String? = nil, retryAfter: Int64? = nil, pause: Int64, id: Int = 1,
    _ fields: [String: String] = [:]
  ) -> [LintedRequest] {
    [
      request(1).answered(status, reason, retryAfter: retryAfter),
      request(2, at: 10_000 + pause, id: id, fields),
    ]
  }

  private static func dead(
    _ first: LintedRequest, then status: Int = 200, payload: String = #"{"aps":{"badge":2}}"#
  ) -> [LintedRequest] {
    [first, request(2, at: minute, payload: payload).answered(status)]
  }

  static let retries = [
    RuleCase(
      .permanentAgain, twice(413, "PayloadTooLarge", pause: 40 * minute),
      fine: twice(400, "BadPriority", pause: second, ["apns-priority": "5"])),
    RuleCase(
      .permanentAgain, twice(400, "BadTopic", pause: second),
      fine: twice(400, "BadTopic", pause: 61 * minute, ["authorization": "bearer …later"])),
    RuleCase(
      .deadTokenAgain, dead(request(1).answered(410, "Unregistered"), then: 410),
      // The app has registered again.
      fine: dead(request(1).answered(410, "Unregistered"))),
    RuleCase(
      .deadTokenAgain, dead(request(1).answered(400, "BadDeviceToken", byFault: true)),
      fine: [
        request(1).answered(400, "BadDeviceToken", byFault: true), request(2, at: minute, device: "1f1f"),
      ]),
    RuleCase(
      .deadTokenAgain, dead(request(1).answered(410, "Unregistered", byFault: true, timestamp: start / 1_000)),
      fine: dead(request(1).answered(410, "Unregistered", byFault: true, timestamp: (start - 61 * second) / 1_000))),
    RuleCase(
      .beforeRetryAfter, twice(503, "ServiceUnavailable", retryAfter: 2, pause: 2 * second - 1),
      fine: twice(503, "ServiceUnavailable", retryAfter: 2, pause: 2 * second)),
    RuleCase(
      .soonAfterServerError, twice(500, "InternalServerError", pause: 15 * minute - 1),
      fine: twice(500, "InternalServerError", pause: 15 * minute)),
    RuleCase(
      .noPause, twice(429, "TooManyRequests", pause: second - 1), fine: twice(429, "TooManyRequests", pause: second)),
    RuleCase(
      .otherID, twice(503, retryAfter: 1, pause: second, id: 2), fine: twice(503, retryAfter: 1, pause: second, id: 1)),
    RuleCase(
      .otherID, [request(1).ended("cut"), request(2, at: second)], fine: [request(1), request(2, at: second)]),
  ]
}

@Suite("What the linter remembers") struct HistoryTests {
  @Test("A retry waits on either clock")
  func virtualClock() {
    let first = request(1).answered(503, retryAfter: 60).withRealTime(at: 0)
    let early = request(2, at: 30 * second, id: 1).withRealTime(at: 100)
    let later = request(2, at: 61 * second, id: 1).withRealTime(at: 100)
    #expect(codes([first, early]) == [[], ["L503"]])
    #expect(codes([first, later]) == [[], []])
  }

  @Test("The age of a provider token follows the handset's clock only if the provider does")
  func ageOfToken() {
    let requests = [request(1).withRealTime(at: 0), request(2, at: 61 * minute).withRealTime(at: second)]
    #expect(codes(requests) == [[], []])
    #expect(codes(requests, followsHandset: true) == [[], ["L404"]])
  }

  @Test("Requests that were under way together are no retries")
  func together() {
    #expect(codes([request(1).answered(410, "Unregistered"), request(2, at: 9_999).answered(410)]) == [[], []])
  }

  @Test("A closed connection does not count among many")
  func closed() {
    var linter = Linter()
    for number in 1...9 {
      _ = linter.note(request(number, at: Int64(number), connection: number))
      linter.connectionClosed(number)
    }
    #expect(linter.note(request(10, at: 10, connection: 10)) == [])
  }

  @Test("Of too many pushes the first is forgotten")
  func bounds() {
    func isRetry(after others: Int) -> Bool {
      var linter = Linter()
      _ = linter.note(request(1).answered(400, "BadTopic"))
      for number in 0..<others {
        _ = linter.note(request(number + 2, at: second, payload: #"{"aps":{"badge":\#(number)}}"#))
      }
      return linter.note(request(9_999, at: minute, id: 1)).map(\.code).contains("L501")
    }
    #expect(isRetry(after: Linter.pushLimit - 1))
    #expect(!isRetry(after: Linter.pushLimit))
  }

  @Test("Providers have a linter for each handset, up to a limit; then they share one")
  func providers() {
    func other(_ provider: String?, _ token: String = "b", handset: String? = nil) -> LintedRequest {
      var other = request(2, at: second, token: token)
      (other.provider, other.handset) = (provider, handset)
      return other
    }
    var linters = Linters()
    #expect(linters.note(request(1, token: "a")) == [])
    #expect(linters.note(other("printer")) == [])
    #expect(linters.note(other("mailer", handset: "desk")) == [])
    let finding = linters.note(other("mailer")).first
    #expect(finding?.code == "L402" && finding?.provider == "mailer" && finding?.request == 2)
    let again = linters.note(other("mailer", "c", handset: "desk")).first
    #expect(again?.code == "L402" && again?.handset == "desk")
    linters.forget(handset: "desk")
    #expect(linters.note(other("mailer", "d", handset: "desk")) == [])
    for number in 0..<Linters.limit - 3 { _ = linters.note(other("provider \(number)")) }
    #expect(linters.note(other("one too many")) == [])
    #expect(linters.note(other("two too many", "c")).map(\.code) == ["L402"])
  }

  @Test("A provider token that was refused before its provider was known may be replaced at once")
  func refusedEarly() {
    var linters = Linters()
    _ = linters.note(request(1, token: "a"))
    var refused = request(2, at: second, token: "a").answered(403, "ExpiredProviderToken")
    refused.provider = nil
    _ = linters.note(refused)
    #expect(linters.note(request(3, at: 2 * second, token: "b")) == [])
  }

  @Test("A request that was cut at its head is of the provider of its token: its connection has to be replaced")
  func cutAtHead() {
    func cut(_ number: Int, at time: Int64, connection: Int) -> LintedRequest {
      var cut = request(number, at: time, connection: connection, id: 9).ended("cut")
      (cut.provider, cut.payload, cut.payloadBytes) = (nil, nil, 0)
      return cut
    }
    var linters = Linters()
    let requests = [
      request(1, connection: 1), request(2, at: second, connection: 2), cut(3, at: 2 * second, connection: 2),
      // The retry, whose identifier is the one of the request that was cut, and which had no payload.
      request(4, at: 3 * second, connection: 3, id: 9),
    ]
    #expect(requests.map { linters.note($0).map(\.code) } == [[], [], [], []])
    // Without the cut request the third connection in a row has one push.
    var others = Linters()
    #expect([0, 1, 3].map { others.note(requests[$0]).map(\.code) } == [[], [], ["L301"]])
  }

  @Test("Requests of other protocols have no findings")
  func otherProtocols() {
    var ntfy = request(without: ["apns-push-type"])
    ntfy.frontEnd = "ntfy"
    #expect(codes([ntfy]) == [[]])
  }
}
