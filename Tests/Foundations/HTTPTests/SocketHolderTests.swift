import Foundation
import TestSupport
import Testing

@testable import UnixSockets

@Suite struct SocketHolderTests {
  /// A simulated machine of files: `proc` and `sys`.
  private final class Machine {
    let folder: TemporaryFolder
    var root: String { folder.path }

    init(port: Int, owner: UInt32, inode: Int) throws {
      folder = try TemporaryFolder()
      let hexadecimal = String(port, radix: 16, uppercase: true)
      try folder.write(
        "proc/net/tcp",
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
        """)
      try folder.write(
        "proc/net/tcp6",
        """
          sl  local_address                         remote_address                        st tx_queue rx_queue
           1: 00000000000000000000000000000000:\(hexadecimal) 00000000000000000000000000000000:0000 0A \
        00000000:00000000 00:00000000 00000000 \(owner)        0 \(inode) 1 0
        """)
    }

    func process(_ number: Int, _ name: String, cgroup: String, socket: Int? = nil) throws {
      try folder.write("proc/\(number)/comm", name + "\n")
      try folder.write("proc/\(number)/cgroup", "0::\(cgroup)\n")
      guard let socket else { return }
      try FileManager.default.createDirectory(atPath: "\(root)/proc/\(number)/fd", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(root)/proc/\(number)/fd/7", withDestinationPath: "socket:[\(socket)]")
    }
  }

  private let user = SocketHolder.name(of: geteuid())

  @Test("A port of this process is found in the system's own tables")
  func ownPort() throws {
    let held = try HeldPort()
    #expect(SocketHolder.ofPort(held.number) == nil)
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var yes: CInt = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    name.sin_port = in_port_t(held.number).bigEndian
    let isBound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 1) == 0
      }
    }
    try #require(isBound)
    let holder = try #require(SocketHolder.ofPort(held.number))
    #expect(holder.process == Int(getpid()) && holder.user == user)
    withExtendedLifetime(held) {}
  }

  @Test("The service that systemd holds the port for is named, though this user sees no process behind the port")
  func service() throws {
    let machine = try Machine(port: 2197, owner: 0, inode: 77)
    try machine.process(1, "systemd", cgroup: "/init.scope")
    try machine.process(812, "deskbell", cgroup: "/system.slice/deskbell.service")
    let holder = SocketHolder.ofPort(2197, below: machine.root)
    #expect(holder?.description == "deskbell.service (process 812, user \(user))")
    #expect(holder?.stopping == "sudo systemctl stop deskbell.socket deskbell.service")
    #expect(SocketHolder.ofPort(2198, below: machine.root) == nil)
  }

  @Test("A service that does not run has its port too")
  func stoppedService() throws {
    let machine = try Machine(port: 2197, owner: 0, inode: 77)
    #expect(SocketHolder.ofPort(2197, below: machine.root)?.description == "a program of the user root")
    try machine.folder.write("sys/fs/cgroup/system.slice/deskbell.socket/cgroup.procs", "")
    #expect(SocketHolder.ofPort(2197, below: machine.root)?.description == "deskbell.service")
  }

  @Test("A daemon of one's own, and another program, are named with their process")
  func process() throws {
    let machine = try Machine(port: 2197, owner: geteuid(), inode: 78)
    let session = "/user.slice/user-1000.slice/session-3.scope"
    try machine.process(4_711, "deskbell", cgroup: session, socket: 78)
    let own = SocketHolder.ofPort(2197, below: machine.root)
    #expect(own?.description == "another deskbell (process 4711, user \(user))")
    #expect(own?.stopping == "kill 4711")
    let other = try Machine(port: 2197, owner: 0, inode: 79)
    try other.process(1, "systemd", cgroup: "/init.scope", socket: 79)
    try other.process(33, "nginx", cgroup: "/system.slice/nginx.service", socket: 79)
    let web = SocketHolder.ofPort(2197, below: other.root)
    #expect(web?.description == "nginx.service (process 33, user \(user))")
    #expect(web?.stopping == "sudo systemctl stop nginx.service")
  }

  @Test("A socket's holder is the process that listens")
  func unixSocket() throws {
    let path = NSTemporaryDirectory() + "holder-\(UUID().uuidString.prefix(8)).sock"
    #expect(SocketHolder.ofSocket(at: path) == nil)
    let socket = try ListeningUnixSocket(path: path, mode: 0o600, backlog: 16)
    defer { socket.close() }
    #expect(SocketHolder.ofSocket(at: path)?.process == Int(getpid()))
    let taken = #expect(throws: ServerError.self) { try ListeningUnixSocket(path: path, mode: 0o600, backlog: 1) }
    let holder = SocketHolder(Int(getpid()))
    #expect(taken?.reason == "\(holder) answers there")
    #expect(taken?.hint == "stop it with '\(try #require(holder.stopping))', or choose another path")
  }
}
