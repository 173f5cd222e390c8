// The retries and their times: every row of Apple's advice.

import Testing

@testable import ProviderClient

@Suite struct RetryPolicyTests {
  private let server = Endpoint(host: "h", port: 1)

  private func step(
    _ ending: RetryPolicy.Ending, attempt: Int = 1, hasRenewedToken: Bool = false, jitter: Double = 1
  ) -> RetryPolicy.Step {
    RetryPolicy().step(after: ending, attempt: attempt, hasRenewedToken: hasRenewedToken, jitter: jitter)
  }

  private func answered(_ status: Int, _ reason: String? = nil, retryAfter: Duration? = nil) -> RetryPolicy.Ending {
    .success(PushAnswer(status: status, reason: reason, retryAfter: retryAfter))
  }

  @Test(arguments: [200, 400, 403, 404, 405, 410, 413, 501, 502])
  func whatItIsIsNotTriedAgain(status: Int) {
    #expect(step(answered(status)) == .stop)
    #expect(step(answered(status, retryAfter: .seconds(1))) == .stop)
  }

  @Test(arguments: [429, 500, 503])
  func whatMayPassIsTriedLaterEachTime(status: Int) {
    let pauses = (1...4).map { step(answered(status), attempt: $0) }
    #expect(pauses == [1, 2, 4, 8].map { .tryAgain(after: .seconds($0), reconnects: false) })
    #expect(step(answered(status), attempt: 5) == .stop)
    #expect(step(answered(status), jitter: 0.5) == .tryAgain(after: .milliseconds(500), reconnects: false))
  }

  @Test func noPauseIsLongerThanTheLongest() {
    var policy = RetryPolicy()
    policy.attempts = 100
    for attempt in [7, 31, 32, 99] {
      #expect(
        policy.step(after: answered(503), attempt: attempt, hasRenewedToken: false, jitter: 1)
          == .tryAgain(after: .seconds(60), reconnects: false))
    }
  }

  @Test func theServersTimeIsKept() {
    #expect(
      step(answered(429, retryAfter: .seconds(30))) == .tryAgain(after: .seconds(30), reconnects: false))
    // The server's time is the minimum, not the maximum.
    #expect(
      step(answered(429, retryAfter: .seconds(1)), attempt: 4) == .tryAgain(after: .seconds(8), reconnects: false))
    #expect(
      step(answered(503, retryAfter: .seconds(600))) == .tryAgain(after: .seconds(600), reconnects: false))
    #expect(step(answered(503, retryAfter: .seconds(601))) == .stop)
  }

  @Test func aServerThatLeavesIsLeft() {
    #expect(step(answered(503, "Shutdown")) == .tryAgain(after: .seconds(1), reconnects: true))
  }

  @Test func anExpiredTokenIsRenewedOnce() {
    #expect(step(answered(403, "ExpiredProviderToken")) == .renewToken)
    #expect(step(answered(403, "ExpiredProviderToken"), attempt: 2, hasRenewedToken: true) == .stop)
    #expect(step(answered(403, "ExpiredProviderToken"), attempt: 5) == .stop)
    #expect(step(answered(403, "InvalidProviderToken")) == .stop)
  }

  @Test func lostConnectionsAreMadeAgain() {
    let closed = RetryPolicy.Ending.failure(.connectionClosed(server, reason: nil))
    #expect(step(closed) == .tryAgain(after: .zero, reconnects: true))
    #expect(step(closed, attempt: 2) == .tryAgain(after: .seconds(2), reconnects: true))
    #expect(step(closed, attempt: 5) == .stop)
    for error in [
      ProviderClientError.timedOut(server, .seconds(30), waitingFor: "answer"), .connectionRefused(server),
      .cannotConnect(server, reason: "no route"),
    ] {
      #expect(step(.failure(error)) == .tryAgain(after: .seconds(1), reconnects: true))
    }
  }

  @Test func whatNoTimeMendsIsNot() {
    for error in [
      ProviderClientError.unknownHost(server), .certificateNotTrusted(server), .nameMismatch(server), .noHTTP2(server),
      .tlsFailed(server, reason: "r"), .malformedAnswer(server, reason: "r"), .tooManyWaiting(server, limit: 1),
      .badKey(reason: "r"),
    ] {
      #expect(step(.failure(error)) == .stop)
    }
  }
}
