// The administrator's folder of a fleet. It has the authority's key and the administrator's seed, which permit
// everything; without it no desk can be added.

import FleetLink
import FoundationEssentials
import Glibc
import HandsetCore
import HeldFolders
import ServerIdentity

public struct FleetFolder: Sendable {
  public let path: String
  public private(set) var fleet: Fleet
  private let authority: CertifiedKey
  public let now: WallTime
  private let lock: HeldFolder

  public static func exists(_ path: String) -> Bool { access("\(path)/fleet.json", F_OK) == 0 }

  public init(making path: String, servers: [Fleet.Server], maxStore: String?, now: WallTime) throws(FleetError) {
    try Fleet.check(servers)
    if let maxStore { try Fleet.checkStore(maxStore) }
    for name in ["authority.key", "admin.seed"] where access("\(path)/\(name)", F_OK) == 0 {
      throw FleetError(
        "\(path) has \(name), but no fleet.json",
        hint: "restore fleet.json from a backup, or name another folder with --fleet")
    }
    do throws(HeldFolder.Fault) {
      try HeldFolder(path, makingMissing: 0o700).setMode(0o700)
    } catch {
      throw FleetError(
        "\(error.path) cannot be made private: \(error.reason)", hint: "name another folder with --fleet")
    }
    lock = try Self.locked(path)
    let admin = NKey()
    let end = now.advanced(by: CertificateAuthority.authorityLifetime)
    authority = try Self.explaining("no authority can be made") {
      try CertifiedKey.authority(
        title: "Deskbell fleet", for: CertificateNames(servers.map(\.host)), isClientToo: true,
        begin: CertificateAuthority.notBefore, end: end)
    }
    (self.path, self.now) = (path, now)
    fleet = Fleet(servers: servers, maxStore: maxStore, admin: admin.publicKey)
    try save(
      fleet,
      secrets: [
        .init(path: "authority.key", text: authority.keyPEM, mode: 0o600),
        .init(path: "admin.seed", text: admin.seed + "\n", mode: 0o600),
      ])
  }

  /// - Throws: `FleetError` if there is no fleet, or the folder is incomplete.
  public init(opening path: String, now: WallTime) throws(FleetError) {
    let files = FolderFiles(folder: path)
    guard let text = try files.text("fleet.json") else {
      throw FleetError(
        "there is no fleet in \(path)",
        hint: "name its folder with --fleet, or make one: deskbell fleet init --server NAME=HOST …")
    }
    lock = try Self.locked(path)
    do {
      fleet = try JSONDecoder().decode(Fleet.self, from: Data(text.utf8))
    } catch {
      throw FleetError("\(path)/fleet.json cannot be read: \(Self.problem(error))", hint: "restore it from a backup")
    }
    guard fleet.version == Fleet.currentVersion else {
      throw FleetError(
        "\(path)/fleet.json has version \(fleet.version), and this program knows \(Fleet.currentVersion)",
        hint: "use the version of deskbell that wrote it, or a later one")
    }
    guard let authority = try files.certifiedKey("authority"), authority.belongTogether else {
      throw FleetError(
        "\(path): authority.pem and authority.key are not a certificate and its key", hint: "restore both from a backup"
      )
    }
    guard let seed = try files.text("admin.seed"), NKey(seed: seed)?.publicKey == fleet.admin else {
      throw FleetError("\(path)/admin.seed is not the administrator's seed", hint: "restore it from a backup")
    }
    self.authority = authority
    (self.path, self.now) = (path, now)
  }

  /// The end of the authority and of all certificates that it issued.
  public var end: WallTime { authority.end }

  /// Returns the path of the credentials of a desk or gateway.
  public func path(of name: String, _ kind: FleetUserKind) -> String { "\(path)/\(kind.folder)/\(name)" }

  /// Changes servers and storage limit, and writes missing files.
  /// - Parameters:
  ///   - servers: empty to keep the servers.
  ///   - maxStore: nil to keep the limit.
  /// - Throws: `FleetError`, also if the servers have other names than before.
  @discardableResult
  public mutating func update(servers: [Fleet.Server], maxStore: String?) throws(FleetError) -> [String] {
    try change { fleet throws(FleetError) in
      if !servers.isEmpty {
        let names = fleet.servers.map(\.name)
        guard servers.map(\.name).sorted() == names.sorted() else {
          throw FleetError(
            "the servers of this fleet are \(names.joined(separator: ", ")), and stay so",
            hint: "name these to give them other hosts or ports, or make another fleet with --fleet")
        }
        try Fleet.check(servers)
        fleet.servers = servers
      }
      if let maxStore {
        try Fleet.checkStore(maxStore)
        fleet.maxStore = maxStore
      }
    }
  }

