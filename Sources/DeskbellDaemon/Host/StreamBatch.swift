// A fleet's stream numbers its messages. What a daemon takes from it at once is stored at once, with the number of the
// last message: after a crash the stream goes on where the database is.

import HandsetCore
import HandsetStore

/// Messages of a stream as inputs, which share one commit with the position behind them.
struct StreamBatch: Sendable {
  /// In the order of the stream; none where its messages are nothing to a handset. The host has every handset in it.
  var inputs: [(input: Input, recipient: InputQueue.Recipient)]
  /// The consumer's position once they are stored.
  var position: StreamPosition
}

extension InputQueue {
  /// Submits a batch and waits until it is stored.
  /// - Returns: why it was not; nil where it was.
  func submit(_ batch: StreamBatch) async -> String? {
    await withCheckedContinuation { continuation in
      submit(batch) { continuation.resume(returning: $0) }
    }
  }

  /// A batch of a stream that waits.
  struct StreamEntry: Sendable {
    let batch: StreamBatch
    /// Gets why it is not stored; nil where it is.
    let completion: @Sendable (String?) -> Void
    /// That it takes in the queue; one without inputs takes one.
    let places: Int
    let bytes: Int
    /// Of its first input; set by the queue.
    var number = 0

    init(_ batch: StreamBatch, completion: @escaping @Sendable (String?) -> Void) {
      self.batch = batch
      self.completion = completion
      places = max(batch.inputs.count, 1)
      bytes = batch.inputs.reduce(Limits.inputOverhead) { $0 + Limits.inputOverhead + $1.input.bytes }
    }

    var consumer: String { batch.position.consumer }

    /// Its inputs as the host takes them.
    var entries: [Entry] {
      batch.inputs.enumerated().map { offset, item in
        Entry(input: item.input, recipient: item.recipient, number: number + offset)
      }
    }
  }
}
