import FleetLink
import FoundationEssentials
import NATSClient
import NIOPosix
import StrictYAML
import UnixSockets

/// The settings for a fleet: its servers, and this daemon's role there.
public struct FleetSettings: Hashable, Sendable {
  /// One credential: for a desk, or a gateway.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var seedFile: String
    /// The desk's handsets; nil for all handsets of this daemon.
    public var handsets: [String]?
  }

  public enum Key: String, DescribedKey {
    case ca, desk, desks, gateway, seed, servers

    public var meaning: String {
      switch self {
      case .ca: "A PEM file of the authority that issued the servers' certificates. Default: the system's."
      case .desk: "The desk's name. It has all handsets of this daemon."
      case .desks:
        "Several desks instead of one: a list of `{ desk: NAME, seed: FILE, handsets: [NAME, …] }`. Without "
          + "`handsets`, a desk has all."
      case .gateway: "The gateway's name, for `deskbell gateway`."
      case .seed: "The file with the seed of the desk or the gateway, which `deskbell fleet add` wrote."
      case .servers:
        "The servers: a list of `tls://HOST:PORT`, or of `nats://HOST:PORT` on this machine. Default of PORT: 4222."
      }
    }
  }

  public let servers: [NetworkAddress]
  /// True if the servers use TLS; without it they are on this machine.
  private let isSecure: Bool
  public var authorityFile: String?
  public var desks: [Member]
  public var gateway: Member?

  /// Reads the settings; nil if they have errors, which are reported.
  public init?(_ mapping: MappingReader) {
    let servers = mapping.list(Key.servers) { node in
      let text = try node.string()
      let isSecure = text.hasPrefix("tls://")
      guard isSecure || text.hasPrefix("nats://"),
        let address = NetworkAddress(ofServer: text.dropFirst(isSecure ? 6 : 7), defaultPort: 4222),
        isSecure || address.isLoopback
      else {
        throw node.diagnostic(
          "expected tls://HOST:PORT, or nats://HOST:PORT for this machine, such as tls://192.168.1.5:4222")
      }
      return (address: address, isSecure: isSecure)
    }
    authorityFile = mapping.optional(Key.ca) { try $0.string() }
    let desk = mapping.optional(Key.desk) { try $0.fleetName() }
    let gateway = mapping.optional(Key.gateway) { try $0.fleetName() }
    let seed = mapping.optional(Key.seed) { try $0.string() }
    let desks = mapping.list(Key.desks, required: false) { node in
      mapping.mapping(node) { member -> Member? in
        let name = member.required("desk") { try $0.fleetName() }
        let seed = member.required("seed") { try $0.string() }
        let handsets = member.list("handsets", required: false) { try $0.string() }
        guard let name, let seed else { return nil }
        return Member(name: name, seedFile: seed, handsets: handsets)
      }
    }
    guard [desk != nil, gateway != nil, desks != nil].filter(\.self).count == 1 else {
      mapping.report("expected one of desk: NAME, gateway: NAME and desks: […]")
      return nil
    }
    if seed == nil && desks == nil { mapping.report("seed: is missing: the file that 'deskbell fleet add' wrote") }
    if seed != nil && desks != nil { mapping.report("seed: with desks, each has its own") }
    guard let servers, !servers.isEmpty else { return nil }
    if Set(servers.map(\.isSecure)).count > 1 { mapping.report("servers: either all tls:// or all nats://") }
    self.servers = servers.map(\.address)
    isSecure = servers[0].isSecure
    self.desks = desks?.compactMap(\.self) ?? []
    if let desk, let seed { self.desks = [Member(name: desk, seedFile: seed)] }
    self.gateway = gateway.flatMap { gateway in seed.map { Member(name: gateway, seedFile: $0) } }
    let names = self.desks.map(\.name)
    if Set(names).count < names.count { mapping.report("desks: two have the same name") }
  }

  /// Checks the servers that answer. It does not wait for the others.
  /// - Throws: `FleetError` if one of them is too old to keep the messages that it acknowledges.
  public func refuseOldServers() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for server in servers {
        tasks.addTask {
          let greeting = try? await NIOThreadPool.singleton.runIfActive {
            try ServerGreeting.of(server.host, port: server.port)
          }
          guard let greeting, !greeting.isRecent else { return }
          throw FleetError(
            "fleet: servers: \(url(of: server)) runs nats-server \(greeting.version), which can lose pushes that were answered; "
              + "install 2.10.23 or later, such as Debian 13's")
        }
      }
      try await tasks.waitForAll()
    }
  }

  private func url(of server: NetworkAddress) -> String { "\(isSecure ? "tls" : "nats")://\(server)" }

  /// Returns the servers and credentials of a member's connection.
  /// - Throws: `FleetError` if its seed cannot be read.
  public func connection(of member: Member) throws(FleetError) -> NATSServers {
    let file = member.seedFile
    guard let text = FileManager.default.contents(atPath: file).map({ String(decoding: $0, as: UTF8.self) }) else {
      throw FleetError("fleet: seed: \(file) cannot be read; the daemon's user must be allowed to")
    }
    guard let key = NKey(seed: text) else {
      throw FleetError(
        "fleet: seed: \(file) is no seed of a user, which begins with SU; 'deskbell fleet add' writes one")
    }
    return NATSServers(
      servers.map(url), name: "deskbell \(member.name)", inbox: "_INBOX_\(member.name)",
      publicKey: key.publicKey, seedFile: file, authorityFile: authorityFile)
  }
}

extension YAMLNode {
  /// Returns the name of a desk, a gateway or a handset.
  public func fleetName() throws(Diagnostic) -> String {
    let text = try string()
    guard FleetNames.isName(text) else { throw diagnostic("must be 1 to 32 of a to z, 0 to 9 and '-', not '\(text)'") }
    return text
  }
}
