import FleetLink
import HandsetCore
import ServerIdentity

/// The administrator's description of a fleet, fleet.json: its servers, users and groups.
public struct Fleet: Codable, Equatable, Sendable {
  public struct Server: Codable, Equatable, Sendable {
    public var name: String
    /// The name or address at which desks, gateways and the other servers reach it.
    public var host: String
    /// The port for desks and gateways.
    public var port: Int
    /// The port for the other servers.
    public var clusterPort: Int

    var urlHost: String { host.contains(":") ? "[\(host)]" : host }
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

  // MARK: Servers

  /// - Throws: `FleetError` if the servers cannot form a fleet.
  public static func check(_ servers: [Server]) throws(FleetError) {
    switch servers.count {
    case 1, 3: break
    case 0: throw FleetError("no server is named", hint: "name three, or one, with --server NAME=HOST")
    case 2:
      throw FleetError(
        "a fleet of two servers stores nothing while one of them is down: a majority of two is two",
        hint: "name three servers, or one")
    default:
      throw FleetError(
        "a fleet has three servers, not \(servers.count): each push is stored on three, and more would only wait",
        hint: "name three servers, or one")
    }
    for (index, server) in servers.enumerated() {
      for other in servers[..<index] {
        if other.name == server.name {
          throw FleetError("two servers are named '\(server.name)'", hint: "give each its own name")
        }
        let ports = [other.port, other.clusterPort]
        if other.host == server.host && (ports.contains(server.port) || ports.contains(server.clusterPort)) {
          throw FleetError(
            "the servers '\(other.name)' and '\(server.name)' have a host and a port in common",
            hint: "on one host give each its own: --server NAME=HOST:PORT:CLUSTERPORT")
        }
      }
      if server.port == server.clusterPort {
        throw FleetError(
          "the server '\(server.name)' has the port \(server.port) twice", hint: "the cluster port is another one")
      }
    }
  }

