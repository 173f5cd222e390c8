// The daemon may be started by systemd, by another manager with the same protocol, or by a user at a terminal. In the
// last case, everything here does nothing.

import Glibc
import HandsetCore
import Logging
import Synchronization

/// The sockets and settings from the service manager, and the messages to it.
public final class ServiceManager: Sendable {
  public let sockets: ActivatedSockets
  /// The time after which the manager ends a silent daemon; nil without a watchdog.
  public let watchdogTimeout: Duration?
  private let socket: NotifySocket?
  private let status = Mutex("")

  /// The parameters are those of `ActivatedSockets`.
  /// - Throws: `ServiceManagerError`, as they do. A notify socket that cannot be used is only logged.
  public init(
    variable: (String) -> String? = variableOfProcess(_:), process: pid_t = getpid(), first: CInt = 3, logger: Logger
  ) throws(ServiceManagerError) {
    sockets = try ActivatedSockets(variable: variable, process: process, first: first)
    var socket: NotifySocket?
    if let address = variable("NOTIFY_SOCKET") {
      do {
        socket = try NotifySocket(address)
      } catch {
        logger.warning("\(error)")
      }
    }
    self.socket = socket
    let isForUs = variable("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
    let timeout = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdogTimeout = isForUs && timeout > 0 && socket != nil ? .microseconds(timeout) : nil
  }

  /// True if there is a manager that receives the messages.
  public var isPresent: Bool { socket != nil }

  public func ready() { socket?.send("READY=1") }

  public func stopping() { socket?.send("STOPPING=1\nSTATUS=Stopping: answering the requests in flight") }

  /// - Parameter uptime: on the kernel's monotonic clock.
  public func reloading(at uptime: Duration) {
    socket?.send("RELOADING=1\nMONOTONIC_USEC=\(uptime.inMicroseconds)")
  }

  public func alive() { socket?.send("WATCHDOG=1", isUrgent: false) }

  /// Sets the status line of `systemctl status`, if it has changed.
  /// - Parameter text: called under a lock each time, so that of concurrent callers the last one sends the newest text.
  public func show(_ text: () -> String) {
    guard let socket else { return }
    status.withLock { status in
      let line = text().split(separator: "\n").joined(separator: "; ")
      guard line != status else { return }
      status = line
      socket.send("STATUS=\(line)", isUrgent: false)
    }
  }

  /// Returns the value of an environment variable; nil if it is not set or empty.
  public static func variableOfProcess(_ name: String) -> String? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return String(cString: value)
  }
}

/// The reason why a value from the service manager cannot be used. The description is for the user.
public struct ServiceManagerError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The service manager's socket, as sd_notify(3) describes it.
final class NotifySocket: Sendable {
  private let descriptor: CInt

  /// - Parameter address: `$NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket.
  /// - Throws: `ServiceManagerError` if the address is malformed or cannot be connected to.
  init(_ address: String) throws(ServiceManagerError) {
    var target = sockaddr_un()
    let path = Array(address.utf8)
    let capacity = MemoryLayout.size(ofValue: target.sun_path)
    guard let first = path.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), path.count < capacity else {
      throw ServiceManagerError(
        "NOTIFY_SOCKET '\(address)': expected a path of less than \(capacity) bytes, or @ and a name")
    }
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path) }
    // The name of an abstract socket begins with a zero byte; the length of the address ends it.
    if first == UInt8(ascii: "@") { target.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout.size(ofValue: target.sun_family) + path.count)

    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw NotifySocket.failed(address, errno) }
    let connected = withUnsafePointer(to: target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard connected == 0 else { throw NotifySocket.failed(address, errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// - Parameter isUrgent: true to wait if the manager's queue is full. A message that will be repeated may be lost.
  func send(_ assignments: String, isUrgent: Bool = true) {
    let flags = CInt(MSG_NOSIGNAL) | (isUrgent ? 0 : CInt(MSG_DONTWAIT))
    var text = assignments
    text.withUTF8 { bytes in
      while Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) < 0 && errno == EINTR {}
    }
  }

  private static func failed(_ address: String, _ code: CInt) -> ServiceManagerError {
    ServiceManagerError(
      "NOTIFY_SOCKET '\(address)': \(String(cString: strerror(code))); the service manager is not notified")
  }
}
