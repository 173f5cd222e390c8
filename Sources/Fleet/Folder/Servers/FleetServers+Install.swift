// Installs a fleet's streams and consumers on its servers. Repeating a step is safe: correct objects stay unchanged.

import FleetLink
import FoundationEssentials
import NATSClient

/// A change of a stream or a consumer.
public struct ServerChange: Encodable, Equatable, Sendable {
  public enum Kind: String, Encodable, Sendable { case made, updated, removed }

  public var name: String
  public var kind: Kind
  /// The settings that differed.
  public var differences: [String] = []
}

extension FleetServers {
  /// Creates missing streams and consumers, and corrects differing ones.
  /// - Returns: the changes; empty if there were none.
  /// - Throws: `FleetError`.
  public func install(_ fleet: Fleet) async throws -> [ServerChange] {
    var changes: [ServerChange] = []
    for expected in StreamSettings.all(replicas: fleet.replicas) {
      if let change = try await installStream(expected) { changes.append(change) }
    }
    changes += try await installConsumers(of: fleet.desks.map(\.name), in: fleet)
    for group in fleet.groups {
      let subject = "$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)"
      if try await last(of: subject, in: FleetNames.tokens) == nil {
        try await announce(group)
        changes.append(ServerChange(name: "the token of \(group.name)", kind: .made))
      }
    }
    return changes
  }

  private func installStream(_ expected: StreamSettings) async throws -> ServerChange? {
    guard let info = try await stream(expected.name) else {
      let _: StreamInfo = try await ask("STREAM.CREATE.\(expected.name)", expected)
      return ServerChange(name: expected.name, kind: .made)
    }
    let differences = expected.differences(in: info.config)
    if differences.isEmpty { return nil }
    guard info.config.storage == expected.storage, info.config.retention == expected.retention else {
      throw FleetError(
        "the stream \(expected.name) cannot be set right: \(differences.joined(separator: ", "))",
        hint: "it was not made by this program; name other servers, or remove it there: nats stream rm \(expected.name)"
      )
    }
    let _: StreamInfo = try await ask("STREAM.UPDATE.\(expected.name)", expected)
    return ServerChange(name: expected.name, kind: .updated, differences: differences)
  }

  /// Creates the consumers of these desks, and writes into them the notes for the desks.
  public func installConsumers(of desks: [String], in fleet: Fleet) async throws -> [ServerChange] {
    if desks.isEmpty { return [] }
    guard let pushes = try await stream(FleetNames.pushes), let clears = try await stream(FleetNames.clears) else {
      throw FleetError("the servers have no streams of a fleet", hint: "make them: deskbell fleet init")
    }
    var changes: [ServerChange] = []
    for desk in desks {
      let groups = fleet.groups(of: desk).map(\.name).sorted()
      let settings = ConsumerSettings(
        desk, about: FleetNames.pushes(to: desk), description: Self.note(pushes.created, groups),
        replicas: fleet.replicas)
      if let change = try await installConsumer(settings, of: FleetNames.pushes) { changes.append(change) }
      for group in groups {
        let settings = ConsumerSettings(
          FleetNames.clearConsumer(of: desk, in: group), about: FleetNames.clears(in: group),
          description: Self.note(clears.created, groups), replicas: fleet.replicas)
        if let change = try await installConsumer(settings, of: FleetNames.clears) { changes.append(change) }
      }
    }
    return changes
  }

  private static func note(_ created: String, _ groups: [String]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = try? encoder.encode(ConsumerNote(stream: created, groups: groups))
    return String(decoding: json ?? Data(), as: UTF8.self)
  }

  private struct ConsumerConfiguration: Decodable {
    var config: ConsumerSettings
  }

  private func installConsumer(_ expected: ConsumerSettings, of stream: String) async throws -> ServerChange? {
    let current: ConsumerConfiguration? = try await askIfAny("CONSUMER.INFO.\(stream).\(expected.name)", Nothing())
    if current?.config == expected { return nil }
    let _: ConsumerConfiguration = try await ask(
      "CONSUMER.CREATE.\(stream).\(expected.name).\(expected.filterSubject)",
      ConsumerRequest(expected, of: stream))
    return ServerChange(name: "\(stream) \(expected.name)", kind: current == nil ? .made : .updated)
  }

