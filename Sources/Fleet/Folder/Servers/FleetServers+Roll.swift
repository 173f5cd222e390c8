// The presence of desks and gateways, the pushes that wait for them, and their registry entries.

import FleetLink
import FoundationEssentials
import NATSClient
import NIOCore
import Synchronization

/// The report on a fleet's desks and gateways.
public struct FleetReport: Encodable, Equatable, Sendable {
  public struct Desk: Encodable, Equatable, Sendable {
    public var name: String
    public var groups: [String]
    public var isAlive = false
    /// The time (RFC 3339) of its last push or event; nil while it is alive, and if there is none.
    public var seen: String?
    /// The number of pushes that wait for it; nil if it has no consumer.
    public var behind: UInt64?
    /// The number of registered device tokens; nil if the servers were not asked.
    public var tokens: Int?
    public var handsets: Int?
    public var version: String?
  }

  public struct Gateway: Encodable, Equatable, Sendable {
    public var name: String
    public var isAlive = false
    /// True if it has the whole registry.
    public var isReady: Bool?
    public var tokens: Int?
    public var version: String?
  }

  public struct Group: Encodable, Equatable, Sendable {
    public var name: String
    public var app: String
    public var environment: String
    public var desks: [String]
  }

  public var desks: [Desk]
  public var gateways: [Gateway]
  public var groups: [Group]

  /// Creates the report from the folder, without the servers.
  public init(of fleet: Fleet) {
    desks = fleet.desks.map { desk in Desk(name: desk.name, groups: fleet.groups(of: desk.name).map(\.name)) }
    gateways = fleet.gateways.map { Gateway(name: $0.name) }
    groups = fleet.groups.map { group in
      Group(name: group.name, app: group.app, environment: group.environment, desks: group.desks.map(\.description))
    }
  }
}

extension FleetServers {
  /// Calls the roll, and reads the other values.
  public func report(of fleet: Fleet) async throws -> FleetReport {
    var report = FleetReport(of: fleet)
    let alive = await callRoll(expecting: Set((fleet.desks + fleet.gateways).map(\.name)))
    let tokens = try await registeredTokens()
    for index in report.desks.indices {
      let name = report.desks[index].name
      report.desks[index].tokens = tokens[name] ?? 0
      let known = try await lastSeen(name)
      let position = alive[name]?.position ?? known?.position ?? 0
      report.desks[index].behind = try await pending(of: name, after: position)
      if let record = alive[name] {
        (report.desks[index].isAlive, report.desks[index].version) = (true, record.version)
        report.desks[index].handsets = record.handsets
      } else {
        let event = try await last(of: FleetNames.events(of: name), in: FleetNames.events)
        report.desks[index].seen = [known?.time, event?.time].compactMap(\.self).max()
      }
    }
    for index in report.gateways.indices {
      guard let record = alive[report.gateways[index].name] else { continue }
      (report.gateways[index].isAlive, report.gateways[index].version) = (true, record.version)
      (report.gateways[index].isReady, report.gateways[index].tokens) = (record.ready, record.tokens)
    }
    return report
  }

  /// Returns the position and time of a desk's last message about itself; nil if there is none.
  func lastSeen(_ desk: String) async throws -> (position: UInt64, time: String?)? {
    guard let message = try await last(of: FleetNames.lastSeen(desk), in: FleetNames.tokens),
      let data = message.data, let record = try? JSONDecoder().decode(AliveRecord.self, from: data)
    else { return nil }
    return (record.position ?? 0, message.time)
  }

  /// Returns the number of pushes for a desk that the stream has after a position.
  private func pending(of desk: String, after position: UInt64) async throws -> UInt64 {
    let name = "list-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let place = try await patiently(FleetNames.pushes) {
      try await jetStream.place(name, of: FleetNames.pushes, subjects: FleetNames.pushes(to: desk), after: position)
    }
    try await removeIfAny(name, of: FleetNames.pushes)
    return place.backlog
  }

  /// Asks all members and returns their answers, as soon as all have answered.
  private func callRoll(expecting names: Set<String>) async -> [String: AliveRecord] {
    if names.isEmpty { return [:] }
    let (answers, continuation) = AsyncStream.makeStream(of: (name: String, record: AliveRecord).self)
    let subscription = connection.subscribe(to: FleetNames.alive("*")) { message in
      if let record = try? JSONDecoder().decode(AliveRecord.self, from: Data(message.payload)) {
        // The servers let each member write only its own subject; the content of the record is not trusted.
        continuation.yield((String(message.subject.dropFirst(FleetNames.alive("").utf8.count)), record))
      }
    }
    defer { connection.unsubscribe(subscription) }
    connection.publish(NATSMessage(subject: FleetNames.roll))
    let timer = Self.eventLoop.scheduleTask(in: Limits.roll) { continuation.finish() }
    defer { timer.cancel() }
    var alive: [String: AliveRecord] = [:]
    for await (name, record) in answers {
      alive[name] = record
      if names.isSubset(of: alive.keys) { break }
    }
    return alive
  }

  /// Returns the number of registered tokens of each desk.
  private func registeredTokens() async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for message in try await values(of: FleetNames.tokens, "$KV.BELL_TOKENS.>") {
      let words = message.subject.split(separator: ".")
      guard words.count == 4,
        let record = try? JSONDecoder().decode(RegistryRecord.self, from: Data(message.payload)), record.gone == nil
      else { continue }
      counts[String(words[2]), default: 0] += 1
    }
    return counts
  }

  /// Returns the newest message of each subject of a registry.
  func values(of stream: String, _ subjects: String) async throws -> [NATSMessage] {
    var values: [NATSMessage] = []
    try await read(stream, subjects, from: .newest) { values.append($0.message) }
    return values
  }

  /// Reads the present messages of a stream.
  func read(
    _ stream: String, _ subjects: String, from start: ReadingStart, headersOnly: Bool = false,
    _ take: (StreamMessage) -> Void
  ) async throws {
    let name = "admin-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let made = try await patiently(stream) {
      try await jetStream.makeConsumer(name, of: stream, subjects: subjects, from: start, headersOnly: headersOnly)
    }
    do {
      try await jetStream.readAll(made.numPending, by: name, of: stream, take)
    } catch {
      throw FleetError(failing: stream, error)
    }
  }
}
