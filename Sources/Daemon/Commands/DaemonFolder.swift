// A daemon of this program's own, as the demo and the bench start one: it leaves nothing behind, and affects no other
// daemon.

import CommandSupport
import FoundationEssentials
import Glibc
import SystemThreads

/// The temporary folder of such a daemon, for this user alone: its state, its settings and its control socket.
struct DaemonFolder: Sendable {
  enum Limits {
    /// The time from its start until it answers; a slow board takes seconds.
    static let start: Duration = .seconds(60)
    static let poll: Duration = .milliseconds(20)
  }

  /// The path of this program, even after it was replaced on the disk.
  static let program = "/proc/self/exe"
  /// Variables for the program that was started, not for its daemon and commands.
  private static let foreign: Set<String> = [
    "DESKBELL_HANDSET", "DESKBELL_STATE", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    "WATCHDOG_USEC", "WATCHDOG_PID",
  ]

  let path: String

  /// - Parameters:
  ///   - purpose: what it is for, in its name: `demo`.
  ///   - parent: the folder in which it is made.
  /// - Throws: `Failure` if the parent cannot be written.
  init(for purpose: String, in parent: String) throws(Failure) {
    var template = Array("\(parent)/deskbell-\(purpose).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("no folder for the \(purpose) can be made in \(parent): \(SystemError.last)", hint: "set TMPDIR")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var socket: String { "\(path)/control.sock" }

  /// The environment of the daemon and of the commands for it.
  var environment: [String: String] {
    let settings = "\(path)/config"
    let own = ["DESKBELL_CONTROL": socket, "XDG_CONFIG_HOME": settings, "CONFIGURATION_DIRECTORY": settings]
    return ProcessInfo.processInfo.environment.filter { !DaemonFolder.foreign.contains($0.key) }.merging(own) { $1 }
  }

  /// The options of `deskbell serve` for a daemon here: a simulated board, free ports on this machine alone.
  func serving(panel: String) -> [String] {
    [
      "deskbell", "serve", "--board", "simulated", "--state", "\(path)/state", "--control", socket, "--listen",
      "127.0.0.1:0", "--panel", panel,
    ]
  }

  /// Waits until the daemon answers.
  /// - Parameter failure: returns the reason once it has ended.
  /// - Throws: `Failure`; `CancellationError`.
  func waitUntilAnswered(failure: () -> Failure?) async throws {
    let deadline = ContinuousClock.now + Limits.start
    while ControlSocket.state(of: socket) != .answers {
      if let failure = failure() { throw failure }
      guard ContinuousClock.now < deadline else {
        throw Failure("the daemon did not answer within \(Limits.start.components.seconds) s")
      }
      try await Task.sleep(for: Limits.poll)
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension [String: String] {
  /// The variables as a process gets them.
  var asVariables: [String] { map { "\($0.key)=\($0.value)" } }
}
