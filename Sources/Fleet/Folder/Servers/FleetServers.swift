// The servers, over the administrator's connection.

import FleetLink
import FoundationEssentials
import NATSClient
import NIOCore
import NIOPosix

/// A connection to the servers of a fleet, as their administrator.
public struct FleetServers: Sendable {
  let connection: NATSConnection
  let jetStream: JetStream
  private let waiting: @Sendable (String) -> Void

  enum Limits {
    static let connecting = TimeAmount.seconds(10)
    /// The time for further attempts once no server has answered: a server that has just been started answers soon.
    static let trying = TimeAmount.seconds(3)
    /// The time in which desks and gateways must answer the roll call.
    static let roll = TimeAmount.seconds(2)
    /// The time in which a server must report its clock.
    static let clock = TimeAmount.seconds(2)
    static let clockQuestions = 4
    /// The time for which temporary failures are retried: servers that have just been started do not know each other yet,
    /// or elect a leader.
    static let starting = TimeAmount.seconds(60)
    static let retry = TimeAmount.milliseconds(200)
    /// The number of checks of a late replica.
    static let settling = 10
    static let pause = TimeAmount.milliseconds(500)
  }

  /// The event loop of all timers.
  static var eventLoop: any EventLoop { MultiThreadedEventLoopGroup.singleton.any() }

  /// Connects to the servers.
  /// - Parameters:
  ///   - server: the server to connect to; nil for any.
  ///   - key: the user's; nil for the administrator's.
  ///   - waiting: called once for each reason why the servers cannot answer a request yet.
  /// - Throws: `FleetError` if no server answers.
  public init(
    of folder: FleetFolder, server: Fleet.Server? = nil, as key: NATSServers.Key? = nil,
    waiting: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    self.waiting = waiting
    let servers = server.map { [$0] } ?? folder.fleet.servers
    let addresses = NATSServers(
      servers.map { NATSServers.Address(host: $0.host, port: $0.port, isSecure: true) }, name: "deskbell fleet",
      key: key ?? NATSServers.Key(publicKey: folder.fleet.admin, seedFile: folder.seedFile),
      authorityFile: folder.authorityFile)
    let (reports, continuation) = AsyncStream.makeStream(of: NATSReport.self)
    do {
      connection = try NATSConnection(addresses, eventLoop: Self.eventLoop)
    } catch {
      throw FleetError("the servers cannot be used: \(error)")
    }
    jetStream = JetStream(connection)
    connection.start { continuation.yield($0) }
    var timers = [Self.eventLoop.scheduleTask(in: Limits.connecting) { continuation.finish() }]
    defer { for timer in timers { timer.cancel() } }
    var problem = "no answer"
    for await report in reports {
      switch report {
      case .connected: return
      case .failed(let why): problem = why
      case .lost(let why):
        problem = why
        timers.append(Self.eventLoop.scheduleTask(in: Limits.trying) { continuation.finish() })
      }
    }
    connection.end()
    throw FleetError(
      "no server can be used at \(servers.map(\.url).joined(separator: ", ")): \(problem)",
      hint: "start nats-server there with the files of \(folder.path)/nodes, or set the network right")
  }

  public func end() { connection.end() }

  /// - Throws: `FleetError`.
  func ask<Answer: Decodable>(_ subject: String, _ body: some Encodable) async throws -> Answer {
    try await patiently(subject) { () async throws -> Answer in try await jetStream.ask(subject, body) }
  }

  /// Asks as `ask` does; returns nil if the stream, the consumer or the message does not exist.
  func askIfAny<Answer: Decodable>(_ subject: String, _ body: some Encodable) async throws -> Answer? {
    try await ifAny(subject) { () async throws -> Answer in try await jetStream.ask(subject, body) }
  }

  /// - Returns: true if the consumer existed.
  @discardableResult
  func removeIfAny(_ consumer: String, of stream: String) async throws -> Bool {
    try await ifAny(stream) { try await jetStream.removeConsumer(consumer, of: stream) } != nil
  }

  private func ifAny<Result>(_ subject: String, _ body: () async throws -> Result) async throws -> Result? {
    try await patiently(subject) {
      do { return try await body() } catch let error as NATSError where Self.missing.contains(error.code) {
        return nil
      }
    }
  }

  /// The error codes for a missing stream, consumer or message.
  private static let missing: Set<Int> = [NATSError.noStream, NATSError.noConsumer, 10_037]

  /// Stores a value of the registry.
  func store(_ subject: String, _ value: some Encodable) async throws {
    try await store(NATSMessage(subject: subject, payload: Array(JSONEncoder().encode(value))))
  }

  func store(_ message: NATSMessage) async throws {
    _ = try await patiently(message.subject) { try await jetStream.store(message) }
  }

  /// Runs `body`, and repeats it while servers discover each other and elect a leader, as after a start and after a loss.
  func patiently<Result>(_ subject: String, _ body: () async throws -> Result) async throws -> Result {
    let end = NIODeadline.now() + Limits.starting
    var problem: String?
    while true {
      do {
        return try await body()
      } catch let error as NATSError {
        guard error.isTransient, NIODeadline.now() < end else { throw FleetError(failing: subject, error) }
        if problem != error.problem { waiting(error.problem) }
        problem = error.problem
        try await Self.eventLoop.scheduleTask(in: Limits.retry) {}.futureResult.get()
      }
    }
  }

  /// An empty request.
  struct Nothing: Codable {}

  struct StreamInfo: Decodable {
    struct Cluster: Decodable {
      struct Peer: Decodable {
        var name: String
        var current: Bool
        var offline: Bool?
        var lag: UInt64?

        var isLate: Bool { !current || offline ?? false }
      }
      var replicas: [Peer]?
    }
    var config: StreamSettings
    var created: String
    var cluster: Cluster?
  }

  /// Returns a stream; nil if there is none.
  func stream(_ name: String) async throws -> StreamInfo? {
    try await askIfAny("STREAM.INFO.\(name)", Nothing())
  }

  struct StoredMessage: Decodable {
    struct Content: Decodable {
      var data: Data?
      /// The time in the format of RFC 3339.
      var time: String
    }
    var message: Content
  }

  /// Returns the newest message of a subject; nil if there is none.
  func last(of subject: String, in stream: String) async throws -> StoredMessage.Content? {
    struct Request: Encodable { var lastBySubj: String }
    let answer: StoredMessage? = try await askIfAny("STREAM.MSG.GET.\(stream)", Request(lastBySubj: subject))
    return answer?.message
  }
}

extension FleetError {
  init(failing subject: String, _ error: NATSError) {
    self.init(
      "the servers refuse \(subject): \(error.problem)",
      hint: error.hasNoPeers
        ? "servers that were started at the same time have not all found each other: restart each, one "
          + "after the other, and try again"
        : error.isTransient ? "wait until a majority of the servers runs, and try again" : nil)
  }
}
