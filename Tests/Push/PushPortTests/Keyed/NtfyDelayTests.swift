// Tests of delays as ntfy's clients write them: Go's durations [time.ParseDuration], ntfy's own, and times in words.

import HandsetCore
import Testing

@testable import PushPort

@Suite("ntfy's delays")
struct NtfyDelayTests {
  @Test(
    "Durations",
    arguments: [
      ("1800.0s", 1_800), ("1.5h", 5_400), ("1h30m", 5_400), ("1h30m0.5s", 5_400.5), (".5h", 1_800), ("90.s", 90),
      ("+90s", 90), ("1h 15m", 4_500), ("20000ms", 20), ("30000000us", 30), ("30000000µs", 30), ("10000000000ns", 10),
      ("30S", 30), ("30 min", 1_800), ("2 days", 172_800), ("2Days", 172_800), ("1d12h", 129_600), ("3h", 10_800),
      ("0", 0), ("-5s", -5), ("99999999999999h", 3_162_240_000),
    ] as [(String, Double)])
  func durations(_ row: (text: String, seconds: Double)) {
    #expect(NtfyDelay.parse(row.text.lowercased()) == .seconds(row.seconds))
  }

  @Test("What is no duration", arguments: ["", "5", ".s", "1..5s", "1x", "h", "1h-5m", "-", "1800.0", "٣s"])
  func noDurations(_ text: String) { #expect(NtfyDelay.parse(text) == nil) }

  /// Berlin is an hour ahead of UTC. Now is Friday, 2021-12-10, 10:17:23, as in ntfy's own tests.
  @Test(
    "Times in words",
    arguments: [
      ("11am", "12-10 11:00:00"), ("9am", "12-11 09:00:00"), ("Monday, 10:30pm", "12-13 22:30:00"),
      ("tomorrow", "12-11 10:17:23"), ("tomorrow, 10am", "12-11 10:00:00"), ("Tomorrow at 10am", "12-11 10:00:00"),
      ("8:30pm", "12-10 20:30:00"), ("20:30", "12-10 20:30:00"), ("08:30", "12-11 08:30:00"),
      ("11.30 p.m.", "12-10 23:30:00"), ("8:30:15 PM", "12-10 20:30:15"), ("12am", "12-11 00:00:00"),
      ("12:30pm", "12-10 12:30:00"), ("5p.", "12-10 17:00:00"), ("today 5pm", "12-10 17:00:00"),
      ("Tuesday, 7am", "12-14 07:00:00"), ("tue 7 am", "12-14 07:00:00"), ("7am on Tuesday", "12-14 07:00:00"),
      ("Friday", "12-17 10:17:23"), ("this Friday, 6pm", "12-10 18:00:00"), ("next sunday at 9:15", "12-12 09:15:00"),
      ("tonight", "12-10 23:00:00"), ("this evening", "12-10 18:00:00"), ("tomorrow morning", "12-11 08:00:00"),
      ("noon", "12-10 12:00:00"), ("in the afternoon", nil), ("tomorrow afternoon", "12-11 15:00:00"),
      ("midnight", "12-11 00:00:00"), ("in half an hour", "12-10 10:47:23"), ("in an hour", "12-10 11:17:23"),
      ("in two hours", "12-10 12:17:23"), ("in a few minutes", "12-10 10:20:23"),
      ("3 days from now", "12-13 10:17:23"), ("within 5 minutes", "12-10 10:22:23"), ("in a week", "12-17 10:17:23"),
      ("December 12", "12-12 10:17:23"), ("12th of december, 8pm", "12-12 20:00:00"),
      ("dec. twelfth 8pm", "12-12 20:00:00"), ("2021-12-12 08:00", "12-12 08:00:00"),
      ("2021-12-12T08:00:00Z", "12-12 09:00:00"), ("2021-12-12T08:00:00+02:00", "12-12 07:00:00"),
      ("soon", nil), ("tomorrow tomorrow", nil), ("10", nil), ("25:00", nil), ("13pm", nil), ("at", nil), ("", nil),
      ("february 30", nil), ("10am, or so", nil), ("next", nil), ("in", nil), ("3 hours from", nil),
      ("10am 11am", nil), ("2021-02-30", nil), ("2021-12-12t", nil),
    ] as [(String, String?)])
  func words(_ row: (text: String, time: String?)) throws {
    let zone = try #require(TimeZoneTable(name: "Europe/Berlin", initialOffset: 3_600, transitions: []))
    let now = WallTime(seconds: 1_639_131_443 - 3_600)
    let time = NtfyTime(row.text.lowercased())?.time(after: now, in: zone)
    let shown = time.map { time in
      let seconds = zone.secondOfDay(at: time)
      let date = CivilDate(dayNumber: Int(zone.localSeconds(at: time)) / 86_400)
      let parts = [date.month, date.day, seconds / 3_600, seconds / 60 % 60, seconds % 60].map {
        $0 < 10 ? "0\($0)" : "\($0)"
      }
      return "\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])"
    }
    #expect(shown == row.time, "\(row.text)")
  }

  @Test("Where clocks go forward in the night, the hour is that of the clocks")
  func clockChange() throws {
    // Berlin, 2026-03-29: 02:00 becomes 03:00.
    let change: Int64 = 1_774_746_000
    let zone = try #require(
      TimeZoneTable(name: "Europe/Berlin", initialOffset: 3_600, transitions: [.init(time: change, offset: 7_200)]))
    let now = WallTime(seconds: change - 12 * 3_600)
    #expect(NtfyTime("tomorrow, 10am")?.time(after: now, in: zone) == WallTime(seconds: change + 7 * 3_600))
    #expect(NtfyTime("tomorrow, 2:30am")?.time(after: now, in: zone) == WallTime(seconds: change))
  }

  @Test("A message with a delay in words; one too far away, one too near")
  func published() async throws {
    try await withKeyedPort { port async throws in
      for delay in ["1800.0s", "in half an hour"] {
        #expect(try await port.publish("POST", "/parcels/tea", "Tea", ["Delay": delay]).hasPrefix("200 "))
      }
      let triggers = port.recorder.inputs.withLock { $0 }.compactMap { input -> LocalNotification.Trigger? in
        if case .schedule(let request) = input { request.trigger } else { nil }
      }
      #expect(triggers == Array(repeating: .interval(.seconds(1_800), repeats: false), count: 2))
      for (delay, code) in [
        ("in a week", "40006"), ("in one second", "40005"), ("2001-01-01", "40005"), ("soon", "40004"),
      ] {
        #expect(try await port.publish("POST", "/parcels", "x", ["In": delay]).hasPrefix("400 {\"code\":\(code),"))
      }
    }
  }
}
