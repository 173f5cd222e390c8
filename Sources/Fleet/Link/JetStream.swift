// JetStream's requests are JSON over request and reply. libnats has functions for them, but their structures change
// with its versions, and two versions of it are in use.

import FoundationEssentials
import NATSClient
import NIOCore

/// The reason why the servers did not carry out a request.
public struct JetStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The servers' own error number, such as 10059 for a missing stream; 0 if they did not answer.
  public var code: Int
  public var problem: String
  /// True if a retry may help.
  public var isTransient: Bool

  public init(code: Int, problem: String, isTransient: Bool) {
    (self.code, self.problem, self.isTransient) = (code, problem, isTransient)
  }

  init(_ error: NATSError) {
    self.init(code: 0, problem: error.problem, isTransient: error.kind != .other)
  }

  public static let noStream = 10_059
  public static let noConsumer = 10_014
  /// The subject already has a message; later servers have another number for this.
  static let wrongLastSequence: Set = [10_071, 10_164]
  /// The error of later servers for a repeated message whose first copy is not stored yet.
  public static let duplicateInProcess = 10_158

  public var description: String { problem }

  /// True if too few servers know each other to store the required replicas. This lasts for seconds after their start,
  /// and sometimes until one is restarted.
  public var hasNoPeers: Bool { problem.hasPrefix(JetStreamError.noPeers) }

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
  /// - Parameters:
  ///   - subject: without the prefix `$JS.API.`
  ///   - json: empty for none.
  /// - Throws: `JetStreamError`
  public func ask<Answer: Decodable>(
    _ subject: String, json: [UInt8] = [], as: Answer.Type = Answer.self, within time: TimeAmount = Limits.answer
  ) async throws(JetStreamError) -> Answer {
    let answer: NATSMessage
    do throws(NATSError) {
      answer = try await connection.request(NATSMessage(subject: "$JS.API.\(subject)", payload: json), within: time)
    } catch {
      throw JetStreamError(error)
    }
    return try JetStream.read(answer, by: JetStream.decoder)
  }

  public func ask<Answer: Decodable>(
    _ subject: String, _ body: some Encodable, as: Answer.Type = Answer.self
  ) async throws(JetStreamError) -> Answer {
    guard let json = try? JetStream.encoder.encode(body) else {
      throw JetStreamError(code: 0, problem: "the request cannot be written as JSON", isTransient: false)
    }
    return try await ask(subject, json: Array(json))
  }

  static func read<Answer: Decodable>(
    _ message: NATSMessage, by decoder: JSONDecoder = JSONDecoder()
  ) throws(JetStreamError) -> Answer {
    let data = Data(message.payload)
    if let error = (try? JSONDecoder().decode(Failure.self, from: data))?.error {
      let problem = error.description ?? "error \(error.code)"
      throw JetStreamError(
        code: error.number ?? error.code, problem: problem,
        isTransient: error.code >= 500 || error.number == JetStreamError.duplicateInProcess
          || problem.hasPrefix(JetStreamError.noPeers))
    }
    do {
      return try decoder.decode(Answer.self, from: data)
    } catch {
      throw JetStreamError(code: 0, problem: "the servers' answer cannot be read: \(error)", isTransient: false)
    }
  }

  // MARK: Storing

  /// The acknowledgement of a message that is stored.
  public struct Stored: Hashable, Sendable, Decodable {
    public var stream: String
    public var seq: UInt64
    /// True if it was stored already.
    public var duplicate: Bool?
  }

  /// Stores a message in the stream that has its subject.
  /// - Parameter completion: called exactly once, on any thread. Must not block.
  public func store(
    _ message: NATSMessage, within time: TimeAmount = Limits.answer,
    completion: @escaping @Sendable (Result<Stored, JetStreamError>) -> Void
  ) {
    connection.request(message, within: time) { answer in
      completion(
        answer.mapError { JetStreamError($0) }.flatMap { message in
          Result { () throws(JetStreamError) in try JetStream.stored(message) }
        })
    }
  }

  /// Returns the acknowledgement. If a message is repeated before its first copy is stored, nats-server 2.10 reports a
  /// duplicate at 0: a leader does so even without its majority, and may lose both (nats-server's pull request 6415).
  static func stored(_ message: NATSMessage) throws(JetStreamError) -> Stored {
    let stored: Stored = try read(message)
    guard stored.seq > 0 else {
      throw JetStreamError(
        code: JetStreamError.duplicateInProcess, problem: "it is not stored by a majority yet", isTransient: true)
    }
    return stored
  }

  public func store(_ message: NATSMessage) async throws(JetStreamError) -> Stored {
    let result = await withCheckedContinuation { continuation in
      store(message) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Stores the claim of a token or an access key, unless it is stored already: a repeated claim would become later
  /// than others.
  public func claim(_ subject: String) async throws(JetStreamError) {
    let fields = ["Nats-Expected-Last-Subject-Sequence": "0"]
    do throws(JetStreamError) {
      _ = try await store(NATSMessage(subject: subject, fields: fields, payload: Array("{}".utf8)))
    } catch {
      guard JetStreamError.wrongLastSequence.contains(error.code) else { throw error }
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

  public func consumer(_ name: String, of stream: String) async throws(JetStreamError) -> ConsumerInfo {
    try await ask("CONSUMER.INFO.\(stream).\(name)")
  }
}
