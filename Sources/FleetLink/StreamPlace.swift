// Whoever reads a stream knows itself where it is. So each connection makes a consumer that begins there, and forgets it: the
// engine keeps no account of what was delivered, which could differ from what is stored.

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
    struct Done: Decodable { var success: Bool }
    do throws(JetStreamError) {
      let _: Done = try await ask("CONSUMER.DELETE.\(stream).\(name)", within: Limits.removal)
    } catch {
      // There is none, or its server is down; then making it fails, and the next one has another name.
    }
    let settings = ReadingSettings(name: name, filterSubject: subjects, start: sequence + 1)
    let made: ConsumerInfo = try await ask(
      "CONSUMER.CREATE.\(stream).\(name).\(subjects)", ReadingRequest(stream: stream, config: settings))
    return StreamPlace(sequence: sequence, backlog: made.pending)
  }
}

/// Of a consumer for one reader, without acknowledgements, on one server.
struct ReadingSettings: Encodable {
  var name: String
  var filterSubject: String
  /// The first message that it delivers; nil for the newest of each subject.
  var start: UInt64?

  private enum CodingKeys: String, CodingKey {
    case name
    case filterSubject = "filter_subject"
    case deliverPolicy = "deliver_policy"
    case start = "opt_start_seq"
    case ackPolicy = "ack_policy"
    case memStorage = "mem_storage"
    case numReplicas = "num_replicas"
    case inactiveThreshold = "inactive_threshold"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(filterSubject, forKey: .filterSubject)
    try container.encode(start == nil ? "last_per_subject" : "by_start_sequence", forKey: .deliverPolicy)
    try container.encodeIfPresent(start, forKey: .start)
    try container.encode("none", forKey: .ackPolicy)
    try container.encode(true, forKey: .memStorage)
    try container.encode(1, forKey: .numReplicas)
    try container.encode(JetStream.Limits.forgotten.nanoseconds, forKey: .inactiveThreshold)
  }
}

struct ReadingRequest: Encodable {
  private enum CodingKeys: String, CodingKey {
    case stream = "stream_name"
    case config
  }

  var stream: String
  var config: ReadingSettings
}
