// While one app pushes without pause, another app's push waits for the rest of the batch that is being stored, and for
// its own. The number of inputs that fit into a given time depends on the board, the inputs and the other load.

/// The number of inputs in a batch that takes little time, estimated from the previous batch.
struct BatchPace {
  /// The intended duration of a batch if several apps push.
  static let duration: Duration = .milliseconds(8)
  /// The least limit of a batch: a commit of few inputs takes almost as long.
  static let fewest = 16

  private(set) var limit = InputQueue.Limits.batch

  /// Notes a batch of `count` inputs.
  /// - Parameter time: the real time from the first of them to the last answer and sink.
  mutating func note(_ count: Int, took time: Duration) {
    let fitting = Double(count) * (BatchPace.duration / max(time, .microseconds(1)))
    limit = Int(min(max(fitting, Double(BatchPace.fewest)), Double(InputQueue.Limits.batch)))
  }
}
