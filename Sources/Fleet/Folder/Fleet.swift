// The administrator's description of a fleet: fleet.json.

import FleetLink

/// The servers and users of a fleet.
public struct Fleet: Codable, Equatable, Sendable {
  /// A NATS server.
  public struct Server: Codable, Equatable, Sendable {
    public var name: String
    /// The name or address at which desks, gateways and the other servers reach it.
    public var host: String
    /// The port for desks and gateways.
    public var port: Int
    /// The port for the other servers.
    public var clusterPort: Int

    /// The host as it is written in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
    /// The address for settings.
    public var url: String { "tls://\(urlHost):\(port)" }
  }

  /// A desk or a gateway.
  public struct User: Codable, Equatable, Sendable {
    public var name: String
    /// Its public key, `U…`.
    public var key: String
  }

  public struct Group: Codable, Equatable, Sendable {
    public var name: String
    public var app: String
    public var environment: String
    public var desks: [HandsetAddress]
    /// The registry's key: the first half of the digest of the group's token.
    public var token: String
    /// The creation time, in milliseconds since 1970.
    public var since: Int64
  }

  /// The version of the format of fleet.json.
  public static let currentVersion = 1

  public var version = Fleet.currentVersion
  public var servers: [Server]
  /// The storage limit of a server in NATS' notation: `10GB`. Nil for three quarters of the free space.
  public var maxStore: String?
  /// The administrator's public key.
  public var admin: String
  public var desks: [User] = []
  public var gateways: [User] = []
  public var groups: [Group] = []
  /// True if the servers have the streams; until then commands change only the folder.
  public var isInstalled = false

  /// The stored names; 0.7 called the servers nodes.
  private enum CodingKeys: String, CodingKey {
    case version, maxStore, admin, desks, gateways, groups, isInstalled
    case servers = "nodes"
  }

  /// The number of servers that store each message.
  public var replicas: Int { servers.count }

  public func groups(of desk: String) -> [Group] { groups.filter { $0.desks.contains { $0.desk == desk } } }
}

extension FleetNames {
  /// Checks a name.
  /// - Parameter kind: the kind of the named object.
  /// - Throws: `FleetError` if the name is not permitted.
  static func check(_ name: String, kind: String) throws(FleetError) {
    guard isName(name) else {
      throw FleetError(
        "'\(name)' is no name of a \(kind)", hint: "a name is 1 to 32 of a-z, 0-9 and -, such as reception or desk-2")
    }
  }
}
