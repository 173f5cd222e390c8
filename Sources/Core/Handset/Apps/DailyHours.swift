/// A span of the day on the handset's clock, the same every day, which may include midnight: quiet hours (rule S5) and
/// night hours (rule B5).
public struct DailyHours: Hashable, Sendable, CustomStringConvertible {
  /// Minutes since midnight, 0 to 1,439; they differ. The first is in the span, the last is not.
  public let start: Int
  public let end: Int

  /// Nil unless both are minutes of a day and differ.
  public init?(start: Int, end: Int) {
    guard DailyHours.minutes.contains(start), DailyHours.minutes.contains(end), start != end else { return nil }
    self.start = start
    self.end = end
  }

  /// Nil unless `text` is `HH:MM-HH:MM`.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, let start = minuteOfDay(parts[0]), let end = minuteOfDay(parts[1]) else { return nil }
    self.init(start: start, end: end)
  }

  public func contains(secondOfDay second: Int) -> Bool {
    let minute = second / 60
    return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
  }

  /// Returns the seconds until the span next begins or ends, from that second of the day: 1 to 86,400.
  func secondsUntilChange(afterSecondOfDay second: Int) -> Int {
    func seconds(until minute: Int) -> Int {
      let left = minute * 60 - second
      return left > 0 ? left : left + 86_400
    }
    return min(seconds(until: start), seconds(until: end))
  }

  private static let minutes = 0..<1440

  public var description: String {
    "\(twoDigits(start / 60)):\(twoDigits(start % 60))-\(twoDigits(end / 60)):\(twoDigits(end % 60))"
  }
}

/// Returns the minutes since midnight in `HH:MM`.
func minuteOfDay(_ text: some Collection<UInt8>) -> Int? {
  let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
  guard parts.count == 2, let hour = decimalNumber(parts[0], digits: 2...2),
    let minute = decimalNumber(parts[1], digits: 2...2)
  else { return nil }
  return hour < 24 && minute < 60 ? hour * 60 + minute : nil
}

/// Returns the number that so many digits stand for; nil if there is anything else.
func decimalNumber(_ text: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
  let decimals = UInt8(ascii: "0")...UInt8(ascii: "9")
  guard digits.contains(text.count), text.allSatisfy(decimals.contains) else { return nil }
  return text.reduce(0) { $0 * 10 + Int($1 - decimals.lowerBound) }
}

func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