  // MARK: Groups

  /// Creates a group: its token, its consumers, and the desks' notes about it.
  public func add(_ group: Fleet.Group, in fleet: Fleet) async throws -> [ServerChange] {
    let changes = try await installConsumers(of: group.deskNames, in: fleet)
    // Stored last: a push to the group rings at once.
    try await announce(group)
    return changes
  }

  /// Stores the claim of a group's token, and then its record.
  private func announce(_ group: Fleet.Group) async throws {
    if let key = TokenKey(hex: group.token) {
      let claim = FleetNames.claim(of: key, by: FleetNames.groups)
      try await patiently(claim) { try await jetStream.claim(claim) }
    }
    try await store("$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)", group.record)
  }

  /// Ends a group's token, and removes its consumers.
  /// - Parameters:
  ///   - fleet: the fleet without the group.
  ///   - now: milliseconds since 1970.
  public func remove(_ group: Fleet.Group, in fleet: Fleet, now: Int64) async throws -> [ServerChange] {
    var record = group.record
    (record.gone, record.kind) = (now, .unregistered)
    try await store("$KV.BELL_TOKENS.\(FleetNames.groups).\(group.token)", record)
    var changes: [ServerChange] = []
    for desk in group.deskNames {
      let name = FleetNames.clearConsumer(of: desk, in: group.name)
      if let change = try await removeConsumer(name, of: FleetNames.clears) { changes.append(change) }
    }
    return changes + (try await installConsumers(of: group.deskNames, in: fleet))
  }

  private func removeConsumer(_ name: String, of stream: String) async throws -> ServerChange? {
    try await removeIfAny(name, of: stream) ? ServerChange(name: "\(stream) \(name)", kind: .removed) : nil
  }

  // MARK: Desks

  /// The numbers of objects that were removed with a desk.
  public struct Removal: Encodable, Equatable, Sendable {
    public var tokens = 0
    public var providers = 0
    public var pushes: UInt64 = 0
  }

  /// Ends a desk's tokens, and removes its providers, its consumer and the pushes that wait for it.
  /// - Parameter now: milliseconds since 1970.
  public func removeDesk(_ desk: String, now: Int64) async throws -> Removal {
    struct Purge: Encodable { var filter: String }
    struct Purged: Decodable { var purged: UInt64 }
    var removal = Removal()
    try await store(.deletion(of: FleetNames.lastSeen(desk)))
    for message in try await values(of: FleetNames.tokens, "$KV.BELL_TOKENS.\(desk).>") {
      guard var record = try? JSONDecoder().decode(RegistryRecord.self, from: Data(message.payload)),
        record.gone == nil
      else { continue }
      (record.gone, record.kind) = (now, .unregistered)
      try await store(message.subject, record)
      removal.tokens += 1
    }
    for message in try await values(of: FleetNames.providers, "$KV.BELL_PROVIDERS.\(desk).>") {
      // Claims stay, so that no other desk can claim the desk's keys.
      guard FleetNames.claimedKey(in: message.subject.split(separator: ".").last ?? "") == nil else { continue }
      guard !message.payload.isEmpty else { continue }
      try await store(.deletion(of: message.subject))
      removal.providers += 1
    }
    _ = try await removeConsumer(desk, of: FleetNames.pushes)
    let purged: Purged = try await ask(
      "STREAM.PURGE.\(FleetNames.pushes)", Purge(filter: FleetNames.pushes(to: desk)))
    removal.pushes = purged.purged
    return removal
  }
}

extension Fleet.Group {
  /// The names of the desks, each once.
  var deskNames: [String] { Set(desks.map(\.desk)).sorted() }

  /// The registry's record of the group's token.
  var record: RegistryRecord {
    var record = RegistryRecord(app: app, handset: nil, environment: environment, since: since)
    (record.group, record.desks) = (name, desks)
    return record
  }
}
