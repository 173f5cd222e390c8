// JetStream's requests are JSON over request and reply. libnats has functions for them, but their structures change
// with its versions, and two versions of it are in use.

import FoundationEssentials
import NATSClient
import NIOCore

extension NATSError {
  public static let noStream = 10_059
  public static let noConsumer = 10_014
  /// The subject already has a message; later servers have another number for this.
  static let wrongLastSequence: Set = [10_071, 10_164]
  /// The error of later servers for a repeated message whose first copy is not stored yet.
  public static let duplicateInProcess = 10_158

  /// True if too few servers know each other to store the required replicas. This lasts for seconds after their start,
  /// and sometimes until one is restarted.
  public var hasNoPeers: Bool { problem.hasPrefix(NATSError.noPeers) }

  /// The text of the error, for which the servers have several numbers.
  fileprivate static let noPeers = "no suitable peers"
}

/// The requests of JetStream that Deskbell makes.
public struct JetStream: Sendable {
  public enum Limits {
    public static let answer = TimeAmount.seconds(5)
    static let removal = TimeAmount.seconds(1)
    /// The longest silence while a reader of all messages still expects some.
    static let quiet = TimeAmount.seconds(10)
    /// The time without a reader after which the servers delete a consumer.
    static let forgotten = TimeAmount.seconds(60)
    /// The pause after a bucket could not be read.
    static let pause = TimeAmount.milliseconds(500)
  }

  public let connection: NATSConnection

  public init(_ connection: NATSConnection) {
    self.connection = connection
  }

  /// The servers' names of fields have `_` between their words.
  public static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }

  public static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  private struct Failure: Decodable {
    struct Content: Decodable {
      private enum CodingKeys: String, CodingKey {
        case code
        case number = "err_code"
        case description
      }

      var code: Int
      var number: Int?
      var description: String?
    }
    var error: Content?
  }

  /// Sends a request to the servers.
  /// - Parameter subject: without the prefix `$JS.API.`
  /// - Throws: `NATSError`
  public func ask<Answer: Decodable>(
    _ subject: String, json: [UInt8] = [], within time: TimeAmount = Limits.answer
  ) async throws(NATSError) -> Answer {
    let request = NATSMessage(subject: "$JS.API.\(subject)", payload: json)
    return try await JetStream.read(connection.request(request, within: time), by: JetStream.decoder)
  }

  public func ask<Answer: Decodable>(_ subject: String, _ body: some Encodable) async throws(NATSError) -> Answer {
    guard let json = try? JetStream.encoder.encode(body) else {
      throw NATSError("the request cannot be written as JSON", isTransient: false)
    }
    return try await ask(subject, json: Array(json))
  }

  static func read<Answer: Decodable>(
    _ message: NATSMessage, by decoder: JSONDecoder = JSONDecoder()
  ) throws(NATSError) -> Answer {
    let data = Data(message.payload)
    if let error = (try? JSONDecoder().decode(Failure.self, from: data))?.error {
      let problem = error.description ?? "error \(error.code)"
      throw NATSError(
        problem, code: error.number ?? error.code,
        isTransient: error.code >= 500 || error.number == NATSError.duplicateInProcess
          || problem.hasPrefix(NATSError.noPeers))
    }
    do {
      return try decoder.decode(Answer.self, from: data)
    } catch {
      throw NATSError("the servers' answer cannot be read: \(error)", isTransient: false)
    }
  }

  // MARK: Storing

  /// The acknowledgement of a message that is stored.
  public struct Stored: Hashable, Sendable, Decodable {
    public var stream: String
    public var seq: UInt64
    public var duplicate: Bool?
  }

  /// Stores a message in the stream that has its subject.
  /// - Parameter completion: called exactly once, on any thread. Must not block.
  public func store(
    _ message: NATSMessage, within time: TimeAmount = Limits.answer,
    completion: @escaping @Sendable (Result<Stored, NATSError>) -> Void
  ) {
    connection.request(message, within: time) { answer in
      completion(
        answer.flatMap { message in Result { () throws(NATSError) in try JetStream.stored(message) } })
    }
  }

  /// Returns the acknowledgement. If a message is repeated before its first copy is stored, nats-server 2.10 reports a
  /// duplicate at 0: a leader does so even without its majority, and may lose both (nats-server's pull request 6415).
  static func stored(_ message: NATSMessage) throws(NATSError) -> Stored {
    let stored: Stored = try read(message)
    guard stored.seq > 0 else {
      throw NATSError("it is not stored by a majority yet", code: NATSError.duplicateInProcess)
    }
    return stored
  }

  public func store(_ message: NATSMessage) async throws(NATSError) -> Stored {
    let result = await withCheckedContinuation { continuation in
      store(message) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Stores the claim of a token or an access key, unless it is stored already: a repeated claim would become later
  /// than others.
  public func claim(_ subject: String) async throws(NATSError) {
    let fields = ["Nats-Expected-Last-Subject-Sequence": "0"]
    do throws(NATSError) {
      _ = try await store(NATSMessage(subject: subject, fields: fields, payload: Array("{}".utf8)))
    } catch {
      guard NATSError.wrongLastSequence.contains(error.code) else { throw error }
    }
  }

  // MARK: Consumers

  /// The state of a consumer.
  public struct ConsumerInfo: Decodable, Sendable {
    public struct Settings: Decodable, Sendable {
      public var description: String?
    }

    public var config: Settings
    /// The number of messages that it has not delivered yet.
    public var numPending: UInt64

    /// The administrator's note for the desk.
    public var note: ConsumerNote? {
      config.description.flatMap { try? JSONDecoder().decode(ConsumerNote.self, from: Data($0.utf8)) }
    }
  }

  public func consumer(_ name: String, of stream: String) async throws(NATSError) -> ConsumerInfo {
    try await ask("CONSUMER.INFO.\(stream).\(name)")
  }
}
