import Clocks
import Glibc
import HandsetCore

public struct Finding: Codable, Hashable, Sendable {
  public enum Grade: String, Codable, Sendable {
    case fine
    /// Works, but perhaps not as expected.
    case notable
    case broken
  }

  /// The examined part: `configuration`, `lamp`, `push port`.
  public var subject: String
  public var grade: Grade
  public var text: String
  public var advice: String?

  public init(_ subject: String, _ grade: Grade, _ text: String, advice: String? = nil) {
    self.subject = subject
    self.grade = grade
    self.text = text
    self.advice = advice
  }
}

public enum Machine {
  /// The free bytes that a state directory should have: for a full Notification Center and its journal.
  static let freeBytes: UInt64 = 64 * 1024 * 1024

  /// Examines a state directory: its permissions, and the space on its disk.
  public static func state(in folder: String) -> Finding {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      return Finding("state", .notable, "\(folder) does not exist yet", advice: "the daemon creates it at its start")
    }
    guard status.st_mode & 0o077 == 0 else {
      return Finding(
        "state", .broken, "other users may read \(folder), which holds keys", advice: "chmod 700 \(folder)")
    }
    var space = statvfs()
    guard statvfs(folder, &space) == 0 else {
      return Finding("state", .notable, "\(folder) cannot be examined: \(String(cString: strerror(errno)))")
    }
    let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
    guard free >= freeBytes else {
      return Finding("state", .broken, "\(folder) has \(free / 1_048_576) MB left", advice: "free space on its disk")
    }
    let damaged = SharedFiles.files(in: folder).filter { $0.hasPrefix("damaged-") }.sorted()
    guard damaged.isEmpty else {
      return Finding(
        "state", .notable,
        "a damaged database is kept in \(folder)/\(damaged.joined(separator: ", ")), and the handset began empty",
        advice: "bring back a backup with 'deskbell restore FILE', or take the database as it is (docs/backup.md); "
          + "move it away when it is of no more use")
    }
    return Finding("state", .fine, "\(folder), \(free / 1_048_576) MB free")
  }

  /// Examines if the wall clock can be right: calendars, tokens and certificates depend on it.
  public static var clock: Finding {
    if SystemClock().now().wall < Policy.earliestWallTime {
      return Finding(
        "clock", .broken, "the clock is years behind: tokens are refused and nothing expires",
        advice: "connect the board to the network, and see 'timedatectl'")
    }
    let isSynchronised = access("/run/systemd/timesync/synchronized", F_OK) == 0
    return Finding(
      "clock", .fine, isSynchronised ? "set by a time server" : "plausible")
  }

  public static var devices: [Finding] {
    let chips = SharedFiles.files(in: "/dev").filter { $0.hasPrefix("gpiochip") }.sorted()
    let cards = SharedFiles.files(in: "/dev/snd").filter { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
    return [
      chips.isEmpty
        ? Finding("gpio", .notable, "this machine has no GPIO chip", advice: "a simulated board needs none")
        : Finding("gpio", .fine, chips.map { "/dev/\($0)" }.joined(separator: ", ")),
      cards.isEmpty
        ? Finding("sound", .notable, "this machine has no sound card", advice: "serve --wav DIR writes sounds to files")
        : Finding("sound", .fine, "\(cards.count) PCM\(cards.count == 1 ? "" : "s") to play on"),
    ]
  }
}
