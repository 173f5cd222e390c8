// Who may send pushes, and the daemon's own notes. Both are the installation's, not one handset's.

import FoundationEssentials
import HandsetCore

/// A provider and what it is known by.
public struct ProviderRecord: Hashable, Sendable {
  public enum Credential: Hashable, Sendable {
    /// Provider tokens (ES256) signed with the private half of the key [APNs].
    case token(teamID: String, keyID: String, publicKeyPEM: String, environment: Environment)
    /// A password, as a salted hash, with any of the apps as user name [2008].
    case password(hash: String)
    /// The client certificate of its connections [APNs], pinned whole.
    case certificate(pem: String)
  }

  /// Which of Apple's two services a key is good for.
  public enum Environment: String, Sendable {
    case development, production, both
  }

  /// Unique among the providers.
  public var name: String
  /// The apps it may send to.
  public var apps: [AppID]
  public var credential: Credential

  public init(name: String, apps: [AppID], credential: Credential) {
    self.name = name
    self.apps = apps
    self.credential = credential
  }
}

extension HandsetStore {
  /// Adds the provider, or puts it in the place of the one of that name. It is on disk when this returns.
  /// - Throws: `StoreError.privateKey` where its key is not a public one, `.password` where its password is not hashed.
  public func setProvider(_ provider: ProviderRecord) throws(StoreError) {
    let apps = try json(provider.apps.map(\.text), "the apps of provider '\(provider.name)'")
    let columns: [(name: String, value: String)]
    switch provider.credential {
    case .token(let teamID, let keyID, let publicKeyPEM, let environment):
      guard !publicKeyPEM.contains("PRIVATE KEY") else { throw .privateKey(provider: provider.name) }
      columns = [
        ("kind", "token"), ("team_id", teamID), ("key_id", keyID), ("public_key_pem", publicKeyPEM),
        ("environment", environment.rawValue),
      ]
    case .password(let hash):
      guard hash.hasPrefix("$scrypt$") else { throw .password(provider: provider.name) }
      columns = [("kind", "password"), ("password_hash", hash)]
    case .certificate(let pem):
      guard !pem.contains("PRIVATE KEY") else { throw .privateKey(provider: provider.name) }
      columns = [("kind", "certificate"), ("certificate_pem", pem)]
    }
    // A row that is replaced keeps nothing of the credential before.
    try database.run(
      """
      INSERT OR REPLACE INTO provider (name, apps, \(columns.map(\.name).joined(separator: ", ")))
      VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
      """,
      [.text(provider.name), .text(apps)] + columns.map { .text($0.value) })
  }

  /// - Returns: whether there was one of that name.
  public func removeProvider(named name: String) throws(StoreError) -> Bool {
    try database.transaction { () throws(StoreError) -> Bool in
      try database.run("DELETE FROM provider WHERE name = ?", .text(name))
      return try database.integer("SELECT changes()") == 1
    }
  }

  /// All of them by name, and the rows that cannot be read: a provider that is left out sends nothing.
  public func providers() throws(StoreError) -> (providers: [ProviderRecord], damage: [StoreDamage]) {
    let statement = try database.query(
      """
      SELECT name, kind, team_id, key_id, public_key_pem, apps, environment, password_hash, certificate_pem
      FROM provider ORDER BY name
      """)
    defer { statement.reset() }
    var providers: [ProviderRecord] = []
    var damage: [StoreDamage] = []
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "provider")
      do throws(StoreDamage) {
        providers.append(try readProvider(row))
      } catch {
        damage.append(error)
      }
    }
    return (providers, damage)
  }

  private func readProvider(_ row: StoredRow) throws(StoreDamage) -> ProviderRecord {
    let name = try row.text(0)
    let kind = try row.text(1)
    let credential: ProviderRecord.Credential
    switch kind {
    case "token":
      credential = .token(
        teamID: try row.text(2), keyID: try row.text(3), publicKeyPEM: try row.text(4),
        environment: try row.value(
          6, "one of development, production, both", ProviderRecord.Environment.init(rawValue:)))
    case "password": credential = .password(hash: try row.text(7))
    case "certificate": credential = .certificate(pem: try row.text(8))
    default: throw row.damage(1, "'\(kind)' is not a kind of credential")
    }
    let texts = try row.value(5, "a list of apps in JSON") { text in
      try? decoder.decode([String].self, from: Data(text.utf8))
    }
    var apps: [AppID] = []
    for text in texts {
      guard let app = AppID(text) else { throw row.damage(5, "'\(text)' is not an app's identifier") }
      apps.append(app)
    }
    return ProviderRecord(name: name, apps: apps, credential: credential)
  }
}

/// What the daemon notes for itself.
public struct MetaKey: Hashable, Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }

  /// The kernel's identifier of the boot in which the daemon last ran: another one at start means that the board booted.
  public static let bootID = MetaKey("boot-id")
}

extension HandsetStore {
  /// Nil where nothing is noted.
  public func meta(_ key: MetaKey) throws(StoreError) -> String? {
    let statement = try database.query("SELECT value FROM meta WHERE key = ?", .text(key.name))
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Notes the value, or with nil forgets it.
  /// - Parameter durable: whether it is on disk when this returns; else it is with the next commit that waits.
  public func setMeta(_ key: MetaKey, _ value: String?, durable: Bool = true) throws(StoreError) {
    try database.setSynchronous(durable ? .full : .normal)
    // Where this fails, the next durable commit asks again before it begins.
    defer { try? database.setSynchronous(.full) }
    guard let value else { return try database.run("DELETE FROM meta WHERE key = ?", .text(key.name)) }
    try database.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      .text(key.name), .text(value))
  }
}
