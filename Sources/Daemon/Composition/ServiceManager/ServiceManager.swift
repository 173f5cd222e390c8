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

  /// - Parameters:
  ///   - variable: returns the value of an environment variable, nil if it is not set or empty.
  ///   - process: the number of this process.
  ///   - first: the first descriptor that was handed over.
  /// - Throws: `ServiceManagerError`, see `ActivatedSockets`. A notify socket that cannot be used is only logged.
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
