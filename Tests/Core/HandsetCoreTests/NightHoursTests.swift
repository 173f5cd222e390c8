// Night is a span of local clocks, and local clocks jump. The handset must ask to be woken whenever the light changes
// by the hour, and only while something is lit.

import Testing

@testable import HandsetCore

@Suite("B5: the display is dimmed at night")
struct NightHoursTests {
  private static let app = AppID("com.example.mail")!

  /// Returns a handset whose display shows 1.
  private static func handset(hours: String, zone: TimeZoneTable, at now: Moment) -> Handset {
    var handset = Handset()
    _ = handset.handle(.setTimeZone(zone), at: now)
    _ = handset.handle(.install(AppManifest(id: app, name: "Mail"), token: Label.token(1)), at: now)
    _ = handset.handle(.register(app, .all, token: Label.token(1)), at: now)
    _ = handset.handle(.setHandsetSetting(.nightHours, hours), at: now)
    var push = Push(id: Label.push(1), token: Label.token(1), topic: app)
    push.badge = .number(1)
    _ = handset.handle(.push(push), at: now)
    return handset
  }

  private static func moment(_ year: Int, _ month: Int, _ day: Int, minute: Int = 0) -> Moment {
    let days = Int64(CivilDate(year: year, month: month, day: day).dayNumber)
    return Moment(uptime: .seconds(1000), wall: WallTime(seconds: days * 86_400 + Int64(minute) * 60))
  }

  @Test(
    "Every change of the light is a deadline, through winter, both jumps of the clocks, and at every hour",
    arguments: [
      "22:00-07:00", "07:00-22:00", "02:15-02:45", "02:30-01:30", "00:00-23:59", "02:00-03:00", "03:00-02:00",
    ], [(2026, 1, 1), (2026, 3, 28), (2026, 10, 24)])
  func everyChangeIsADeadline(hours: String, start: (year: Int, month: Int, day: Int)) throws {
    let first = NightHoursTests.moment(start.year, start.month, start.day)
    let handset = NightHoursTests.handset(hours: hours, zone: StoryZone.berlin, at: first)
    let span = try #require(DailyHours(hours))
    var deadline = try #require(handset.wakeAt(after: first)?.wall)
    var isDimmed = handset.presentation(at: first).isDimmed
    var changes = 0
    for minute in 0..<3 * 1440 {
      let now = NightHoursTests.moment(start.year, start.month, start.day, minute: minute)
      let isNight = span.contains(secondOfDay: StoryZone.berlin.secondOfDay(at: now.wall))
      if isNight != isDimmed {
        isDimmed.toggle()
        changes += 1
        #expect(deadline == now.wall, "changed at \(now), awaited at \(deadline)")
      }
      if now.wall >= deadline { deadline = try #require(handset.wakeAt(after: now)?.wall) }
      // `#expect` for each minute would take longer than all else in a debug build.
      guard handset.presentation(at: now).isDimmed == isNight, deadline > now.wall else {
        Issue.record("at \(now) it is \(isNight ? "" : "not ")night, and the deadline \(deadline)")
        return
      }
    }
    #expect(changes >= 4)
  }

  @Test("Nothing is due while the display is dark, or while it is never night")
  func nothingIsDueInTheDark() throws {
    let now = NightHoursTests.moment(2026, 1, 1)
    var handset = NightHoursTests.handset(hours: "22:00-07:00", zone: .utc, at: now)
    let seven = NightHoursTests.moment(2026, 1, 1, minute: 420).wall
    #expect(handset.presentation(at: now).isDimmed)
    #expect(handset.wakeAt(after: now)?.wall == seven)
    for (off, on) in [
      (Input.setHandsetSetting(.notifications, "off"), Input.setHandsetSetting(.notifications, "on")),
      (.setHandsetSetting(.nightHours, "off"), .setHandsetSetting(.nightHours, "22:00-07:00")),
      (.setAppSetting(NightHoursTests.app, .badge, "off"), .setAppSetting(NightHoursTests.app, .badge, "on")),
    ] {
      _ = handset.handle(off, at: now)
      #expect(!handset.presentation(at: now).isDimmed)
      #expect(handset.wakeAt(after: now)?.wall == nil)
      _ = handset.handle(on, at: now)
      #expect(handset.presentation(at: now).isDimmed)
      #expect(handset.wakeAt(after: now)?.wall == seven)
    }
  }

  @Test func secondsUntilTheSpanChanges() throws {
    let night = try #require(DailyHours("22:00-07:00"))
    for (second, left) in [(0, 25_200), (25_199, 1), (25_200, 54_000), (79_199, 1), (79_200, 32_400), (86_399, 25_201)]
    {
      #expect(night.secondsUntilChange(afterSecondOfDay: second) == left)
    }
  }
}
