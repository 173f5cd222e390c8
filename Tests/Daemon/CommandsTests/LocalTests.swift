import ArgumentParser
import HandsetCore
import Testing

@testable import Commands
@testable import DeskbellDaemon

@Suite struct LocalTests {
  private func add(_ time: String..., words: [String] = ["--title", "Tea"]) throws -> LocalNotificationRequest {
    let command = try Deskbell.parseAsRoot(["local", "add", "a.b", "--id", "tea"] + time + words)
    return try #require(command as? LocalCommand.Add).request
  }

  private func refusal(_ words: [String]) -> String? {
    guard let refused = end(words) else { return nil }
    #expect(refused.code == 2)
    return refused.message?.split(separator: "\n").first.map(String.init)
  }

  @Test func intervals() throws {
    let tea = LocalNotificationRequest(title: "Tea", sound: "default", afterSeconds: 600, repeats: false)
    #expect(try add("--in", "10m") == tea)
    #expect(try add("--in", "10m", "--sound", "none").sound == nil)
    #expect(try add("--in", "10m", "--action-title", "Pour").actionTitle == "Pour")
    #expect(try add("--in", "10m", "--action-title", "").actionTitle == "")
    let often = LocalNotificationRequest(title: "Tea", sound: "default", afterSeconds: 5400, repeats: true)
    #expect(try add("--in", "1h30m", "--repeat") == often)
  }

  @Test func calendarTimes() throws {
    func calendar(_ time: String...) throws -> CalendarTime? { try add(time[0], time[1]).calendar }
    let date = try add("--at", "2026-11-22 08:00")
    #expect(date.calendar == .init(year: 2026, month: 11, day: 22, hour: 8, minute: 0, second: 0))
    #expect(date.repeats == false)
    #expect(try calendar("--at", "23:59:58") == .init(hour: 23, minute: 59, second: 58))
    #expect(try add("--at", "08:00").repeats == false)
    #expect(try calendar("--daily", "07:00") == .init(hour: 7, minute: 0, second: 0))
    #expect(try add("--daily", "07:00").repeats == true)
    #expect(try calendar("--weekly", "Monday 08:30") == .init(weekday: 1, hour: 8, minute: 30, second: 0))
    #expect(try calendar("--weekly", "sun 08:30") == .init(weekday: 7, hour: 8, minute: 30, second: 0))
    #expect(try calendar("--monthly", "1 09:00") == .init(day: 1, hour: 9, minute: 0, second: 0))
    #expect(try calendar("--yearly", "02-29 07:00") == .init(month: 2, day: 29, hour: 7, minute: 0, second: 0))
  }

  @Test(arguments: [
    ["--at", "2026-11-22"], ["--at", "8:00"], ["--at", "2026-11-22T08:00"], ["--at", "26-11-22 08:00"],
    ["--at", "٠٨:٠٠"], ["--at", "-8:00"], ["--daily", "07"], ["--daily", "07:00:00:00"], ["--weekly", "08:30"],
    ["--weekly", "mo 08:30"], ["--weekly", "holiday 08:30"], ["--monthly", "first 08:00"], ["--monthly", "101 08:00"],
    ["--yearly", "24.12 18:00"], ["--in", "10"], ["--in", "1m", "--at", "08:00"], ["--repeat", "--at", "08:00"], [],
  ])
  func whatIsNoTime(_ time: [String]) {
    #expect(refusal(["local", "add", "a.b", "--id", "tea", "--title", "Tea"] + time) != nil, "\(time)")
  }

  @Test func whatIsMissingIsNamed() {
    let add = ["local", "add", "a.b", "--id", "tea", "--in", "1m"]
    #expect(refusal(add) == "Nothing to present: give --title, --body, --badge or --sound.")
    #expect(refusal(add + ["--badge", "-1"]) != nil)
    #expect(refusal(add + ["--badge=-1"]) == "A badge is 0 or more, not -1.")
    #expect(refusal(add + ["--badge", "-1"]) == "A badge is 0 or more, not -1.")
    #expect(refusal(["local", "add", "a.b", "--id", "", "--in", "1m", "--badge", "1"]) == "--id has 1 to 64 bytes.")
    let long = String(repeating: "x", count: 65)
    #expect(refusal(["local", "add", "a.b", "--id", long, "--in", "1m", "--badge", "1"]) == "--id has 1 to 64 bytes.")
    #expect(refusal(["local", "cancel", "a.b"]) == "Which? Give its name, or --all.")
    #expect(refusal(["local", "cancel", "a.b", "tea", "--all"]) == "Which? Give its name, or --all.")
    #expect(refusal(["local", "cancel", "a.b", "tea"]) == nil)
    #expect(refusal(["local", "list", "--json"]) == nil)
    #expect(refusal(["app", "present", "a.b", "--foreground", "banner"]) != nil)
  }

  @Test func whatIsPresented() throws {
    func kinds(_ word: String) throws -> [String]? {
      let command = try Deskbell.parseAsRoot(["app", "present", "a.b", "--foreground", word])
      return (command as? AppCommand.Present)?.foreground.kinds.names
    }
    #expect(try kinds("none") == [])
    #expect(try kinds("alert,badge") == ["badge", "alert"])
    var app = WordsTests.app("a.b")
    #expect(AppCommand.presenting(app) == "a.b in the foreground: nothing is presented")
    app.foregroundPresentation = ["badge", "alert"]
    #expect(AppCommand.presenting(app) == "a.b in the foreground: badge, alert is presented")
  }

  @Test func list() {
    func report(_ identifier: String, _ request: LocalNotificationRequest) -> LocalNotificationReport {
      LocalNotificationReport(
        app: "a.b", identifier: identifier, push: "p", dueWallMicroseconds: WordsTests.moment, request: request)
    }
    let tea = report("tea", .init(title: "Tea", body: "It is\nready", badge: 1, sound: "bell", afterSeconds: 600))
    #expect(
      LocalCommand.list(
        [tea, report("shift", .init(badge: 0, calendar: .init(hour: 7), repeats: true))], WordsTests.utc)
          == """
          DUE                  HOW OFTEN  APP  NAME   MESSAGE
          2023-11-14 22:13:20  once       a.b  tea    Tea – It is ready – badge 1 – sound bell
          2023-11-14 22:13:20  daily      a.b  shift  badge 0
          """)
    #expect(LocalCommand.list([]) == "nothing is scheduled")
    #expect(LocalCommand.added(tea, WordsTests.utc) == "tea of a.b is scheduled: due 2023-11-14 22:13:20, once")
    var past = tea
    past.dueWallMicroseconds = nil
    #expect(LocalCommand.added(past) == "tea of a.b is scheduled: due at once, once")
  }

  @Test(arguments: [
    (CalendarTime(hour: 7), "daily"), (CalendarTime(weekday: 1, hour: 7), "every monday"),
    (CalendarTime(day: 1, hour: 7), "monthly on the 1."),
    (CalendarTime(month: 2, day: 29, hour: 7), "yearly on 02-29"),
    (CalendarTime(day: 13, weekday: 5, hour: 7), "each *-*-13 friday"),
    (CalendarTime(year: 2030, hour: 7), "each 2030-*-*"),
  ])
  func howOften(_ time: CalendarTime, _ words: String) {
    #expect(LocalCommand.often(.init(calendar: time, repeats: true)) == words)
    #expect(LocalCommand.often(.init(calendar: time)) == "once")
    #expect(LocalCommand.often(.init(afterSeconds: 5400, repeats: true)) == "every 1h30m")
  }
}
