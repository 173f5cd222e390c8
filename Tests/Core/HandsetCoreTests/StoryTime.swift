// Times as a story writes them, on one scale: since the story began, whatever the handset's two clocks show.

@testable import HandsetCore

extension Duration {
  private static let storyUnits: [(name: String, microseconds: Int64)] = [
    ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1),
  ]

  /// Reads `1s`, `500ms`, `1h30m`; nil if it is no time.
  init?(story text: some StringProtocol) {
    var rest = text[...]
    var microseconds: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      let unit = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = Int64(digits), let entry = Duration.storyUnits.first(where: { $0.name == unit }) else {
        return nil
      }
      microseconds += number * entry.microseconds
      rest = rest[unit.endIndex...]
    }
    self = .microseconds(microseconds)
  }

  /// The shortest text that reads back as the same time.
  var story: String {
    let (seconds, attoseconds) = components
    var rest = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    guard rest != 0 else { return "0s" }
    var text = rest < 0 ? "-" : ""
    rest = abs(rest)
    for (name, microseconds) in Duration.storyUnits where rest >= microseconds {
      text += "\(rest / microseconds)\(name)"
      rest %= microseconds
    }
    return text
  }
}

struct StoryClock {
  /// The time since the story began.
  var time: Duration = .zero
  /// The time of the board's boot, some time before the story begins.
  private(set) var booted: Duration = .seconds(-1000)
  /// The difference by which the wall clock was stepped.
  var wallStep: Duration = .zero
  /// 2026-01-01T00:00:00Z.
  static let wallStart = WallTime(seconds: 1_767_225_600)

  mutating func boot() { booted = time }

  var now: Moment {
    Moment(uptime: time - booted, wall: StoryClock.wallStart.advanced(by: time + wallStep))
  }

  /// Returns the time, since the story began, at which the uptime clock shows that.
  func storyTime(uptime: Duration) -> Duration { uptime + booted }

  /// Returns the time, since the story began, at which the wall clock would show that if it had not been stepped.
  func storyTime(wall: WallTime) -> Duration {
    .microseconds(wall.microseconds - StoryClock.wallStart.microseconds)
  }

  /// Returns the time, since the story began, at which the first of the two has come.
  func storyTime(_ deadline: Deadline) -> Duration? {
    let uptime = deadline.uptime.map { storyTime(uptime: $0) }
    let wall = deadline.wall.map { storyTime(wall: $0) - wallStep }
    return [uptime, wall].compactMap { $0 }.min()
  }
}
