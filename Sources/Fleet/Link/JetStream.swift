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

  /// True if too few servers know each other to store the required replicas; there are several numbers for this. It
  /// lasts for seconds after their start, and sometimes until one is restarted.
  public var hasNoPeers: Bool { problem.hasPrefix("no suitable peers") }
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
      var code: Int
      var errCode: Int?
      var description: String?
    }
    var error: Content?
  }

  /// - Parameter subject: without the prefix `$JS.API.`
  public func ask<Answer: Decodable>(
    _ subject: String, _ body: (any Encodable)? = nil, within time: TimeAmount = Limits.answer
  ) async throws(NATSError) -> Answer {
    // The encoding of names and numbers cannot fail.
    let json = body.flatMap { try? JetStream.encoder.encode($0) } ?? Data()
    let request = NATSMessage(subject: "$JS.API.\(subject)", payload: Array(json))
    return try await JetStream.read(connection.request(request, within: time))
  }

  static func read<Answer: Decodable>(_ message: NATSMessage) throws(NATSError) -> Answer {
    let (data, decoder) = (Data(message.payload), JetStream.decoder)
    if let error = (try? decoder.decode(Failure.self, from: data))?.error {
      var failure = NATSError(error.description ?? "error \(error.code)", code: error.errCode ?? error.code)
      failure.isTransient = error.code >= 500 || failure.code == NATSError.duplicateInProcess || failure.hasNoPeers
      throw failure
    }
    do {
      return try decoder.decode(Answer.self, from: data)
    } catch {
      throw NATSError("the servers' answer cannot be read: \(error)", isTransient: false)
    }
  }

  // MARK: Storing

  /// - Parameter completion: called exactly once, on any thread. Must not block.
  public func store(
    _ message: NATSMessage, within time: TimeAmount = Limits.answer,
    completion: @escaping @Sendable (Result<Void, NATSError>) -> Void
  ) {
    connection.request(message, within: time) { answer in
      completion(
        answer.flatMap { message in Result { () throws(NATSError) in try JetStream.stored(message) } })
    }
  }

  /// Reads an acknowledgement. If a message is repeated before its first copy is stored, nats-server 2.10 reports a
  /// duplicate at 0: a leader does so even without its majority, and may lose both (nats-server's pull request 6415).
  static func stored(_ message: NATSMessage) throws(NATSError) {
    struct Acknowledgement: Decodable { var seq: UInt64 }
    let acknowledgement: Acknowledgement = try read(message)
    guard acknowledgement.seq > 0 else {
      throw NATSError("it is not stored by a majority yet", code: NATSError.duplicateInProcess)
    }
  }

  public func store(_ message: NATSMessage) async throws(NATSError) {
    try await JetStream.stored(connection.request(message, within: Limits.answer))
  }

  /// Stores the claim of a token or an access key, unless it is stored already: a repeated claim would become later
  /// than others.
  public func claim(_ subject: String) async throws(NATSError) {
    let fields = ["Nats-Expected-Last-Subject-Sequence": "0"]
    do throws(NATSError) {
      try await store(NATSMessage(subject: subject, fields: fields, payload: Array("{}".utf8)))
    } catch {
      guard NATSError.wrongLastSequence.contains(error.code) else { throw error }
    }
  }

  // MARK: Consumers

  public struct ConsumerInfo: Decodable, Sendable {
    public var config: ConsumerSettings
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

  /// Creates a consumer for one reader.
  /// - Parameters:
  ///   - position: the position after which it begins, 0 for all messages; nil for the newest of each subject.
  ///   - replacing: true to remove one of that name before.
  public func makeConsumer(
    _ name: String, of stream: String, subjects: String, after position: UInt64?, headersOnly: Bool = false,
    replacing: Bool = false
  ) async throws(NATSError) -> ConsumerInfo {
    // There may be none, or its server is down; then creating it fails, and the next one has another name.
    if replacing { try? await removeConsumer(name, of: stream, within: Limits.removal) }
    let settings = ConsumerSettings(name, reading: subjects, after: position, headersOnly: headersOnly)
    return try await ask("CONSUMER.CREATE.\(stream).\(name).\(subjects)", ConsumerRequest(settings, of: stream))
  }

  /// Reads the present messages through a consumer that was created for this, and removes the consumer.
  public func readAll(
    _ pending: UInt64, by name: String, of stream: String, _ take: (StreamMessage) -> Void
  ) async throws(NATSError) {
    let reader = pending > 0 ? StreamReader(name, of: stream, over: connection) : nil
    defer { reader?.stop() }
    var missing = pending
    while missing > 0, let reader {
      // Messages that are removed meanwhile never arrive, and the servers do not report their removal.
      let timer = connection.eventLoop.scheduleTask(in: Limits.quiet) {
        reader.stop(NATSError("messages of \(stream) were removed while they were read"))
      }
      defer { timer.cancel() }
      for message in try await reader.next() where missing > 0 {
        take(message)
        missing = message.pending == 0 ? 0 : missing - 1
      }
    }
    // If this fails, the servers delete the consumer later, because it has no reader.
    try? await removeConsumer(name, of: stream)
  }

  /// Reads a bucket's values, and then their changes, until the task is cancelled. It continues after every loss of the
  /// connection.
  /// - Parameters:
  ///   - take: called with the values in their order. All are repeated after a loss.
  ///   - idle: called when all values that have arrived were taken.
  ///   - complete: called each time the newest value of every key was taken.
  ///   - failed: called when the bucket cannot be read at the moment.
  public func watch(
    _ stream: String, take: (StreamMessage) -> Void, idle: () -> Void = {}, complete: () -> Void,
    failed: (NATSError) -> Void
  ) async {
    let keys = "$\(stream.replacing("_", with: ".", maxReplacements: 1)).>"
    while !Task.isCancelled {
      do throws(NATSError) {
        let name = "watch-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let made = try await makeConsumer(name, of: stream, subjects: keys, after: nil)
        if made.numPending == 0 { complete() }
        var place = StreamPlace(sequence: 0, backlog: made.numPending)
        let reader = StreamReader(name, of: stream, over: connection)
        defer { reader.stop() }
        while !Task.isCancelled {
          for message in try await reader.next() {
            let arrival = try place.take(message)
            take(message)
            if arrival.endsBacklog { complete() }
          }
          idle()
        }
      } catch {
        guard !Task.isCancelled else { return }
        failed(error)
        try? await connection.eventLoop.scheduleTask(in: Limits.pause) {}.futureResult.get()
      }
    }
  }

  /// - Throws: `NATSError` `noConsumer` if there is none.
  public func removeConsumer(
    _ name: String, of stream: String, within time: TimeAmount = Limits.answer
  ) async throws(NATSError) {
    struct Done: Decodable { var success: Bool }
    let _: Done = try await ask("CONSUMER.DELETE.\(stream).\(name)", within: time)
  }
}

