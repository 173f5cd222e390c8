// Beside an app that pushes without end, another app's push waits for the rest of the batch that is being stored, and for
// its own. How many inputs that time is enough for depends on the board, on the inputs and on what else runs.

/// How many inputs a batch may have so that it takes little time, by what the one before took.
struct BatchPace {
  /// What a batch should take where several apps push.
  static let duration: Duration = .milliseconds(8)
  /// As many share a commit in any case: one of few inputs takes almost as long.
  static let fewest = 16

  private(set) var limit = InputQueue.Limits.batch

  /// Notes a batch of so many inputs.
  /// - Parameter time: real time from the first of them to the last answer and sink.
  mutating func note(_ count: Int, took time: Duration) {
    let fitting = Double(count) * (BatchPace.duration / max(time, .microseconds(1)))
    limit = Int(min(max(fitting, Double(BatchPace.fewest)), Double(InputQueue.Limits.batch)))
  }
}
