import DaemonTestSupport
import FoundationEssentials
import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import ServiceManager

@Suite struct ServiceManagerTests {
  // MARK: Messages

  @Test(arguments: [false, true]) func eachWordIsADatagramOfItsOwn(isAbstract: Bool) throws {
    let manager = try ListeningManager(isAbstract: isAbstract)
    let service = try ServiceManager(variable: { ["NOTIFY_SOCKET": manager.address][$0] }, logger: LogLines().logger)
    #expect(service.isPresent)
    service.show { "one" }
    service.ready()
    service.show { "one" }
    service.show { "two\nlines" }
    service.reloading(at: .seconds(3) + .microseconds(7))
    service.alive()
    service.stopping()
    #expect(
      manager.received() == [
        "STATUS=one", "READY=1", "STATUS=two; lines", "RELOADING=1\nMONOTONIC_USEC=3000007", "WATCHDOG=1",
        "STOPPING=1\nSTATUS=Stopping: answering the requests in flight",
      ])
  }

  @Test func aManagerThatIsNotThereIsLoggedAndNothingElse() throws {
    let log = LogLines()
    let service = try ServiceManager(
      variable: { ["NOTIFY_SOCKET": "/nowhere/notify", "WATCHDOG_USEC": "1000"][$0] }, logger: log.logger)
    service.ready()
    #expect(!service.isPresent)
    #expect(service.watchdogTimeout == nil)
    #expect(
      log.all == ["NOTIFY_SOCKET '/nowhere/notify': No such file or directory; the service manager is not notified"])
  }

  @Test func anAddressIsAPathThatFitsOrAName() throws {
    let long = "/" + String(repeating: "n", count: 107)
    for address in [long, "notify", "vsock:2:1234"] {
      let expected = ServiceManagerError(
        "NOTIFY_SOCKET '\(address)': expected a path of less than 108 bytes, or @ and a name")
      #expect(throws: expected) { try NotifySocket(address) }
    }
    #expect(throws: ServiceManagerError.self) { try NotifySocket(String(long.dropLast())) }
  }

  @Test func theWatchdogIsForTheProcessThatItNames() throws {
    let manager = try ListeningManager()
    func timeout(_ variables: [String: String]) throws -> Duration? {
      let all = variables.merging(["NOTIFY_SOCKET": manager.address]) { first, _ in first }
      return try ServiceManager(variable: { all[$0] }, process: 42, logger: LogLines().logger).watchdogTimeout
    }
    #expect(try timeout(["WATCHDOG_USEC": "60000000"]) == .seconds(60))
    #expect(try timeout(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "42"]) == .seconds(60))
    #expect(try timeout(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "43"]) == nil)
    #expect(try timeout(["WATCHDOG_USEC": "0"]) == nil)
    #expect(try timeout([:]) == nil)
  }

  // MARK: The watchdog

  @Test func aliveIsSaidTwiceInATimeOutOnceEveryThreadHasAnswered() {
    let (first, second) = (EmbeddedEventLoop(), EmbeddedEventLoop())
    let said = Mutex(0)
    let watchdog = Watchdog(eventLoops: [first, second], askHost: { $0() }, alive: { said.withLock { $0 += 1 } })
    watchdog.start(timeout: .seconds(60))
    first.advanceTime(by: .seconds(29))
    second.run()
    #expect(said.withLock(\.self) == 0)
    first.advanceTime(by: .seconds(1))
    #expect(said.withLock(\.self) == 0, "the second event loop has not answered")
    second.run()
    #expect(said.withLock(\.self) == 1)
    first.advanceTime(by: .seconds(30))
    second.run()
    #expect(said.withLock(\.self) == 2)
    watchdog.stop()
    first.advanceTime(by: .seconds(60))
    second.run()
    #expect(said.withLock(\.self) == 2)
  }

  @Test func aHostThatHangsIsAskedOnceAndNothingIsSaid() {
    let loop = EmbeddedEventLoop()
    let asked = Mutex<[@Sendable () -> Void]>([])
    let said = Mutex(0)
    let watchdog = Watchdog(
      eventLoops: [loop], askHost: { body in asked.withLock { $0.append(body) } },
      alive: { said.withLock { $0 += 1 } })
    watchdog.start(timeout: .seconds(2))
    loop.advanceTime(by: .seconds(10))
    #expect(asked.withLock(\.count) == 1)
    #expect(said.withLock(\.self) == 0)
    // It was only slow: the next ping is sent again.
    asked.withLock { $0.removeFirst() }()
    #expect(said.withLock(\.self) == 1)
    loop.advanceTime(by: .seconds(1))
    #expect(asked.withLock(\.count) == 1)
    watchdog.stop()
    // Only this ping remains; without its answer it would hold the watchdog for ever.
    asked.withLock { $0.removeFirst() }()
    loop.advanceTime(by: .seconds(10))
    #expect(asked.withLock(\.count) == 0)
    #expect(said.withLock(\.self) == 2)
  }

  // MARK: Sockets

  @Test func namedSocketsAreTakenAndKeptFromHooks() throws {
    let path = socketPath()
    let handed = try Handed([tcpListener(), unixListener(path)])
    let sockets = try handed.sockets("push:control")
    #expect(sockets.push == handed.first)
    #expect(sockets.control?.descriptor == handed.first + 1)
    #expect(sockets.control?.path == path)
    for index in 0..<2 { #expect(fcntl(handed.first + CInt(index), F_GETFD) == FD_CLOEXEC) }
  }

  @Test func socketsForAnotherProcessAreLeftAlone() throws {
    let handed = try Handed([tcpListener()])
    let sockets = try handed.sockets("push", process: "1")
    #expect(sockets.push == nil)
    #expect(sockets.control == nil)
    #expect(try ActivatedSockets(variable: { _ in nil }).push == nil)
  }

  @Test func aSocketThatNobodyWouldAnswerIsRefused() throws {
    func refusal(_ names: String, _ descriptors: [CInt]) throws -> String? {
      let handed = try Handed(descriptors)
      do {
        _ = try handed.sockets(names)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(
      try refusal("panel", [tcpListener()])
        == "unknown socket name 'panel': FileDescriptorName= must be push or control")
    #expect(
      try refusal("push:", [tcpListener(), tcpListener()])
        == "unknown socket name '': FileDescriptorName= must be push or control")
    #expect(
      try refusal("push:push", [tcpListener(), tcpListener()])
        == "two sockets are named push: there is one port for pushes")
    let noPort = "the socket named push does not listen on a TCP port: set ListenStream=PORT"
    #expect(try refusal("push", [unixListener(socketPath())]) == noPort)
    #expect(try refusal("push", [socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)]) == noPort)
    #expect(try refusal("push", [socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)]) == noPort)
    let noSocket = "the socket named control is not a listening Unix socket: set ListenStream=/PATH"
    #expect(try refusal("control", [tcpListener()]) == noSocket)
  }

  @Test(arguments: ["17", "-1", "many"]) func aCountThatIsNoneIsRefused(count: String) {
    let variables = ["LISTEN_FDS": count, "LISTEN_PID": "\(getpid())"]
    let expected = ServiceManagerError("LISTEN_FDS '\(count)': expected 0 to 16 sockets")
    #expect(throws: expected) { try ActivatedSockets(variable: { variables[$0] }) }
  }

  @Test func aDescriptorThatIsNotThereIsRefused() {
    let variables = ["LISTEN_FDS": "1", "LISTEN_PID": "\(getpid())", "LISTEN_FDNAMES": "push"]
    let expected = ServiceManagerError("LISTEN_FDS '1': there is no descriptor 1000000")
    #expect(throws: expected) { try ActivatedSockets(variable: { variables[$0] }, first: 1_000_000) }
  }
}

