import HandsetCore

/// When a message is to be presented, as ntfy's `Delay` says it.
enum NtfyDelay {
  /// What is accepted [ntfy, scheduled delivery: 10 s to 3 days].
  static let range = Duration.seconds(10)...Duration.seconds(3 * 24 * 3600)

  /// Bytes of a duration; a longer one is none.
  static let textLimit = 64

  /// Reads a duration (`30s`, `30 min`, `1h30m`, `2 days`) or a time in seconds since 1970.
  /// - Throws: 400.
  static func duration(_ text: String, now: WallTime) throws(KeyedRefusal) -> Duration {
    let text = text.prefix(bytes: textLimit + 1).trimmingSpaces.lowercased()
    let delay: Duration
    if text.utf8.count > 9, text.utf8.count <= 12, let seconds = Int64(text) {
      delay = .microseconds(WallTime(seconds: seconds).microseconds - now.microseconds)
    } else if let parsed = parse(text) {
      delay = parsed
    } else {
      throw KeyedRefusal(
        400, "BadRequest",
        "delay \(quoted(text)): expected a duration such as 30s, 10m or 2 hours, or seconds since 1970", code: 40004)
    }
    if delay < range.lowerBound {
      throw KeyedRefusal(400, "BadRequest", "delay \(quoted(text)): 10 s at least", code: 40005)
    }
    if delay > range.upperBound {
      throw KeyedRefusal(400, "BadRequest", "delay \(quoted(text)): 3 days at most", code: 40006)
    }
    return delay
  }

  static func parse(_ text: String) -> Duration? {
    guard text.utf8.count <= textLimit else { return nil }
    var rest = Substring(text.hasPrefix("in ") ? text.dropFirst(3) : text[...])
    var sum = Duration.zero
    repeat {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count).drop { $0 == " " }
      let word = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      guard digits.utf8.count <= 7, let count = Int64(digits), let unit = unit(String(word)) else { return nil }
      sum += .seconds(count * unit)
    } while !rest.isEmpty
    return sum
  }

  private static func unit(_ word: String) -> Int64? {
    switch word {
    case "s", "sec", "secs", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hour", "hours": 3_600
    case "d", "day", "days": 86_400
    default: nil
    }
  }
}