  /// - Throws: `FleetError` unless it is a size in NATS' notation with space for the streams.
  public static func checkStore(_ size: String) throws(FleetError) {
    let form = FleetError("'\(size)' is no size of a store", hint: "give 2GB or more, such as --max-store 20GB")
    let units: [(String, Int)] = [("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)]
    guard let (suffix, unit) = units.first(where: { size.hasSuffix($0.0) }),
      let count = Int(size.dropLast(suffix.count)), count > 0, count <= 1 << 20, count * unit >= 2 << 30
    else { throw form }
  }

  // MARK: Users

  subscript(kind: FleetUserKind) -> [User] {
    get { kind == .desk ? desks : gateways }
    set { if kind == .desk { desks = newValue } else { gateways = newValue } }
  }

  public func kind(of name: String) -> FleetUserKind? {
    FleetUserKind.allCases.first { self[$0].contains { $0.name == name } }
  }

  /// - Throws: `FleetError` if the name is not permitted, or belongs to the other kind.
  public func checkNew(_ name: String, _ kind: FleetUserKind) throws(FleetError) {
    try FleetNames.check(name, kind: kind.rawValue)
    guard self.kind(of: name) != kind.other else {
      throw FleetError("'\(name)' is a \(kind.other.rawValue) of this fleet", hint: "take another name")
    }
  }

  /// - Throws: `FleetError` if there is no user of that name, or a group has it.
  public func checkRemovable(_ name: String) throws(FleetError) -> FleetUserKind {
    guard let kind = kind(of: name) else {
      let names = (desks + gateways).map(\.name)
      throw FleetError(
        "the fleet has no desk or gateway '\(name)'",
        hint: names.isEmpty ? "add one: deskbell fleet add \(name)" : "there are \(names.joined(separator: ", "))")
    }
    if kind == .desk, let group = groups(of: name).first {
      throw FleetError(
        "the desk '\(name)' is in the group '\(group.name)'",
        hint: "remove the group first: deskbell fleet group remove \(group.name)")
    }
    return kind
  }

  /// Returns the lines for the settings of a desk, or all settings of a gateway.
  func settings(of name: String, _ kind: FleetUserKind) -> String {
    """
    # \(kind == .desk ? "Add these lines to /etc/deskbell/deskbell.yaml." : "The settings that a gateway needs.")
    fleet:
      servers: [\(servers.map(\.url).joined(separator: ", "))]
      \(kind.rawValue): \(name)
      seed: \(kind.place)/seed
      ca: \(kind.place)/authority.pem

    """
  }

  // MARK: Groups

  /// Adds a group. Its name must be free, and its desks must belong to the fleet.
  /// - Parameters:
  ///   - members: `DESK` or `DESK/HANDSET`.
  ///   - since: milliseconds since 1970.
  @discardableResult
  public mutating func addGroup(
    _ name: String, app: String, environment: String, members: [String], token: DeviceToken, since: Int64
  ) throws(FleetError) -> Group {
    try FleetNames.check(name, kind: "group")
    guard AppID(app) != nil else {
      throw FleetError("'\(app)' is no app", hint: "give its bundle identifier, such as com.example.mailroom")
    }
    guard !groups.contains(where: { $0.name == name }) else {
      throw FleetError(
        "there is a group '\(name)' already",
        hint: "take another name, or remove it, and its token with it: deskbell fleet group remove \(name)")
    }
    var parsed: [HandsetAddress] = []
    for text in members {
      guard let member = HandsetAddress(text) else {
        throw FleetError("'\(text)' is no desk", hint: "name it as DESK or DESK/HANDSET")
      }
      guard desks.contains(where: { $0.name == member.desk }) else {
        let names = desks.isEmpty ? "" : ". There are \(desks.map(\.name).joined(separator: ", "))"
        throw FleetError(
          "the fleet has no desk '\(member.desk)'", hint: "add it first: deskbell fleet add \(member.desk)\(names)")
      }
      guard !parsed.contains(member) else { throw FleetError("'\(text)' is named twice", hint: "name each once") }
      parsed.append(member)
    }
    guard !parsed.isEmpty else {
      throw FleetError("the group has no desk", hint: "name at least one, as DESK or DESK/HANDSET")
    }
    let group = Group(
      name: name, app: app, environment: environment, desks: parsed, token: "\(TokenKey(token))", since: since)
    groups.append(group)
    return group
  }

  @discardableResult
  public mutating func removeGroup(_ name: String) throws(FleetError) -> Group {
    guard let index = groups.firstIndex(where: { $0.name == name }) else {
      throw FleetError(
        "there is no group '\(name)'",
        hint: groups.isEmpty ? "there is none at all" : "there are \(groups.map(\.name).joined(separator: ", "))")
    }
    return groups.remove(at: index)
  }
}

extension Fleet.Server {
  /// - Parameter text: `NAME=HOST`, `NAME=HOST:PORT` or `NAME=HOST:PORT:CLUSTERPORT`; an IPv6 address in brackets.
  public init(_ text: String) throws(FleetError) {
    let form = FleetError(
      "'\(text)' is no server",
      hint: "a server is NAME=HOST[:PORT[:CLUSTERPORT]], such as a=10.0.0.1 or b=[fd00::2]:4222")
    guard let equals = text.firstIndex(of: "=") else { throw form }
    let name = String(text[..<equals])
    try FleetNames.check(name, kind: "server")
    var rest = text[text.index(after: equals)...]
    let host: Substring
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.first?.isEmpty ?? true, parts.count <= 3 else { throw form }
    let ports = parts.dropFirst().map { Int($0).flatMap { (1...65_535).contains($0) ? $0 : nil } }
    guard !host.isEmpty, !ports.contains(nil), (try? CertificateNames([String(host)])) != nil else { throw form }
    self.init(
      name: name, host: String(host), port: (ports.first ?? nil) ?? 4222,
      clusterPort: (ports.dropFirst().first ?? nil) ?? 6222)
  }
}

public enum FleetUserKind: String, CaseIterable, Sendable {
  case desk, gateway

  var folder: String { "\(rawValue)s" }
  var other: FleetUserKind { self == .desk ? .gateway : .desk }
  /// The folder of the credentials on the daemon's machine. Both kinds may be on one machine.
  public var place: String { self == .desk ? "/etc/deskbell/fleet" : "/etc/deskbell/gateway" }
  public var settings: String { self == .desk ? "fleet.yaml" : "gateway.yaml" }
}

extension FleetNames {
  static func check(_ name: String, kind: String) throws(FleetError) {
    guard isName(name) else {
      throw FleetError(
        "'\(name)' is no name of a \(kind)", hint: "a name is 1 to 32 of a-z, 0-9 and -, such as reception or desk-2")
    }
  }
}
