/// A day of the proleptic Gregorian calendar. The core does not use a library, because a library would ask the system.
public struct CivilDate: Hashable, Sendable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int

  /// The period of dates and weekdays in days: 400 years.
  static let cycle = 146_097

  public init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// - Parameter number: days since 1970-01-01.
  public init(dayNumber number: Int) {
    // Counted from 1 March of year 0, so that a leap day is the last day of its year, its four years and its four
    // centuries. Where such a period ends in one, the divisions below leave that day out.
    let days = number + CivilDate.daysToMarchOfYear0
    let cycles = floorDivide(days, by: CivilDate.cycle)
    let dayOfCycle = days - cycles * CivilDate.cycle
    let years = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (years * 365 + years / 4 - years / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - CivilDate.daysBefore(monthFromMarch: monthFromMarch) + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycles * 400 + years + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  public var dayNumber: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let cycles = floorDivide(yearFromMarch, by: 400)
    let yearOfCycle = yearFromMarch - cycles * 400
    let leapDays = yearOfCycle / 4 - yearOfCycle / 100
    let dayOfYear = CivilDate.daysBefore(monthFromMarch: (month + 9) % 12) + day - 1
    return cycles * CivilDate.cycle + yearOfCycle * 365 + leapDays + dayOfYear - CivilDate.daysToMarchOfYear0
  }

  /// Returns 1 for Monday to 7 for Sunday [ISO 8601].
  public static func weekday(ofDayNumber number: Int) -> Int {
    // 1970-01-01 was a Thursday.
    let days = number + 3
    return days - floorDivide(days, by: 7) * 7 + 1
  }

  /// The days from 0000-03-01 to 1970-01-01.
  private static let daysToMarchOfYear0 = 719_468

  /// Five months from March, July or August have 153 days.
  private static func daysBefore(monthFromMarch month: Int) -> Int { (153 * month + 2) / 5 }
}

/// Returns the quotient rounded down, for a divisor above zero.
func floorDivide<Number: SignedInteger>(_ number: Number, by divisor: Number) -> Number {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}
