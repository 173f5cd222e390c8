// The unit of the package, if systemd runs this machine: it is restarted to use new settings.

import CommandSupport
import FoundationEssentials
import Glibc
import Installation
import SystemThreads

enum SystemService {
  static let unit = "deskbell.service"
  static let group = "deskbell"

  static var isInstalled: Bool {
    access("/run/systemd/system", F_OK) == 0
      && ["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"].contains {
        access("\($0)/\(unit)", F_OK) == 0
      }
  }

  /// - Throws: `Failure` if systemd refuses or the unit does not start.
  static func restart() throws(Failure) {
    guard run(["systemctl", "restart", unit]) == 0 else {
      throw Failure("\(unit) does not start with these settings", hint: "journalctl --unit \(unit) --lines 20 says why")
    }
  }

  /// Stops the unit, and returns true, if it runs.
  static func pause() -> Bool {
    isInstalled && run(["systemctl", "is-active", "--quiet", unit]) == 0 && run(["systemctl", "stop", unit]) == 0
  }

  /// Returns the service's last log lines, as far as this user may read them; none if it has no log.
  static func lastWords() async -> [Finding] {
    let line = "journalctl --unit \(unit) --lines 5 --quiet --no-pager --no-hostname 2>/dev/null"
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    let result = await CollectedProgram("/bin/sh", ["sh", "-c", line], environment: environment).end()
    guard result.status == 0, !result.output.isEmpty else {
      guard isInstalled else { return [] }
      return [Finding("log", .notable, "you may not read it", advice: "sudo journalctl --unit \(unit) --lines 20")]
    }
    return result.output.split(separator: "\n").map { Finding("log", .notable, String($0)) }
  }

  /// - Returns: its exit status; 127 if it cannot be started.
  static func run(_ words: [String]) -> Int32 {
    var process: pid_t = 0
    guard withCStrings(words, { posix_spawnp(&process, words[0], nil, nil, $0, environ) }) == 0 else { return 127 }
    return end(of: process)
  }

  /// Waits for the end of a process, and returns its exit code, or 128 and the signal that ended it.
  static func end(of process: pid_t) -> Int32 {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return 127 } }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
