// The rules of retries. A retry is a request with the device token and the payload of an earlier one that failed, and
// that began after the earlier one ended: requests that were under way together are none.

/// The newest attempt of a push, or the refusal of a device token.
struct Attempt: Sendable {
  let request: Int
  let id: String?
  let head: Int
  let answer: LintedRequest.Answer?
  /// The way it ended without an answer.
  let end: String?
  let ended: LintTime

  init(_ push: LintedPush) {
    let request = push.request
    (self.request, id, head) = (request.number, request.field("apns-id")?.lowercased(), push.head)
    (answer, end, ended) = (request.answer, request.end, request.ended)
  }

  /// False also while it is under way.
  var hasFailed: Bool { answer.map { $0.status >= 400 } ?? (end != nil) }
}

extension Linter {
  /// Equal pushes further apart than this are no retries, in microseconds.
  static let retrySpan: Int64 = 60 * 60_000_000
  /// The time after which Apple lets a push be sent again that was answered 5xx.
  static let serverErrorPause: Int64 = 15 * 60_000_000
  static let busyPause: Int64 = 1_000_000
  /// A device token whose 410 has a timestamp older than this may have been registered again since.
  static let freshTimestamp: Int64 = 60_000_000

  mutating func noteAttempt(of push: LintedPush) -> [Finding] {
    let attempt = Attempt(push)
    let earlier = pushes[push.identity]
    pushes.set(push.identity, attempt)
    let deadToken = noteDeadToken(of: push, attempt)
    guard let earlier, earlier.hasFailed, push.request.time.real >= earlier.ended.real,
      push.request.time.real - earlier.ended.real <= Linter.retrySpan
    else { return deadToken }
    return deadToken + retryFindings(push, attempt, after: earlier)
  }

  private mutating func noteDeadToken(of push: LintedPush, _ attempt: Attempt) -> [Finding] {
    let refusal = deadTokens[push.deviceToken]
    if let answer = attempt.answer, answer.status == 410 || answer.reason == "BadDeviceToken" {
      deadTokens.set(push.deviceToken, attempt)
    }
    guard let refusal, let answer = refusal.answer, push.request.time.real >= refusal.ended.real else { return [] }
    if attempt.answer?.status == 200 {
      // The handset knows the token again. A fault knows only the timestamp that it was given.
      let isFresh = answer.timestamp.map { answer.time.real - $0 * 1_000 <= Linter.freshTimestamp } ?? true
      guard answer.isOfFault, isFresh else { return [] }
    }
    let reason = answer.reason ?? "\(answer.status)"
    return [
      push.finding(
        .deadTokenAgain, "The device token was refused for request \(refusal.request) (\(reason)), and used again.")
    ]
  }

  private func retryFindings(_ push: LintedPush, _ attempt: Attempt, after earlier: Attempt) -> [Finding] {
    var findings: [Finding] = []
    let pause = push.request.time.since(earlier.ended)
    let seconds = "\(pause / 1_000_000).\(pause / 100_000 % 10) s"
    if let answer = earlier.answer {
      let isPermanent = [400, 403, 404, 405, 413].contains(answer.status) && !answer.isOfProviderToken
      if isPermanent, answer.reason != "BadDeviceToken", attempt.head == earlier.head {
        let reason = answer.reason.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
        findings.append(
          push.finding(.permanentAgain, "Request \(earlier.request) was answered \(reason); this is the same push."))
      }
      if let asked = answer.retryAfter {
        if answer.status == 429 || answer.status >= 500, pause < asked * 1_000_000 {
          findings.append(
            push.finding(
              .beforeRetryAfter,
              "The push came again \(seconds) after request \(earlier.request), whose Retry-After was \(asked) s."))
        }
      } else if answer.status >= 500, pause < Linter.serverErrorPause {
        findings.append(
          push.finding(
            .soonAfterServerError,
            "The push came again \(seconds) after request \(earlier.request), which was answered \(answer.status)."))
      } else if answer.status == 429, pause < Linter.busyPause {
        findings.append(
          push.finding(.noPause, "The push came again \(seconds) after request \(earlier.request) was answered 429."))
      }
    }
    let isTemporary = earlier.answer.map { $0.status == 429 || $0.status >= 500 } ?? true
    if isTemporary, let id = attempt.id, let before = earlier.id, id != before {
      findings.append(
        push.finding(.otherID, "The push of request \(earlier.request) was sent again with another apns-id."))
    }
    return findings
  }
}