  /// Changes the fleet and the files that depend on it.
  /// - Returns: the paths, below the folder, of the files that were written.
  /// - Throws: `FleetError`; nothing is changed then.
  @discardableResult
  public mutating func change(_ body: (inout Fleet) throws(FleetError) -> Void) throws(FleetError) -> [String] {
    var new = fleet
    try body(&new)
    return try save(new)
  }

  /// Adds a desk or a gateway with a seed of its own. An existing one stays unchanged.
  @discardableResult
  public mutating func add(_ name: String, _ kind: FleetUserKind) throws(FleetError) -> [String] {
    try fleet.checkNew(name, kind)
    if fleet[kind].contains(where: { $0.name == name }) { return try save(fleet) }
    let key = NKey()
    var new = fleet
    new[kind].append(Fleet.User(name: name, key: key.publicKey))
    return try save(new, secrets: [.init(path: "\(kind.folder)/\(name)/seed", text: key.seed + "\n", mode: 0o600)])
  }

  /// Removes a desk or gateway, and its folder.
  /// - Throws: `FleetError`, also if a group has the desk.
  @discardableResult
  public mutating func remove(_ name: String) throws(FleetError) -> [String] {
    let kind = try fleet.checkRemovable(name)
    let written = try change { $0[kind].removeAll { $0.name == name } }
    try FolderFiles(folder: path).remove(["seed", "authority.pem", kind.settings], in: "\(kind.folder)/\(name)")
    return written
  }

  @discardableResult
  private mutating func save(_ new: Fleet, secrets: [FolderFiles.File] = []) throws(FleetError) -> [String] {
    var files = secrets
    let authorityPEM = try Self.explaining("the authority's certificate") { try authority.certificatePEM }
    files.append(.init(path: "authority.pem", text: authorityPEM, mode: 0o644))
    let users = ServerFiles.users(of: new)
    for server in new.servers {
      let folder = "nodes/\(server.name)"
      let own = try certificate(of: server)
      let serverPEM = try Self.explaining("the certificate of \(server.name)") { try own.certificatePEM }
      files += [
        .init(path: "\(folder)/nats-server.conf", text: ServerFiles.configuration(of: server, in: new), mode: 0o644),
        .init(path: "\(folder)/users.conf", text: users, mode: 0o644),
        .init(path: "\(folder)/authority.pem", text: authorityPEM, mode: 0o644),
        .init(path: "\(folder)/server.pem", text: serverPEM, mode: 0o644),
        .init(path: "\(folder)/server.key", text: own.keyPEM, mode: 0o600),
      ]
    }
    for kind in FleetUserKind.allCases {
      for user in new[kind] {
        let folder = "\(kind.folder)/\(user.name)"
        files += [
          .init(path: "\(folder)/authority.pem", text: authorityPEM, mode: 0o644),
          .init(path: "\(folder)/\(kind.settings)", text: new.settings(of: user.name, kind), mode: 0o644),
        ]
      }
    }
    // Written last: without it there is no fleet, and the previous one remains valid.
    let json = try Self.explaining("fleet.json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(new), as: UTF8.self) + "\n"
    }
    files.append(.init(path: "fleet.json", text: json, mode: 0o644))
    let written = try FolderFiles(folder: path).write(files)
    fleet = new
    return written
  }

  /// Returns the existing certificate if it is valid for the server's host until the authority ends, else a new one.
  private func certificate(of server: Fleet.Server) throws(FleetError) -> CertifiedKey {
    let files = FolderFiles(folder: path)
    let names = try Self.explaining("the host of \(server.name)") { try CertificateNames([server.host]) }
    let refused = try Self.explaining("authority.pem") { try authority.hostsNotPermitted(of: names) }
    guard refused.isEmpty else {
      throw FleetError(
        "the fleet's authority may not certify \(refused.joined(separator: ", "))",
        hint:
          "it may certify the hosts that the fleet began with, and what is below them; an address is always permitted")
    }
    let previous = try files.certifiedKey("nodes/\(server.name)/server")
    if let previous, authority.issued(previous), previous.covers(names), previous.end == authority.end {
      return previous
    }
    return try Self.explaining("no certificate can be made for \(server.name)") {
      try authority.issue(
        title: "Deskbell node \(server.name)", for: names, isClientToo: true,
        begin: now.advanced(by: .zero - CertificateAuthority.serverLead), end: authority.end, replacing: previous)
    }
  }

