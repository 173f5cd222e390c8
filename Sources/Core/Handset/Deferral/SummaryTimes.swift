/// The times of the scheduled summary, every day on the handset's clock (rule Q2).
public struct SummaryTimes: Hashable, Sendable, CustomStringConvertible {
  /// Minutes since midnight, ascending and different: 1 to `Policy.summaryTimesLimit` of them.
  public let minutes: [Int]

  /// Nil unless `text` is times of a day that differ, `HH:MM`, with commas between them.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let minutes = parts.prefix(Policy.summaryTimesLimit + 1).compactMap { minuteOfDay($0) }
    guard minutes.count == parts.count, (1...Policy.summaryTimesLimit).contains(minutes.count),
      Set(minutes).count == minutes.count
    else { return nil }
    self.minutes = minutes.sorted()
  }

  /// Returns the first of the times after `wall`, in the time zone.
  func next(after wall: WallTime, in zone: TimeZoneTable) -> WallTime? {
    minutes.compactMap { CalendarTime(hour: $0 / 60, minute: $0 % 60).next(after: wall, in: zone) }.min()
  }

  public var description: String {
    minutes.map { "\(twoDigits($0 / 60)):\(twoDigits($0 % 60))" }.joined(separator: ",")
  }
}
