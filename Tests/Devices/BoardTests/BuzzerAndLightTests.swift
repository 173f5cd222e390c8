// The buzzer, with a tone of its own and with one that is played for it, and what dims the board: a sensor and a button.

import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("B5: buzzer, light sensor and dim button", .timeLimit(.minutes(10)))
struct BuzzerAndLightTests {
  @Test("A buzzer with a tone of its own is on for each pulse, and off when the board is released")
  func active() async throws {
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try FrontBench("board: B\nchip: simulated\nbuzzer: { line: BUZZER, active: low }\n", clock: clock)
    bench.front.beep(.double)
    for (milliseconds, sounds) in [(0, true), (200, false), (350, true), (550, false)] {
      let time = Duration.seconds(100) + .milliseconds(milliseconds)
      clock.wait(until: time)
      bench.front.wake()
      #expect(await bench.next() == .buzzer(sounds: sounds, at: time))
      #expect(bench.board.picture.buzzerSounds == sounds)
    }
    bench.front.beep(.pulse)
    #expect(await bench.next() == .buzzer(sounds: true, at: clock.now()))
    bench.front.stop()
    #expect(bench.board.picture.buzzerSounds == false)
  }

  @Test("A buzzer without a tone of its own gets one for each pulse, and is low between them")
  func passive() async throws {
    let board = "board: B\nchip: simulated\nbuzzer: { line: BUZZER, frequency: 500 }\n"
    let bench = try FrontBench(board, recordsEdges: true)
    bench.front.beep(.pulse)
    for sounds in [true, false] {
      guard case .buzzer(sounds, _)? = await bench.next() else {
        Issue.record("no report of \(sounds)")
        return
      }
    }
    bench.front.stop()
    let edges = bench.recorder.edges
    let rises = edges.filter(\.level).map(\.time)
    // 400 ms of 2 ms each. A machine that is busy may lose some, and none is shorter than half a period.
    #expect((2...201).contains(rises.count))
    #expect(zip(rises, rises.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(1) })
    #expect(edges.last?.level == false)
  }

  @Test("Night and a dark sensor dim; the button turns that round until it changes by itself")
  func dims() {
    var plan = FrontPlan(width: 4, hasDecimalPoints: false, brightness: Brightness(day: 7, night: 1))
    func brightness() -> Int { plan.digits(at: .zero).brightness }
    plan.show(Presentation(badge: 1), at: .zero)
    #expect(brightness() == 7)
    plan.show(isDark: true)
    #expect(brightness() == 1)
    // Dark and night are one: neither turns anything round.
    plan.show(Presentation(badge: 2, isDimmed: true), at: .zero)
    plan.show(isDark: false)
    #expect(brightness() == 1)
    plan.pressDim()
    #expect(brightness() == 7)
    plan.show(Presentation(badge: 3, isDimmed: true), at: .zero)
    #expect(brightness() == 7)
    plan.show(Presentation(badge: 3), at: .zero)
    #expect(brightness() == 7)
    plan.pressDim()
    #expect(brightness() == 1)
    plan.pressDim()
    #expect(brightness() == 7)
  }

  @Test("The sensor's line and the button's dim a display")
  func contactsDim() async throws {
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try FrontBench(
      """
      board: B
      chip: simulated
      lamp: { type: apa102, data: D, clock: C, lamps: 1, brightness: { day: 30, night: 0 } }
      buttons: { dim: { line: DIM } }
      light-sensor: { line: SENSOR, active: high, bias: none }
      """, clock: clock)
    #expect(await bench.next() == .darkness(false, at: .seconds(100)))
    bench.show(0, lamp: .steady)
    try await bench.lamp(true, .steady)
    #expect(bench.board.picture.lights == [[255, 255, 255]])
    func drive(_ line: String, _ level: Bool, at milliseconds: Int) {
      bench.board.drive(.label(line), through: [(level: level, time: .seconds(100) + .milliseconds(milliseconds))])
      clock.wait(until: .seconds(100) + .milliseconds(milliseconds + 50))
      bench.front.wake()
    }
    drive("SENSOR", true, at: 100)
    #expect(await bench.next() == .darkness(true, at: .milliseconds(100_100)))
    // A changed step has no report, but another pattern has.
    bench.show(0, lamp: .blink, since: clock.now())
    try await bench.lamp(true, .blink)
    #expect(bench.board.picture.lights == [[8, 8, 8]])
    drive("DIM", false, at: 200)
    drive("DIM", true, at: 300)
    #expect(await bench.next() == .pressed(.dim, .short, at: .milliseconds(100_300)))
    bench.show(0, lamp: .steady)
    try await bench.lamp(true, .steady)
    #expect(bench.board.picture.lights == [[255, 255, 255]])
    bench.front.stop()
    #expect(bench.board.violations == [])
  }
}
