// Providers, the daemon's own notes and the positions of streams. They belong to the installation, not to one handset.
// The gateway defines a provider; here it is one text of JSON.

import CSQLite
import FoundationEssentials
import Glibc
import HandsetCore

extension HandsetStore {
  /// Adds the provider, or replaces the one with that name. It is on disk when this returns.
  /// - Parameter provider: with public keys and hashes only.
  /// - Throws: `StoreError.privateKey` if it contains a private key.
  public func setProvider(_ provider: some Encodable, named name: String) throws(StoreError) {
    let record = try json(provider, "provider '\(name)'")
    guard !record.contains("PRIVATE KEY") else { throw .privateKey(provider: name) }
    try database.run("INSERT OR REPLACE INTO provider (name, record) VALUES (?, ?)", .text(name), .text(record))
  }

  /// - Returns: true if there was one with that name.
  public func removeProvider(named name: String) throws(StoreError) -> Bool {
    try database.transaction { () throws(StoreError) -> Bool in
      try database.run("DELETE FROM provider WHERE name = ?", .text(name))
      return try database.integer("SELECT changes()") == 1
    }
  }

  /// Returns all of them by name, and the rows that cannot be read: a provider that is left out sends nothing.
  public func providers<Provider: Decodable>(
    _ type: Provider.Type
  ) throws(StoreError) -> (providers: [Provider], damage: [StoreDamage]) {
    let statement = try database.query("SELECT name, record FROM provider ORDER BY name")
    defer { statement.reset() }
    var providers: [Provider] = []
    var damage: [StoreDamage] = []
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "provider")
      do throws(StoreDamage) {
        let record = Data(try row.text(1).utf8)
        do {
          providers.append(try decoder.decode(type, from: record))
        } catch {
          // The decoder's message may quote a hash.
          throw row.damage(1, error is DecodingError ? "it is no provider that this version knows" : "\(error)")
        }
      } catch {
        damage.append(error)
      }
    }
    return (providers, damage)
  }

  public func meta(_ key: MetaKey) throws(StoreError) -> String? {
    try database.first("SELECT value FROM meta WHERE key = ?", [.text(key.rawValue)]) { $0.text(0) } ?? nil
  }

  /// Reads a value from a state directory, whether a daemon has it open or not.
  /// - Returns: nil also if there is no database yet.
  /// - Throws: `StoreError`, also if this user may not read it.
  public static func meta(_ key: MetaKey, in directory: String) throws(StoreError) -> String? {
    guard let resolved = realpath("\(directory)/\(fileName)", nil) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw StateDirectory.failure(directory, "cannot be examined")
    }
    defer { free(resolved) }
    let database = try SQLiteConnection(path: String(cString: resolved), in: nil, flags: SQLITE_OPEN_READWRITE)
    return try database.first("SELECT value FROM meta WHERE key = ?", [.text(key.rawValue)]) { $0.text(0) } ?? nil
  }

  /// Notes the value; nil removes it.
  /// - Parameter durable: true if it is on disk when this returns; else it is with the next commit that waits.
  public func setMeta(_ key: MetaKey, _ value: String?, durable: Bool = true) throws(StoreError) {
    try database.setSynchronous(durable ? .full : .normal)
    // If this fails, the next durable commit tries again before it begins.
    defer { try? database.setSynchronous(.full) }
    guard let value else { return try database.run("DELETE FROM meta WHERE key = ?", .text(key.rawValue)) }
    try database.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      .text(key.rawValue), .text(value))
  }

  /// Returns the positions of all consumers, by their names.
  /// - Throws: `StoreError.damaged` if one cannot be read: without it, messages would be taken twice.
  public func positions() throws(StoreError) -> [StreamPosition] {
    let statement = try database.query("SELECT consumer, stream, sequence FROM stream_position ORDER BY consumer")
    defer { statement.reset() }
    var positions: [StreamPosition] = []
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "stream_position")
      do throws(StoreDamage) {
        positions.append(StreamPosition(consumer: try row.text(0), stream: try row.text(1), sequence: try row.bits(2)))
      } catch {
        throw .damaged(error)
      }
    }
    return positions
  }

  func writePosition(_ position: StreamPosition) throws(StoreError) {
    try database.run(
      "REPLACE INTO stream_position (consumer, stream, sequence) VALUES (?, ?, ?)", .text(position.consumer),
      .text(position.stream), .bits(position.sequence))
  }
}

/// The keys of the daemon's own notes.
public enum MetaKey: String, Sendable {
  /// The kernel's identifier of the boot in which the daemon last ran: another one at start means that the board
  /// booted.
  case bootID = "boot-id"
  /// The virtual clock's moment: uptime and wall time in microseconds.
  case virtualClock = "virtual-clock"
  /// The hash of the panel's password.
  case panelPassword = "panel-password"
  /// The digests of the panel's sessions, and their ends.
  case panelSessions = "panel-sessions"
  /// Present if a person had the panel listen on the network.
  case panelNetwork = "panel-network"
  /// The digest of the token for the metrics.
  case metricsToken = "metrics-token"
}

/// The position up to which the messages of a stream are stored. The commit that stores the turns of a stream's
/// messages stores the position too, so that after a crash no message is taken twice and none is left out.
public struct StreamPosition: Hashable, Sendable {
  /// The consumer that it belongs to: `desk`, or `desk/group`.
  public var consumer: String
  /// The creation time of the stream: a stream that is made again numbers its messages from the start.
  public var stream: String
  /// The last message that is stored.
  public var sequence: UInt64

  public init(consumer: String, stream: String, sequence: UInt64) {
    self.consumer = consumer
    self.stream = stream
    self.sequence = sequence
  }
}
