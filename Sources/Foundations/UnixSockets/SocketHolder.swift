// The holder of a port or socket in use. /proc shows the owner of every listening port, but its process only to root
// and its own user; so a port held by systemd is attributed to the service that systemd holds it for.

import FoundationEssentials
import Glibc

/// The process that holds a port or a socket, as far as this user may see it.
public struct SocketHolder: Hashable, Sendable, CustomStringConvertible {
  /// The unit of the system's service manager: `deskbell.service`; nil for none.
  public var unit: String?
  public var program: String?
  public var process: Int?
  public var user: String?

  static let ownProgram = "deskbell"

  init(unit: String? = nil, program: String? = nil, process: Int? = nil, user: String? = nil) {
    (self.unit, self.program, self.process, self.user) = (unit, program, process, user)
  }

  /// Finds the process that listens on a TCP port; nil if none does, for example because it has just ended.
  /// - Parameter root: the folder that has `proc` and `sys`.
  public static func ofPort(_ port: Int, below root: String = "") -> SocketHolder? {
    // A row may be missing from a table that changes while it is read, which takes several reads. A lazy sequence would
    // look once more for the row that it has found.
    var listening: [Substring]?
    for _ in 1...3 where listening == nil { listening = listener(at: port, below: root) }
    guard let listening, let owner = uid_t(listening[7]) else { return nil }
    let link = "socket:[\(listening[9])]"
    let holders = processes(below: root).filter { process in
      let folder = "\(root)/proc/\(process)/fd"
      return names(in: folder).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == link
      }
    }
    // systemd holds the sockets of a service, too.
    if let process = holders.last(where: { $0 != 1 }) { return SocketHolder(process, below: root) }
    return service(of: owner, below: root) ?? SocketHolder(user: name(of: owner))
  }

  /// Returns the row of a listening port in the system's tables.
  private static func listener(at port: Int, below root: String) -> [Substring]? {
    let tables = ["tcp", "tcp6"].map { text("\(root)/proc/net/\($0)") }
    let rows = tables.joined().split(separator: "\n").lazy.map { $0.split(separator: " ") }
    return rows.first { row in
      row.count > 9 && row[3] == "0A" && row[1].split(separator: ":").last.flatMap { Int($0, radix: 16) } == port
    }
  }

  /// Finds the process behind a Unix socket; nil if there is no socket.
  public static func ofSocket(at path: String, below root: String = "") -> SocketHolder? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    if let process = peer(at: path), process > 1 { return SocketHolder(process, below: root) }
    return service(of: status.st_uid, below: root) ?? SocketHolder(user: name(of: status.st_uid))
  }

  init(_ process: Int, below root: String = "") {
    let folder = "\(root)/proc/\(process)"
    var status = stat()
    let owner = stat(folder, &status) == 0 ? SocketHolder.name(of: status.st_uid) : nil
    let program = SocketHolder.text("\(folder)/comm").split(separator: "\n").first.map(String.init)
    // 0::/system.slice/deskbell.service; units of a user's own service manager do not count.
    let unit = SocketHolder.text("\(folder)/cgroup").split(separator: "\n").lazy
      .compactMap { $0.split(separator: ":").last }.filter { $0.hasPrefix("/system.slice/") }
      .compactMap { $0.split(separator: "/").last { $0.hasSuffix(".service") } }.first
    self.init(unit: unit.map(String.init), program: program, process: process, user: owner)
  }

  /// Returns our service that has a user's socket, or that systemd holds root's socket for.
  private static func service(of owner: uid_t, below root: String) -> SocketHolder? {
    let own = processes(below: root).filter { text("\(root)/proc/\($0)/comm") == "\(ownProgram)\n" }
      .map { SocketHolder($0, below: root) }
    if let running = own.first(where: { $0.unit != nil && (owner == 0 || $0.user == name(of: owner)) }) {
      return running
    }
    // The service is not running: systemd listens for it.
    var status = stat()
    guard owner == 0, stat("\(root)/sys/fs/cgroup/system.slice/\(ownProgram).socket", &status) == 0 else { return nil }
    return SocketHolder(unit: "\(ownProgram).service")
  }

  /// Returns the process that listens at a socket; nil if this user may not connect.
  private static func peer(at path: String) -> Int? {
    guard let address = UnixAddress(path) else { return nil }
    let descriptor = UnixAddress.makeSocket()
    defer { close(descriptor) }
    guard descriptor >= 0, address.connect(descriptor) == 0 else { return nil }
    // struct ucred [unix(7)]: process, user, group.
    var credentials: [UInt32] = [0, 0, 0]
    var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return Int(credentials[0])
  }

  private static func processes(below root: String) -> [Int] {
    names(in: "\(root)/proc").compactMap { Int($0) }.sorted()
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Returns the name of a user or, if it has none, its number.
  public static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
  }

  /// The holder as text: `deskbell.service (process 812, user deskbell)`.
  public var description: String {
    let details = [process.map { "process \($0)" }, user.map { "user \($0)" }].compactMap(\.self)
    let name = unit ?? program.map { $0 == SocketHolder.ownProgram ? "another \($0)" : $0 }
    guard let name else { return user.map { "a program of the user \($0)" } ?? "another program" }
    return details.isEmpty ? name : "\(name) (\(details.joined(separator: ", ")))"
  }

  /// The command that stops it; nil if the process is not known.
  public var stopping: String? {
    if let unit {
      // Its socket unit would start it again.
      let socket = "\(SocketHolder.ownProgram).socket"
      return "sudo systemctl stop \(unit == "\(SocketHolder.ownProgram).service" ? "\(socket) \(unit)" : unit)"
    }
    return process.map { user == SocketHolder.name(of: geteuid()) ? "kill \($0)" : "sudo kill \($0)" }
  }
}
