/// A time of the day, on the days that match every given part: every day at seven, the 29th of February, Mondays at
/// half past eight (rule L1).
public struct CalendarTime: Hashable, Sendable, Codable, CustomStringConvertible {
  /// 1970 to 9999; nil for every year.
  public var year: Int?
  /// 1 to 12; nil for every month.
  public var month: Int?
  /// 1 to 31; nil for every day.
  public var day: Int?
  /// 1 for Monday to 7 for Sunday [ISO 8601]; nil for every one.
  public var weekday: Int?
  /// 0 to 23.
  public var hour: Int
  /// 0 to 59.
  public var minute: Int
  public var second: Int

  public init(
    year: Int? = nil, month: Int? = nil, day: Int? = nil, weekday: Int? = nil, hour: Int, minute: Int = 0,
    second: Int = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.weekday = weekday
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Absent minutes and seconds are 0.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    year = try container.decodeIfPresent(Int.self, forKey: .year)
    month = try container.decodeIfPresent(Int.self, forKey: .month)
    day = try container.decodeIfPresent(Int.self, forKey: .day)
    weekday = try container.decodeIfPresent(Int.self, forKey: .weekday)
    hour = try container.decode(Int.self, forKey: .hour)
    minute = try container.decodeIfPresent(Int.self, forKey: .minute) ?? 0
    second = try container.decodeIfPresent(Int.self, forKey: .second) ?? 0
  }

  /// True if each part is within its range. The 30th of February passes; it never comes.
  public var isValid: Bool {
    func isAbsent(_ part: Int?, or range: ClosedRange<Int>) -> Bool { part.map(range.contains) ?? true }
    return isAbsent(year, or: 1970...9999) && isAbsent(month, or: 1...12) && isAbsent(day, or: 1...31)
      && isAbsent(weekday, or: 1...7) && (0...23).contains(hour) && (0...59).contains(minute)
      && (0...59).contains(second)
  }

  /// Returns the first such time after `wall`, in the time zone; nil if there is none. A time that local clocks skip is
  /// the end of the gap; a time that they show twice is the first one.
  public func next(after wall: WallTime, in zone: TimeZoneTable) -> WallTime? {
    guard isValid else { return nil }
    // One day earlier: clocks that are set back over midnight show the end of a day twice.
    var number = Int(floorDivide(zone.localSeconds(at: wall), by: 86_400)) - 1
    if let year { number = max(number, CivilDate(year: year, month: 1, day: 1).dayNumber) }
    let end = number + CivilDate.cycle
    while number <= end {
      let date = CivilDate(dayNumber: number)
      if let year, date.year > year { return nil }
      if let month, date.month != month {
        let isDecember = date.month == 12
        let year = isDecember ? date.year + 1 : date.year
        number = CivilDate(year: year, month: isDecember ? 1 : date.month + 1, day: 1).dayNumber
        continue
      }
      if day ?? date.day == date.day, weekday.map({ $0 == CivilDate.weekday(ofDayNumber: number) }) ?? true {
        let time = zone.time(ofLocal: Int64(number) * 86_400 + Int64(hour * 3600 + minute * 60 + second))
        if time > wall { return time }
      }
      number += 1
    }
    return nil
  }

  /// `*-02-29 07:00:00`, with `weekday 1` if there is one.
  public var description: String {
    func part(_ number: Int?) -> String { number.map(twoDigits) ?? "*" }
    let date = "\(year.map(String.init) ?? "*")-\(part(month))-\(part(day))"
    let time = "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))"
    return "\(date) \(time)" + (weekday.map { " weekday \($0)" } ?? "")
  }
}
