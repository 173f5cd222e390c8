// Whoever started the daemon: systemd, another that does as it does, or a person at a terminal, to whom none of this
// is said.

import Glibc
import HandsetCore
import Logging
import Synchronization

/// What the service manager gave this process, and what it is told.
final class ServiceManager: Sendable {
  let sockets: ActivatedSockets
  /// After which a daemon that has not been heard of is ended; nil where nobody watches.
  let watchdogTimeout: Duration?
  private let socket: NotifySocket?
  private let status = Mutex("")

  /// - Parameters:
  ///   - variable: gives the value of an environment variable, nil where it is not set or empty.
  ///   - first: the first descriptor that was handed over.
  /// - Throws: `DaemonError`, see `ActivatedSockets`. A manager that cannot be told anything is only logged.
  init(
    variable: (String) -> String? = environment(_:), process: pid_t = getpid(), first: CInt = 3, logger: Logger
  ) throws(DaemonError) {
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

  /// Whether anybody hears it.
  var listens: Bool { socket != nil }

  func ready() { socket?.send("READY=1") }

  func stopping() { socket?.send("STOPPING=1\nSTATUS=Stopping: answers what is in flight") }

  /// - Parameter uptime: on the kernel's monotonic clock.
  func reloading(at uptime: Duration) {
    socket?.send("RELOADING=1\nMONOTONIC_USEC=\(uptime.inMicroseconds)")
  }

  func alive() { socket?.send("WATCHDOG=1", isUrgent: false) }

  /// Tells in a line how it goes, where that is something new.
  /// - Parameter text: is asked again at each call; the last one told is the newest, whoever calls at the same time.
  func show(_ text: () -> String) {
    guard let socket else { return }
    status.withLock { status in
      let line = text().split(separator: "\n").joined(separator: "; ")
      guard line != status else { return }
      status = line
      socket.send("STATUS=\(line)", isUrgent: false)
    }
  }
}
