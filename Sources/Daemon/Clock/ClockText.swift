// Times as people write them for a clock that they set: always UTC, so that a bench needs no time zone.

import FoundationEssentials
import HandsetCore

extension WallTime {
  /// The time in the format of RFC 3339, `2026-01-01T00:00:00Z`, with six decimals if it is not a whole second.
  public var utc: String { "\(parts.date)T\(parts.time)Z" }

  /// Reads `2026-01-01T00:00:00Z`, also with up to six decimals [RFC 3339]; nil for anything else, also for other offsets.
  public init?(utc text: String) {
    let whole = String(text.prefix(19))
    let rest = text.dropFirst(19)
    let decimals = rest.dropFirst().dropLast()
    let hasDecimals = (1...6).contains(decimals.count) && decimals.utf8.allSatisfy { (48...57).contains($0) }
    guard rest == "Z" || (rest.hasPrefix(".") && rest.hasSuffix("Z") && hasDecimals),
      let date = try? Date("\(whole)Z", strategy: .iso8601)
    else { return nil }
    let micros = Int64(decimals + String(repeating: "0", count: 6 - decimals.count)) ?? 0
    self.init(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000 + micros)
    // The parser accepts a 30th of February, and 24 o'clock.
    guard utc.hasPrefix(whole) else { return nil }
  }

  /// The date and the time of day.
  var parts: (date: Substring, time: String) {
    let decimals = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
    let seconds = (microseconds - decimals) / 1_000_000
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    let fraction = decimals == 0 ? "" : ".\(String(decimals + 1_000_000).dropFirst())"
    return (text.prefix(10), "\(text.dropFirst(11).dropLast())\(fraction)")
  }
}
