import NATSClient

/// A message of a stream, as a consumer delivers it.
public struct StreamMessage: Sendable {
  public var message: NATSMessage
  /// The position in the stream.
  public var sequence: UInt64
  /// The number of the consumer's delivery, from 1.
  public var delivery: UInt64
  /// The number of messages that wait behind it.
  public var pending: UInt64

  /// Reads a message; nil if it is not from a stream. The position is part of the address for the acknowledgement,
  /// `$JS.ACK.STREAM.CONSUMER.ATTEMPTS.SEQUENCE.DELIVERY.TIME.PENDING`; some versions add domain and account hash
  /// before the stream and a random word at the end.
  init?(_ message: NATSMessage) {
    guard let reply = message.reply else { return nil }
    let words = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count >= 9, words[0] == "$JS", words[1] == "ACK" else { return nil }
    let first = words.count == 9 ? 4 : 6
    guard words.count > first + 4, let sequence = UInt64(words[first + 1]), let delivery = UInt64(words[first + 2]),
      let pending = UInt64(words[first + 4])
    else { return nil }
    self.message = message
    self.sequence = sequence
    self.delivery = delivery
    self.pending = pending
  }
}
