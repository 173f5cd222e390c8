import CommandSupport
import HandsetCore
import ProviderClient

enum PushWords {
  /// Returns `200  7b2e…`, and the reason of a refusal.
  static func answer(_ answer: PushAnswer, _ clock: ClockFace = .local) -> String {
    var words = ["\(answer.status)", answer.apnsID ?? "no apns-id"]
    if let reason = answer.reason { words.append(reason) }
    if let since = answer.timestamp {
      let (microseconds, overflow) = since.multipliedReportingOverflow(by: 1_000)
      if !overflow { words.append("since \(clock.dateAndTime(microseconds))") }
    }
    return words.joined(separator: "  ")
  }

  static func tally(_ tally: PushTally) -> String {
    let milliseconds = max(1, tally.milliseconds)
    let rate = Int64(tally.count) * 1_000 / milliseconds
    var results = tally.results.map { "\($0.count) × \($0.status)" + ($0.reason.map { " \($0)" } ?? "") }
    if tally.notSent > 0 { results.append("\(tally.notSent) not sent, their token is gone") }
    var line =
      "\(counted(tally.count, "push", plural: "pushes")) in \(milliseconds / 1_000).\(hundredths(milliseconds)) s "
      + "(\(rate)/s): " + results.joined(separator: ", ")
    if tally.retries > 0 { line += "; \(counted(tally.retries, "retry", plural: "retries"))" }
    if let latency = tally.latency {
      line += "; p50 \(tenths(latency.p50Microseconds)) ms, p99 \(tenths(latency.p99Microseconds)) ms"
    }
    return line
  }

  /// Returns the line for a terminal while it waits.
  static func retry(_ retry: PushSender.Retry) -> String {
    "\(retry.problem): try \(retry.attempt) in \(tenths(retry.pause.inMicroseconds / 1_000)) s"
  }

  private static func hundredths(_ milliseconds: Int64) -> String {
    let digits = milliseconds % 1_000 / 10
    return digits < 10 ? "0\(digits)" : "\(digits)"
  }

  /// Formats thousandths with one decimal.
  private static func tenths(_ thousandths: Int64) -> String { "\(thousandths / 1_000).\(thousandths % 1_000 / 100)" }
}