  /// Locks the folder while a command changes it, so that two commands do not undo each other's changes.
  private static func locked(_ path: String) throws(FleetError) -> HeldFolder {
    do throws(HeldFolder.Fault) {
      let folder = try HeldFolder(path)
      if folder.lock() { return folder }
    } catch {
      throw FleetError("\(path) cannot be opened: \(error.reason)", hint: "name the folder with --fleet")
    }
    throw FleetError("another command is changing \(path)", hint: "wait until it has ended, and try again")
  }

  private static func explaining<Result>(_ what: String, _ body: () throws -> Result) throws(FleetError) -> Result {
    do { return try body() } catch { throw FleetError("\(what): \(error)") }
  }

  private static func problem(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' is of another kind"
    default: "it is no JSON"
    }
  }
}

/// The folder's files: read whole, and replaced all or none as far as a file system without transactions permits. Every
/// new file is on disk under a temporary name before the first one gets its name.
private struct FolderFiles {
  struct File {
    /// The path below the folder.
    var path: String
    var text: String
    var mode: mode_t
  }

  let folder: String

  /// Reads a file; nil if it does not exist.
  /// - Throws: `FleetError` if it exists and cannot be read.
  func text(_ path: String) throws(FleetError) -> String? {
    let file = "\(folder)/\(path)"
    if access(file, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) { return nil }
    guard let data = try? Data(contentsOf: URL(filePath: file)), let text = String(validating: data, as: UTF8.self)
    else {
      throw FleetError("\(file) cannot be read", hint: "check its permissions, and run this as its owner")
    }
    return text
  }

  /// Reads a certificate and its key; nil if one of the files is missing or malformed.
  func certifiedKey(_ path: String) throws(FleetError) -> CertifiedKey? {
    guard let certificate = try text("\(path).pem"), let key = try text("\(path).key") else { return nil }
    return CertifiedKey(certificatePEM: certificate, keyPEM: key)
  }

  /// Writes the files that do not exist or have another text.
  /// - Returns: the paths of the written files.
  @discardableResult
  func write(_ files: [File]) throws(FleetError) -> [String] {
    var changed: [File] = []
    for file in files where try text(file.path) != file.text { changed.append(file) }
    do throws(HeldFolder.Fault) {
      // The folders are opened one at a time: there may be more than descriptors.
      for file in changed { try place(of: file).make(draft(of: file), Array(file.text.utf8), mode: file.mode) }
      for file in changed {
        let place = try place(of: file)
        try place.rename(draft(of: file), to: HeldFolder.name(of: file.path))
        try place.synchronize()
      }
    } catch {
      for file in changed { try? place(of: file).remove(draft(of: file)) }
      throw FleetError(
        "\(error.path) cannot be written: \(error.reason)", hint: "make the folder writable, and run this as its owner")
    }
    return changed.map(\.path)
  }

  private func place(of file: File) throws(HeldFolder.Fault) -> HeldFolder {
    try HeldFolder(HeldFolder.parent(of: "\(folder)/\(file.path)"), makingMissing: 0o700)
  }

  private func draft(of file: File) -> String { "\(HeldFolder.name(of: file.path)).new" }

  /// Removes these files of a folder, and the folder if it is then empty.
  func remove(_ names: [String], in path: String) throws(FleetError) {
    let place = "\(folder)/\(path)"
    do throws(HeldFolder.Fault) {
      let held = try HeldFolder(place)
      for name in names { try held.remove(name) }
    } catch {
      // Without the folder there is nothing to remove.
      if error.code == ENOENT || error.code == ENOTDIR { return }
      throw FleetError("\(error.path) cannot be removed: \(error.reason)", hint: "remove the folder \(place)")
    }
    rmdir(place)
  }
}
