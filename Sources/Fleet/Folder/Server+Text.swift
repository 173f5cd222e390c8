import FleetLink
import HandsetCore
import ServerIdentity

extension Fleet.Server {
  public static let standardPort = 4222
  public static let standardClusterPort = 6222

  /// Reads a server.
  /// - Parameter text: `NAME=HOST`, `NAME=HOST:PORT` or `NAME=HOST:PORT:CLUSTERPORT`; an IPv6 address in brackets.
  /// - Throws: `FleetError`.
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
      name: name, host: String(host), port: (ports.first ?? nil) ?? Self.standardPort,
      clusterPort: (ports.dropFirst().first ?? nil) ?? Self.standardClusterPort)
  }
}

extension Fleet {
  /// Checks the servers of a fleet.
  /// - Throws: `FleetError` if they cannot form one.
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

  /// Checks a storage limit.
  /// - Throws: `FleetError` unless it is a size in NATS' notation with space for the streams.
  public static func checkStore(_ size: String) throws(FleetError) {
    let form = FleetError("'\(size)' is no size of a store", hint: "give 2GB or more, such as --max-store 20GB")
    let units: [(String, Int)] = [("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)]
    guard let (suffix, unit) = units.first(where: { size.hasSuffix($0.0) }),
      let count = Int(size.dropLast(suffix.count)), count > 0, count <= 1 << 20, count * unit >= 2 << 30
    else { throw form }
  }
}
