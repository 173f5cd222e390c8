// What this machine gives the daemon, asked without a daemon: files, devices and the clock.

import Glibc
import HandsetCore

/// What was found, and what to do about it.
public struct Finding: Codable, Hashable, Sendable {
  public enum Grade: String, Codable, Sendable {
    case fine
    /// It works, but perhaps not as somebody expects.
    case notable
    case broken
  }

  /// What was looked at: `configuration`, `lamp`, `push port`.
  public var subject: String
  public var grade: Grade
  public var text: String
  /// What to do; nil where nothing is.
  public var advice: String?

  public init(_ subject: String, _ grade: Grade, _ text: String, advice: String? = nil) {
    self.subject = subject
    self.grade = grade
    self.text = text
    self.advice = advice
  }
}

public enum Machine {
  /// Bytes that a state directory should have left: Notification Center full, and its journal.
  static let freeBytes: UInt64 = 64 * 1024 * 1024

  /// The configuration file, read as the daemon would.
  public static func configuration(at path: String) -> [Finding] {
    let errors = check(path: path).errors
    if errors.isEmpty { return [Finding("configuration", .fine, "\(path) is fine")] }
    return errors.map { Finding("configuration", .broken, $0, advice: "mend that line, then: deskbell check \(path)") }
  }

  /// The state directory that a configuration names, or the usual one.
  public static func state(config: String?) -> [Finding] {
    let configuration = try? config.map { try Configuration(contentsOf: $0) }
    let folder = configuration?.state ?? Configuration.defaultState
    var status = stat()
    guard stat(folder, &status) == 0 else {
      return [Finding("state", .notable, "\(folder) is not there yet", advice: "the daemon makes it when it starts")]
    }
    guard status.st_mode & 0o077 == 0 else {
      return [
        Finding("state", .broken, "others may read \(folder), which holds keys", advice: "chmod 700 \(folder)")
      ]
    }
    var space = statvfs()
    guard statvfs(folder, &space) == 0 else {
      return [Finding("state", .notable, "\(folder) cannot be looked at: \(String(cString: strerror(errno)))")]
    }
    let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
    guard free >= freeBytes else {
      return [
        Finding("state", .broken, "\(folder) has \(free / 1_048_576) MB left", advice: "make room on its disk")
      ]
    }
    return [Finding("state", .fine, "\(folder), \(free / 1_048_576) MB free")]
  }

  /// Whether the clock can be right, which calendars, tokens and certificates go by.
  public static var clock: Finding {
    if SystemClock().now().wall < Policy.earliestWallTime {
      return Finding(
        "clock", .broken, "the clock is years behind: tokens are refused, and nothing expires",
        advice: "connect the board to the network, and see 'timedatectl'")
    }
    let isSynchronised = access("/run/systemd/timesync/synchronized", F_OK) == 0
    return Finding(
      "clock", .fine, isSynchronised ? "set by a time server" : "plausible")
  }

  /// Devices that a board and a speaker need, as this user may use them.
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