/// The settings of a consumer, by the servers' own names.
public struct ConsumerSettings: Codable, Equatable, Sendable {
  var durableName: String?
  public var name: String
  var description: String?
  public var filterSubject: String
  var deliverPolicy = "all"
  var optStartSeq: UInt64?
  var headersOnly: Bool?
  var ackPolicy = "explicit"
  var memStorage: Bool?
  var numReplicas = 1
  var inactiveThreshold: Int64?

  /// Creates the settings of the consumer whose description is a note for a desk. Nothing is read through it: a desk
  /// creates a consumer of its own for each connection, which begins at the desk's position.
  /// - Parameters:
  ///   - subjects: the subjects that the note is about.
  ///   - replicas: the stream's number of replicas, so that the consumer exists while a server is down.
  public init(_ name: String, about subjects: String, created: String, groups: [String], replicas: Int) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let note = try? encoder.encode(ConsumerNote(stream: created, groups: groups))
    (durableName, self.name, description) = (name, name, String(decoding: note ?? Data(), as: UTF8.self))
    (filterSubject, numReplicas) = (subjects, replicas)
  }

  /// Creates the settings of a consumer for one reader: without acknowledgements, in one server's memory, deleted
  /// without its reader.
  fileprivate init(_ name: String, reading subjects: String, after position: UInt64?, headersOnly: Bool) {
    (self.name, filterSubject, self.headersOnly) = (name, subjects, headersOnly ? true : nil)
    deliverPolicy = position == nil ? "last_per_subject" : "by_start_sequence"
    // The position may come from another member of the fleet, so the addition must not trap.
    optStartSeq = position.map { max($0, $0 &+ 1) }
    (ackPolicy, memStorage, inactiveThreshold) = ("none", true, JetStream.Limits.forgotten.nanoseconds)
  }
}

/// The request for a new or changed consumer.
public struct ConsumerRequest: Encodable {
  let streamName: String
  let config: ConsumerSettings

  public init(_ settings: ConsumerSettings, of stream: String) {
    (streamName, config) = (stream, settings)
  }
}