/// Stands in for systemd's end of the notify socket.
private final class ListeningManager {
  let address: String
  private let descriptor: CInt
  private let path: String?

  init(isAbstract: Bool = false) throws {
    let name = "deskbell-notify-\(UUID().uuidString)"
    let file = FileManager.default.temporaryDirectory.appending(path: name).path
    path = isAbstract ? nil : file
    address = isAbstract ? "@\(name)" : file
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    try #require(withUnixAddress(address) { bind(descriptor, $0, $1) } == 0)
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  /// What came, each datagram by itself. They are all there: a datagram on this machine arrives as it is sent.
  func received() -> [String] {
    var all: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count >= 0 else { return all }
      all.append(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
  }
}

/// Descriptors in a row, as a service manager hands them over.
private struct Handed: ~Copyable {
  let first: CInt
  private let count: Int

  init(_ descriptors: [CInt]) throws {
    let isGood = descriptors.allSatisfy { $0 >= 0 }
    try #require(isGood)
    first = Handed.row(of: descriptors)
    count = descriptors.count
    for descriptor in descriptors { close(descriptor) }
  }

  deinit {
    for index in 0..<count { close(first + CInt(index)) }
  }

  /// Other tests open descriptors at the same time: one that came in between starts the row anew.
  private static func row(of descriptors: [CInt]) -> CInt {
    var row: [CInt] = []
    while row.count < descriptors.count {
      let wanted = row.last.map { $0 + 1 } ?? 600
      let copy = fcntl(descriptors[row.count], F_DUPFD, wanted)
      if row.isEmpty || copy == wanted {
        row.append(copy)
      } else {
        for taken in row + [copy] { close(taken) }
        row = []
      }
    }
    return row.first ?? -1
  }

  func sockets(_ names: String, process: String = "\(getpid())") throws(ServiceManagerError) -> ActivatedSockets {
    let variables = ["LISTEN_FDS": "\(count)", "LISTEN_FDNAMES": names, "LISTEN_PID": process]
    return try ActivatedSockets(variable: { variables[$0] }, first: first)
  }
}

private func tcpListener() -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  return listen(descriptor, 1) == 0 ? descriptor : -1
}

private func socketPath() -> String { FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path }

/// The file is gone when this returns; the socket keeps its name.
private func unixListener(_ path: String) -> CInt {
  let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  defer { unlink(path) }
  return withUnixAddress(path) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0 ? descriptor : -1
}

/// - Parameter address: a path, or `@` and a name.
private func withUnixAddress(_ address: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
  var target = sockaddr_un()
  target.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(address.utf8)
  withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: bytes) }
  if bytes.first == UInt8(ascii: "@") { target.sun_path.0 = 0 }
  let length = socklen_t(MemoryLayout.size(ofValue: target.sun_family) + bytes.count)
  return withUnsafePointer(to: target) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
  }
}
