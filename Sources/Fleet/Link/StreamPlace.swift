// A reader stores its position in the stream itself. For each connection it creates a consumer that begins there. So
// the servers keep no record of deliveries, which could differ from the stored position.

import NATSClient

/// A position in a stream, and the number of messages that waited when the reading began.
public struct StreamPlace: Sendable {
  /// The position of the last message that was taken.
  public private(set) var sequence: UInt64
  /// The number of messages that waited when the reading began and have not arrived yet.
  public private(set) var backlog: UInt64
  /// The number of messages that the consumer has delivered.
  private var deliveries: UInt64 = 0

  init(sequence: UInt64, backlog: UInt64) {
    (self.sequence, self.backlog) = (sequence, backlog)
  }

  /// The reader's classification of a message.
  public struct Arrival: Hashable, Sendable {
    /// True if it waited while there was no reader.
    public var isBacklog: Bool
    /// True if it is the last one that waited.
    public var endsBacklog: Bool
  }

  /// Records a message.
  /// - Throws: `NATSError` if one before it is missing.
  public mutating func take(_ message: StreamMessage) throws(NATSError) -> Arrival {
    guard message.delivery == deliveries + 1, message.sequence > sequence else {
      throw NATSError("a message of the stream is missing")
    }
    (deliveries, sequence) = (message.delivery, message.sequence)
    guard backlog > 0 else { return Arrival(isBacklog: false, endsBacklog: false) }
    // Some of the waiting messages may have expired meanwhile.
    backlog = min(backlog - 1, message.pending)
    return Arrival(isBacklog: true, endsBacklog: backlog == 0)
  }
}

extension JetStream {
  /// Creates a consumer that delivers the messages after a position, replacing one of that name.
  public func place(
    _ name: String, of stream: String, subjects: String, after sequence: UInt64
  ) async throws(NATSError) -> StreamPlace {
    let made = try await replaceConsumer(name, of: stream, subjects: subjects, from: .behind(sequence))
    return StreamPlace(sequence: sequence, backlog: made.numPending)
  }
}
