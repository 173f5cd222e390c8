// Days, time zones and the next time of a calendar (L1): against known dates, and against each other.

import Testing

@testable import HandsetCore

@Suite struct CalendarTests {
  private func wall(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> WallTime {
    let days = CivilDate(year: year, month: month, day: day).dayNumber
    return WallTime(seconds: Int64(days * 86_400 + hour * 3600 + minute * 60))
  }

  @Test(arguments: [
    (1970, 1, 1, 0, 4), (1969, 12, 31, -1, 3), (2000, 2, 29, 11_016, 2), (2000, 3, 1, 11_017, 3),
    (1900, 3, 1, -25_508, 4), (2026, 1, 1, 20_454, 4), (2100, 2, 28, 47_540, 7), (1600, 2, 29, -135_081, 2),
    (0, 3, 1, -719_468, 3), (9999, 12, 31, 2_932_896, 5),
  ])
  func aDayHasItsNumberAndItsWeekday(year: Int, month: Int, day: Int, number: Int, weekday: Int) {
    #expect(CivilDate(year: year, month: month, day: day).dayNumber == number)
    #expect(CivilDate(dayNumber: number) == CivilDate(year: year, month: month, day: day))
    #expect(CivilDate.weekday(ofDayNumber: number) == weekday)
  }

  @Test func eachDayOf800YearsFollowsTheOneBefore() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var expected = CivilDate(year: 1600, month: 1, day: 1)
    for number in expected.dayNumber..<(expected.dayNumber + 2 * CivilDate.cycle) {
      let date = CivilDate(dayNumber: number)
      guard date == expected, date.dayNumber == number else {
        Issue.record("day \(number) is \(date), not \(expected)")
        return
      }
      let isLeap = expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
      let length = expected.month == 2 && isLeap ? 29 : lengths[expected.month - 1]
      if expected.day < length {
        expected.day += 1
      } else if expected.month < 12 {
        expected = CivilDate(year: expected.year, month: expected.month + 1, day: 1)
      } else {
        expected = CivilDate(year: expected.year + 1, month: 1, day: 1)
      }
    }
  }

  @Test func localTimeComesBackToTheSameMoment() throws {
    for zone in StoryZone.named.values {
      for hour in 0..<(3 * 366 * 24) {
        let time = WallTime(seconds: HandsetRig.wallStart.microseconds / 1_000_000 + Int64(hour) * 3600 + 1800)
        let back = zone.time(ofLocal: zone.localSeconds(at: time))
        // The second of two equal local times maps to the first.
        let isSecond = back == time.advanced(by: .seconds(-3600))
        guard back == time || isSecond && zone.localSeconds(at: back) == zone.localSeconds(at: time) else {
          Issue.record("\(zone.name): \(time) came back as \(back)")
          return
        }
      }
    }
  }

