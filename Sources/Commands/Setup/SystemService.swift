// The unit that a package installs, where systemd runs it: restarted, so that new settings count.

import Glibc
import SystemThreads

enum SystemService {
  static let unit = "deskbell.service"

  /// Whether systemd runs this machine and knows the unit.
  static var isInstalled: Bool {
    access("/run/systemd/system", F_OK) == 0
      && ["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"].contains {
        access("\($0)/\(unit)", F_OK) == 0
      }
  }

  /// - Throws: `Failure` where systemd refuses or the unit does not come up.
  static func restart() throws(Failure) {
    guard run(["systemctl", "restart", unit]) == 0 else {
      throw Failure("\(unit) does not start with these settings", hint: "journalctl --unit \(unit) --lines 20 says why")
    }
  }

  static func stop() -> Bool { run(["systemctl", "stop", unit]) == 0 }

  static var isActive: Bool { run(["systemctl", "is-active", "--quiet", unit]) == 0 }

  /// - Returns: its exit status; 127 where it cannot be started.
  private static func run(_ words: [String]) -> Int32 {
    var process: pid_t = 0
    guard withCStrings(words, { posix_spawnp(&process, words[0], nil, nil, $0, environ) }) == 0 else { return 127 }
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return 127 } }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
