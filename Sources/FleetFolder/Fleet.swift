// What an administrator knows of a fleet: fleet.json.

import FleetLink

/// The servers and users of a fleet.
public struct Fleet: Codable, Equatable, Sendable {
  public struct Node: Codable, Equatable, Sendable {
    public var name: String
    /// Under which desks, gateways and the other nodes reach it: a name or an address.
    public var host: String
    /// For desks and gateways.
    public var port: Int
    /// For the other nodes.
    public var clusterPort: Int

    /// As in a URL.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
    /// What settings name.
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
    public var desks: [Member]
    /// The registry's key: of the group's token it has only half a hash.
    public var token: String
    /// Milliseconds since 1970.
    public var since: Int64
  }

  /// A handset of a desk, in a group.
  public struct Member: Codable, Equatable, Sendable {
    public var desk: String
    /// Nil for the one on the board.
    public var handset: String?

    public init(desk: String, handset: String?) {
      (self.desk, self.handset) = (desk, handset)
    }

    /// `desk`, `desk/handset`.
    public var text: String { handset.map { "\(desk)/\($0)" } ?? desk }
  }

  /// Of the form of fleet.json.
  public static let currentVersion = 1

  public var version = Fleet.currentVersion
  public var nodes: [Node]
  /// The most that a node may store, as NATS writes it: `10GB`. Nil for three quarters of the free space.
  public var maxStore: String?
  /// The administrator's public key.
  public var admin: String
  public var desks: [User] = []
  public var gateways: [User] = []
  public var groups: [Group] = []
  /// Whether the servers have the streams: until then commands change the folder alone.
  public var isInstalled = false

  /// How many nodes have each message.
  public var replicas: Int { nodes.count }

  public func groups(of desk: String) -> [Group] { groups.filter { $0.desks.contains { $0.desk == desk } } }
}

/// Why the folder, or what is asked for, is refused, and what to do next.
public struct FleetError: Error, Hashable, CustomStringConvertible {
  public var message: String
  public var hint: String?

  public init(_ message: String, hint: String? = nil) {
    (self.message, self.hint) = (message, hint)
  }

  public var description: String { hint.map { "\(message)\n  \($0)" } ?? message }
}

extension FleetNames {
  /// - Parameter kind: what it is the name of.
  /// - Throws: `FleetError` unless it may be one.
  static func check(_ name: String, kind: String) throws(FleetError) {
    guard isName(name) else {
      throw FleetError(
        "'\(name)' is no name of a \(kind)", hint: "a name is 1 to 32 of a-z, 0-9 and -, such as reception or desk-2")
    }
  }
}