  @Test("Where clocks go forward the time they leave out is when they go on; going back, the first of two counts")
  func bothChangesOfTheClocks() {
    let daily = CalendarTime(hour: 2, minute: 30)
    #expect(daily.next(after: wall(2026, 3, 28, 12), in: StoryZone.berlin) == wall(2026, 3, 29, 1))
    #expect(daily.next(after: wall(2026, 3, 29, 1), in: StoryZone.berlin) == wall(2026, 3, 30, 0, 30))
    #expect(daily.next(after: wall(2026, 10, 24, 12), in: StoryZone.berlin) == wall(2026, 10, 25, 0, 30))
    #expect(daily.next(after: wall(2026, 10, 25, 0, 30), in: StoryZone.berlin) == wall(2026, 10, 26, 1, 30))
    // Scheduled between the two times: not again today.
    #expect(daily.next(after: wall(2026, 10, 25, 1), in: StoryZone.berlin) == wall(2026, 10, 26, 1, 30))
    #expect(daily.next(after: wall(2026, 3, 7, 12), in: StoryZone.newYork) == wall(2026, 3, 8, 7))
    #expect(daily.next(after: wall(2026, 10, 31, 12), in: StoryZone.newYork) == wall(2026, 11, 1, 7, 30))
    #expect(
      CalendarTime(hour: 1, minute: 30).next(after: wall(2026, 10, 31, 12), in: StoryZone.newYork)
        == wall(2026, 11, 1, 5, 30))
  }

  @Test("A zone may leave out a whole day")
  func aDayThatNeverWas() throws {
    // Samoa went from UTC-10 to UTC+14 at the end of 2011-12-29.
    let change = wall(2011, 12, 30, 10).microseconds / 1_000_000
    let samoa = try #require(
      TimeZoneTable(name: "Pacific/Apia", initialOffset: -36_000, transitions: [.init(time: change, offset: 50_400)]))
    let noon = CalendarTime(hour: 12)
    #expect(noon.next(after: wall(2011, 12, 29, 0), in: samoa) == wall(2011, 12, 29, 22))
    #expect(noon.next(after: wall(2011, 12, 29, 22), in: samoa) == wall(2011, 12, 30, 10))
    #expect(noon.next(after: wall(2011, 12, 30, 10), in: samoa) == wall(2011, 12, 30, 22))
  }

  @Test func theNextDayThatAgrees() {
    let start = wall(2026, 1, 1)
    func next(_ time: CalendarTime) -> WallTime? { time.next(after: start, in: .utc) }
    #expect(next(CalendarTime(hour: 0)) == wall(2026, 1, 2))
    #expect(next(CalendarTime(hour: 0, minute: 0, second: 1)) == WallTime(microseconds: start.microseconds + 1_000_000))
    #expect(next(CalendarTime(weekday: 4, hour: 12)) == wall(2026, 1, 1, 12))
    #expect(next(CalendarTime(weekday: 3, hour: 12)) == wall(2026, 1, 7, 12))
    #expect(next(CalendarTime(day: 31, hour: 7)) == wall(2026, 1, 31, 7))
    #expect(next(CalendarTime(month: 2, day: 29, hour: 7)) == wall(2028, 2, 29, 7))
    #expect(next(CalendarTime(month: 2, day: 29, weekday: 7, hour: 7)) == wall(2032, 2, 29, 7))
    #expect(next(CalendarTime(day: 13, weekday: 5, hour: 7)) == wall(2026, 2, 13, 7))
    #expect(next(CalendarTime(year: 2030, hour: 7)) == wall(2030, 1, 1, 7))
    #expect(next(CalendarTime(year: 9999, month: 12, day: 31, hour: 23)) == wall(9999, 12, 31, 23))
    #expect(next(CalendarTime(year: 2026, month: 1, day: 1, hour: 0)) == nil)
    #expect(next(CalendarTime(year: 2025, hour: 0)) == nil)
    #expect(next(CalendarTime(month: 2, day: 30, hour: 0)) == nil)
    #expect(next(CalendarTime(year: 2026, month: 2, day: 29, hour: 0)) == nil)
    // No 29 February 2100 to 2103: a cycle of 400 years has them all.
    #expect(CalendarTime(month: 2, day: 29, hour: 0).next(after: wall(2096, 3, 1), in: .utc) == wall(2104, 2, 29))
  }

  @Test(arguments: [
    CalendarTime(hour: 24), CalendarTime(hour: -1), CalendarTime(hour: 0, minute: 60),
    CalendarTime(hour: 0, second: 60), CalendarTime(year: 1969, hour: 0), CalendarTime(year: 10_000, hour: 0),
    CalendarTime(month: 0, hour: 0), CalendarTime(month: 13, hour: 0), CalendarTime(day: 32, hour: 0),
    CalendarTime(weekday: 0, hour: 0), CalendarTime(weekday: 8, hour: 0),
  ])
  func whatNoCalendarHas(time: CalendarTime) {
    #expect(!time.isValid)
    #expect(time.next(after: HandsetRig.wallStart, in: .utc) == nil)
  }

  @Test func aTableIsChecked() {
    func table(_ times: [Int64], offset: Int = 0) -> TimeZoneTable? {
      TimeZoneTable(name: "Test", initialOffset: offset, transitions: times.map { .init(time: $0, offset: 3600) })
    }
    #expect(table([1, 2, 3]) != nil)
    #expect(table([1, 1]) == nil)
    #expect(table([2, 1]) == nil)
    #expect(table([], offset: Policy.timeZoneOffsetLimit - 1) != nil)
    #expect(table([], offset: Policy.timeZoneOffsetLimit) == nil)
    #expect(table([], offset: -Policy.timeZoneOffsetLimit) == nil)
    #expect(table([], offset: .min) == nil)
    #expect(table([.max]) == nil)
    #expect(table(Array(1...Int64(Policy.timeZoneTransitionLimit))) != nil)
    #expect(table(Array(0...Int64(Policy.timeZoneTransitionLimit))) == nil)
  }

  @Test("Of years that were missed one is presented, and setting the clock back repeats none of them (L3)")
  func missedYears() throws {
    let request = LocalNotification(
      app: try #require(AppID("clock")), identifier: "leap", push: Label.push(1),
      trigger: .calendar(CalendarTime(month: 2, day: 29, hour: 7), repeats: true), badge: .number(1))
    func at(_ wall: WallTime) -> Moment { Moment(uptime: .seconds(1000), wall: wall) }
    let pending = try #require(request.pending(at: at(wall(2026, 1, 1)), in: .utc))
    #expect(pending.dueWall == wall(2028, 2, 29, 7))
    // Long after the last, the search goes back its span and not a microsecond more.
    let now = wall(2036, 4, 1, 7)
    let next = try #require(pending.following(at: at(now), in: .utc))
    let first = now.advanced(by: .zero - Policy.missedTimeSpan)
    #expect(next.due == .wall(wall(2040, 2, 29, 7), from: now, presented: first...now))
    // Soon after it, the result is the last time itself.
    let soon = try #require(pending.following(at: at(wall(2036, 3, 1)), in: .utc))
    let missed = wall(2036, 2, 29, 7)
    #expect(soon.due == .wall(wall(2040, 2, 29, 7), from: wall(2036, 3, 1), presented: missed...wall(2036, 3, 1)))
    let back = soon.afterWallClockStep(of: .seconds(-86_400 * 10), to: wall(2036, 2, 20), in: .utc)
    #expect(back.dueWall == wall(2040, 2, 29, 7))
    let farBack = soon.afterWallClockStep(of: .seconds(-86_400 * 3000), to: wall(2027, 1, 1), in: .utc)
    #expect(farBack.dueWall == wall(2028, 2, 29, 7))
  }

  @Test func quietHours() throws {
    let night = try #require(DailyHours("22:00-07:00"))
    #expect(night.description == "22:00-07:00")
    for (second, isQuiet) in [(0, true), (25_199, true), (25_200, false), (79_199, false), (79_200, true)] {
      #expect(night.contains(secondOfDay: second) == isQuiet, "\(second)")
    }
    let noon = try #require(DailyHours("12:00-13:30"))
    #expect(!noon.contains(secondOfDay: 43_199) && noon.contains(secondOfDay: 43_200))
    #expect(noon.contains(secondOfDay: 48_599) && !noon.contains(secondOfDay: 48_600))
    for text in ["", "22:00", "22:00-22:00", "22:60-07:00", "2200-0700", "22:00-07:00-", "٢٢:00-07:00"] {
      #expect(DailyHours(text) == nil, "\(text)")
    }
  }

  @Test func vibrationsEnd() {
    let patterns: [VibrationPattern] = [.pulse, .double, .triple]
    #expect(patterns.map(\.name) == ["pulse", "double", "triple"])
    for pattern in patterns {
      #expect(!pattern.runs(after: .milliseconds(-1)))
      #expect(pattern.runs(after: .zero))
      #expect(pattern.runs(after: pattern.duration - .microseconds(1)))
      #expect(!pattern.runs(after: pattern.duration))
    }
    #expect(VibrationPattern.double.duration == .milliseconds(550))
    let changes: [(Int, Int?)] = [
      (-1, 0), (0, 200), (199, 200), (200, 350), (350, 550), (549, 550), (550, nil), (9_000, nil),
    ]
    for (elapsed, change) in changes {
      #expect(
        VibrationPattern.double.nextChange(after: .milliseconds(elapsed)) == change.map { .milliseconds($0) })
    }
    #expect(!VibrationPattern.double.runs(after: .milliseconds(200)))
    #expect(VibrationPattern.double.runs(after: .milliseconds(350)))
    #expect(VibrationPattern.standard(for: .passive) == nil)
  }
}
