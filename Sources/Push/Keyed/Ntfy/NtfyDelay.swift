import HandsetCore

/// The reader of ntfy's `Delay`, the time at which a message is to be presented.
enum NtfyDelay {
  /// The accepted delays [ntfy, scheduled delivery: 10 s to 3 days].
  static let range = Duration.seconds(10)...Duration.seconds(3 * 24 * 3600)

  /// The size limit of a duration or time, in bytes; a longer text is neither.
  static let textLimit = 64

  /// The longest duration, used for longer ones, too, so that no sum overflows.
  private static let longest = Duration.seconds(100 * 366 * 86_400)

  /// Reads a duration (`30s`, `1.5h`, `2 days`), a time in seconds since 1970, or a time in words (`tomorrow, 10am`).
  /// - Throws: 400.
  static func duration(_ text: String, _ clock: PortClock) throws(KeyedRefusal) -> Duration {
    let text = text.prefix(bytes: textLimit + 1).trimmingWhitespace.lowercased()
    let now = clock.handset()
    let delay: Duration
    if text.utf8.count > 9, text.utf8.count <= 12, let seconds = Int64(text) {
      delay = .microseconds(WallTime(seconds: seconds).microseconds - now.microseconds)
    } else if let parsed = parse(text) {
      delay = parsed
    } else if text.utf8.count <= textLimit, let time = NtfyTime(text)?.time(after: now, in: clock.zone(now)) {
      delay = .microseconds(time.microseconds - now.microseconds)
    } else {
      throw .bad(
        "delay \(quoted(text)): expected a duration such as 30s, 1.5h or 2 hours, a time such as 'tomorrow, 10am', or "
          + "seconds since 1970", code: 40004)
    }
    guard delay >= range.lowerBound else { throw .bad("delay \(quoted(text)): 10 s at least", code: 40005) }
    guard delay <= range.upperBound else { throw .bad("delay \(quoted(text)): 3 days at most", code: 40006) }
    return delay
  }

  /// Reads a duration in lower case, in Go's form [time.ParseDuration], with days, and with the units' names.
  static func parse(_ text: String) -> Duration? {
    guard text.utf8.count <= textLimit else { return nil }
    if text == "0" { return .zero }
    var rest = Substring(text.hasPrefix("in ") ? text.dropFirst(3) : text[...])
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    var sum = 0.0
    repeat {
      let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      rest = rest.dropFirst(number.count).drop { $0 == " " }
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      // Go reads `1.s` and `.5s`, too.
      let whole = number.contains(".") ? "0\(number)0" : String(number)
      guard number.utf8.count <= 24, number != ".", let count = Double(whole), let unit = unit(word) else { return nil }
      sum += count * unit
    } while !rest.isEmpty
    let duration = sum < Double(longest.components.seconds) ? Duration.microseconds((sum * 1e6).rounded()) : longest
    return isNegative ? .zero - duration : duration
  }

  /// Returns the seconds of a unit.
  static func unit(_ word: some StringProtocol) -> Double? {
    switch word {
    case "ns": 1e-9
    case "us", "µs", "μs": 1e-6
    case "ms": 1e-3
    case "s", "sec", "secs", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hour", "hours": 3_600
    case "d", "day", "days": 86_400
    default: nil
    }
  }
}
