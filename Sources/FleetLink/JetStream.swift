// JetStream's requests are JSON over request and answer. libnats has functions for them, whose structures change with its
// versions; two versions of it are in use.

import FoundationEssentials
import NATSClient
import NIOCore

/// Why the engine did not do something.
public struct JetStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The engine's own number of it, such as 10059 where there is no such stream; 0 where it did not answer.
  public var code: Int
  public var problem: String
  /// Whether trying again may help.
  public var isTransient: Bool

  public init(code: Int, problem: String, isTransient: Bool) {
    (self.code, self.problem, self.isTransient) = (code, problem, isTransient)
  }

  init(_ error: NATSError) {
    self.init(code: 0, problem: error.problem, isTransient: error.kind != .other)
  }

  public static let noStream = 10_059
  public static let noConsumer = 10_014
  /// The subject has a message already; later servers have another number for it.
  static let wrongLastSequence: Set = [10_071, 10_164]
  /// Later servers' word for a message that is not stored yet and comes again.
  public static let duplicateInProcess = 10_158

  public var description: String { problem }

  /// True if too few nodes know of each other to store something on as many as it needs. This lasts for seconds after
  /// their start, and sometimes until one is restarted.
  public var hasNoPeers: Bool { problem.hasPrefix(JetStreamError.noPeers) }

  /// The engine has several numbers for it.
  fileprivate static let noPeers = "no suitable peers"
}

/// The requests of JetStream that are made here.
public struct JetStream: Sendable {
  public enum Limits {
    public static let answer = TimeAmount.seconds(5)
    static let removal = TimeAmount.seconds(1)
    /// Where all that is there is read, and more was to come.
    static let quiet = TimeAmount.seconds(10)
    /// After so long without its reader the engine forgets a consumer.
    static let forgotten = TimeAmount.seconds(60)
  }

  public let connection: NATSConnection

  public init(_ connection: NATSConnection) {
    self.connection = connection
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

  /// Asks the engine.
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
    return try JetStream.read(answer)
  }

  public func ask<Answer: Decodable>(
    _ subject: String, _ body: some Encodable, as: Answer.Type = Answer.self
  ) async throws(JetStreamError) -> Answer {
    guard let json = try? JSONEncoder().encode(body) else {
      throw JetStreamError(code: 0, problem: "the request cannot be written as JSON", isTransient: false)
    }
    return try await ask(subject, json: Array(json))
  }

  static func read<Answer: Decodable>(_ message: NATSMessage) throws(JetStreamError) -> Answer {
    let data = Data(message.payload)
    if let error = (try? JSONDecoder().decode(Failure.self, from: data))?.error {
      let problem = error.description ?? "error \(error.code)"
      throw JetStreamError(
        code: error.number ?? error.code, problem: problem,
        isTransient: error.code >= 500 || error.number == JetStreamError.duplicateInProcess
          || problem.hasPrefix(JetStreamError.noPeers))
    }
    do {
      return try JSONDecoder().decode(Answer.self, from: data)
    } catch {
      throw JetStreamError(code: 0, problem: "the engine's answer cannot be read: \(error)", isTransient: false)
    }
  }

  // MARK: Storing

  /// The acknowledgement of a message that is stored.
  public struct Stored: Hashable, Sendable, Decodable {
    public var stream: String
    public var seq: UInt64
    /// Whether it was stored already.
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

  /// Of a message that came again before its first copy was stored, nats-server 2.10 says that it is a duplicate, at 0: a
  /// leader says so even without its majority, and may lose both (nats-server's pull request 6415).
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

  /// Stores the claim of a token or an access key, unless it is stored already: a claim that is stored again would be
  /// later than others'.
  /// - Returns: whether it was stored now.
  @discardableResult
  public func claim(_ subject: String) async throws(JetStreamError) -> Bool {
    let fields = ["Nats-Expected-Last-Subject-Sequence": "0"]
    do throws(JetStreamError) {
      _ = try await store(NATSMessage(subject: subject, fields: fields, payload: Array("{}".utf8)))
      return true
    } catch {
      guard JetStreamError.wrongLastSequence.contains(error.code) else { throw error }
      return false
    }
  }

  // MARK: Consumers

  /// What is asked of a consumer.
  public struct ConsumerInfo: Decodable, Sendable {
    public struct Settings: Decodable, Sendable {
      public var description: String?
    }

    private enum CodingKeys: String, CodingKey {
      case config
      case pending = "num_pending"
    }

    public var config: Settings
    /// What it has not delivered yet.
    public var pending: UInt64

    /// What the administrator wrote to the desk.
    public var note: ConsumerNote? {
      config.description.flatMap { try? JSONDecoder().decode(ConsumerNote.self, from: Data($0.utf8)) }
    }
  }

  public func consumer(_ name: String, of stream: String) async throws(JetStreamError) -> ConsumerInfo {
    try await ask("CONSUMER.INFO.\(stream).\(name)")
  }
}
