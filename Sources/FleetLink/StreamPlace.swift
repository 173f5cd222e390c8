// A reader stores its position in the stream itself. For each connection it makes a consumer that begins there. So the engine
// keeps no account of deliveries, which could differ from what is stored.

import NATSClient

/// A place in a stream, and how much waited there when the reading began.
public struct StreamPlace: Sendable {
  /// The last message that was taken.
  public private(set) var sequence: UInt64
  /// Messages that waited when the reading began, and that have not come yet.
  public private(set) var backlog: UInt64
  /// How many messages the consumer has delivered.
  private var deliveries: UInt64 = 0

  init(sequence: UInt64, backlog: UInt64) {
    (self.sequence, self.backlog) = (sequence, backlog)
  }

  /// What a message is to the reader.
  public struct Arrival: Hashable, Sendable {
    /// Whether it waited while nobody was there.
    public var isBacklog: Bool
    /// Whether it is the last of those.
    public var endsBacklog: Bool
  }

  /// Notes a message.
  /// - Throws: `JetStreamError` where one before it is missing.
  public mutating func take(_ message: StreamMessage) throws(JetStreamError) -> Arrival {
    guard message.delivery == deliveries + 1, message.sequence > sequence else {
      throw JetStreamError(code: 0, problem: "a message of the stream is missing", isTransient: true)
    }
    (deliveries, sequence) = (message.delivery, message.sequence)
    guard backlog > 0 else { return Arrival(isBacklog: false, endsBacklog: false) }
    // Of those that waited some may have been too old meanwhile.
    backlog = min(backlog - 1, message.pending)
    return Arrival(isBacklog: true, endsBacklog: backlog == 0)
  }
}

extension JetStream {
  /// Makes a consumer that delivers what is behind a place.
  /// - Parameters:
  ///   - name: of the consumer. One of that name is replaced.
  ///   - subjects: what it delivers of the stream.
  ///   - sequence: of the last message that was taken.
  public func place(
    _ name: String, of stream: String, subjects: String, after sequence: UInt64
  ) async throws(JetStreamError) -> StreamPlace {
    let made = try await replaceConsumer(name, of: stream, subjects: subjects, from: .behind(sequence))
    return StreamPlace(sequence: sequence, backlog: made.pending)
  }
}
