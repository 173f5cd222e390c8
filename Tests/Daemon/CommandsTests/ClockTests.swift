import HandsetCore
import Testing

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon

@Suite struct ClockTests {
  @Test(arguments: [
    ("90s", 90), ("45m", 2_700), ("1h30m", 5_400), ("30d", 2_592_000), ("1d2h3m4s", 93_784), ("0s", 0), ("007s", 7),
    ("100h", 360_000),
  ])
  func spans(_ text: String, _ seconds: Int64) {
    #expect(SpanOfTime(text)?.seconds == seconds)
  }

  @Test(arguments: [("90s", "1m30s"), ("45m", "45m"), ("1h30m", "1h30m"), ("30d", "30d"), ("0s", "0s")])
  func spansAreWrittenAsTheyAreTyped(_ typed: String, _ written: String) {
    #expect(SpanOfTime(typed)?.description == written)
  }

  @Test(arguments: [
    "", "5", "m", "45 m", "1.5h", "-1s", "30m1h", "1h1h", "1w", "1h30", "1H", "99999999999999999999s",
    "9223372036854775807d", "9223372036854775807s1s", "٣s",
  ])
  func noSpans(_ text: String) {
    #expect(SpanOfTime(text) == nil)
  }

  @Test func commands() throws {
    #expect(try !parse("clock", as: ClockCommand.Show.self).options.json.isWanted)
    #expect(try parse("clock --json", as: ClockCommand.Show.self).options.json.isWanted)
    let advance: ClockCommand.Advance = try parse("clock advance 1h30m --json --control c")
    #expect(advance.duration.seconds == 5_400 && advance.options.json.isWanted && advance.options.control.socket == "c")
    #expect(end("clock advance 366d") == nil)
    for line in ["clock advance", "clock advance 367d", "clock advance 366d1s", "clock advance 0s", "clock advance 5"] {
      #expect(end(line)?.code == 2, "\(line)")
    }
    let replay: ReplayCommand = try parse("replay inputs.jsonl --state copy")
    #expect(replay.file == "inputs.jsonl" && replay.state == "copy")
    #expect(end("replay")?.code == 2)
    for name in ["record", "journal"] {
      let serve: ServeCommand = try parse("serve --clock virtual --\(name) j")
      #expect(serve.options.clock == .virtual && serve.options.record == "j")
    }
    #expect(try parse("serve", as: ServeCommand.self).options.clock == .system)
    #expect(end("serve --clock lunar")?.code == 2)
    #expect(try parse("events", as: EventsCommand.self).since == nil)
    #expect(try parse("events --since 0", as: EventsCommand.self).since == 0)
  }

  @Test func optionsOfAVirtualClock() throws {
    let serve: ServeCommand = try parse(
      "serve --clock virtual --all --clock-start 2026-01-01T00:00:00Z --clock-file now")
    #expect(serve.options.joinsClocks && serve.options.clockFile == "now")
    #expect(serve.options.clockStart == WallTime(seconds: 1_767_225_600))
    let alone: ServeCommand = try parse("serve --clock virtual --clock-start 2026-01-01T00:00:00.5Z")
    #expect(!alone.options.joinsClocks && alone.options.clockStart?.microseconds == 1_767_225_600_500_000)
    for option in ["--all", "--clock-start 2026-01-01T00:00:00Z", "--clock-file now"] {
      for clock in ["", " --clock system"] {
        let refused = try #require(end("serve\(clock) \(option)"))
        #expect(refused.code == 2)
        let name = option.split(separator: " ")[0]
        #expect("\(refused)".contains("\(name) needs a virtual clock: add --clock virtual."), "\(refused)")
      }
    }
    for time in ["now", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00"] {
      let refused = try #require(end("serve --clock virtual --clock-start \(time)"))
      #expect(refused.code == 2)
      #expect("\(refused)".contains("expected a time in UTC, such as 2026-01-01T00:00:00Z"), "\(refused)")
    }
    #expect(end("serve --clock virtual --clock-start 2024-12-31T23:59:59Z")?.code == 2)
  }

  @Test func theClockAsALine() {
    let clock = ClockReport(
      clock: "virtual", uptimeMicroseconds: 90_061_000_000, wallMicroseconds: 1_700_000_000_000_000)
    #expect(ClockCommand.line(clock, ClockFace(isUTC: true)) == "2023-11-14 22:13:20, up 1 d 1 h, virtual clock")
    var joined = clock
    joined.all = true
    #expect(
      ClockCommand.line(joined, ClockFace(isUTC: true)) == "2023-11-14 22:13:20, up 1 d 1 h, virtual clock for all")
  }

  @Test func eventsThatAreGone() {
    #expect(EventWords.gap(from: nil, to: 900) == nil)
    #expect(EventWords.gap(from: 12, to: 12) == nil)
    let keeps = "the journal keeps 100000, and of refusals the newest 10000"
    #expect(EventWords.gap(from: 12, to: 13) == "deskbell: event 12 is gone: \(keeps)")
    #expect(
      EventWords.gap(from: 1, to: 101) == "deskbell: events 1 to 100 are gone: \(keeps)")
    #expect(EventWords.gap(from: 12, to: 3) == nil)
  }
}
