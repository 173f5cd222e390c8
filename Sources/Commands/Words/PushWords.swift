// What became of a push, or of many.

import ProviderClient

enum PushWords {
  /// `200  7b2e…`, and why not.
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
    let results = tally.results.map { "\($0.count) × \($0.status)" + ($0.reason.map { " \($0)" } ?? "") }
    return "\(counted(tally.count, "push", plural: "pushes")) in \(milliseconds / 1_000).\(hundredths(milliseconds)) s "
      + "(\(rate)/s): " + results.joined(separator: ", ")
  }

  private static func hundredths(_ milliseconds: Int64) -> String {
    let digits = milliseconds % 1_000 / 10
    return digits < 10 ? "0\(digits)" : "\(digits)"
  }
}

/// Answers of many pushes, counted.
struct PushTally: Encodable, Equatable {
  struct Result: Encodable, Equatable {
    var status: Int
    var reason: String?
    var count: Int
  }

  var milliseconds: Int64 = 0
  /// In the order in which they first came.
  private(set) var results: [Result] = []

  var count: Int { results.reduce(0) { $0 + $1.count } }
  var allAccepted: Bool { results.allSatisfy { $0.status == 200 } }

  mutating func add(_ answer: PushAnswer) {
    if let index = results.firstIndex(where: { $0.status == answer.status && $0.reason == answer.reason }) {
      results[index].count += 1
    } else {
      results.append(Result(status: answer.status, reason: answer.reason, count: 1))
    }
  }
}
