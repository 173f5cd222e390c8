// A fleet's stream numbers its messages. Messages that a daemon takes together are stored together, with the number of
// the last one: after a crash the stream continues from the position in the database.

import HandsetCore
import HandsetStore

/// Messages of a stream as inputs, which share one commit with the position behind them.
public struct StreamBatch: Sendable {
  /// The inputs in the order of the stream; empty if none is for a handset. The host has all of their handsets.
  public var inputs: [(input: Input, recipient: InputQueue.Recipient)]
  /// The consumer's position once they are stored.
  public var position: StreamPosition

  public init(inputs: [(input: Input, recipient: InputQueue.Recipient)], position: StreamPosition) {
    (self.inputs, self.position) = (inputs, position)
  }
}

extension InputQueue {
  /// Submits a batch and waits until it is stored.
  /// - Returns: the error; nil if it was stored.
  public func submit(_ batch: StreamBatch) async -> String? {
    await withCheckedContinuation { continuation in
      submit(batch) { continuation.resume(returning: $0) }
    }
  }

  /// A batch of a stream that waits.
  struct StreamEntry: Sendable {
    let batch: StreamBatch
    /// Called with the error; nil when it is stored.
    let completion: @Sendable (String?) -> Void
    /// The places that it takes in the queue; at least one.
    let places: Int
    let bytes: Int
    /// The number of its first input; set by the queue.
    var number = 0

    init(_ batch: StreamBatch, completion: @escaping @Sendable (String?) -> Void) {
      self.batch = batch
      self.completion = completion
      places = max(batch.inputs.count, 1)
      bytes = batch.inputs.reduce(Limits.inputOverhead) { $0 + Limits.inputOverhead + $1.input.bytes }
    }

    var consumer: String { batch.position.consumer }

    /// The inputs as entries for the host.
    var entries: [Entry] {
      batch.inputs.enumerated().map { offset, item in
        Entry(input: item.input, recipient: item.recipient, number: number + offset)
      }
    }
  }
}
