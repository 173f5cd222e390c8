// A driver is done when its chip model draws it: badges go in, and what is compared is the picture that the model
// decodes from the wire.

import BoardSimulator
import HandsetCore
import Testing

@testable import Board

/// A board in virtual time whose display is driven by hand.
private struct Bench {
  let display: BoardDescription.Display
  let clock = SimulatedClock()
  let board: SimulatedBoard
  let group: any LineGroup

  init(_ text: String) throws {
    let description = try Fixture.description(text)
    display = try #require(description.display)
    board = SimulatedBoard(description: description, clock: clock)
    group = try board.open(
      LineRequest(
        chip: description.chip, lines: display.lines, drive: display.driver.drive,
        initialLevels: display.driver.idleLevels))
  }

  /// What the model draws for a badge.
  func picture(of badge: Int128) throws -> String {
    let text = SegmentText(
      badge: badge, width: display.driver.digits, hasDecimalPoints: display.hasDecimalPoints)
    let findings = try ProgramPlayer(clock: clock).play(display.driver.program(showing: text.digits), on: group)
    #expect(findings.mismatches == 0)
    // The last digit's turn ends where the next frame begins.
    if display.driver.isScanned, let rest = display.driver.program(showing: text.digits).steps.first {
      _ = try ProgramPlayer(clock: clock).play(LineProgram([rest]), on: group)
    }
    return board.picture.digits
  }
}

private func flushRight(_ badge: Int, width: Int) -> String {
  let number = badge == 0 ? "" : "\(badge)"
  return String(repeating: " ", count: width - number.count) + number
}

@Suite("B5: the badge as drawn by the chip")
struct DisplayDriverTests {
  @Test(arguments: [4, 6])
  func tm1637DrawsEveryKindOfBadge(width: Int) throws {
    let bench = try Bench(Fixture.tm1637(digits: width))
    for badge in [0, 1, 9, 10, 12, 100, 999, 1_000, 9_999] + Array(stride(from: 2, to: 10_000, by: 97)) + [0] {
      #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: width))
    }
    #expect(bench.board.violations == [])
  }

  @Test func tm1637DrawsSixDigitsInReadingOrder() throws {
    let bench = try Bench(Fixture.tm1637(digits: 6))
    #expect(try bench.picture(of: 123_456) == "123456")
    #expect(bench.board.violations == [])
  }

  @Test(arguments: ["high", "low"])
  func multiplexedDrawsEveryBadge(active: String) throws {
    let bench = try Bench(Fixture.multiplexed(active: active))
    for badge in stride(from: 0, through: 9_999, by: active == "high" ? 1 : 101) {
      #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: 4))
    }
    #expect(bench.board.violations == [])
  }

  @Test(arguments: 1...8)
  func multiplexedDrawsEveryWidth(width: Int) throws {
    let bench = try Bench(Fixture.multiplexed(digits: width, points: true))
    let largest = Int128(String(repeating: "9", count: width)) ?? 0
    #expect(try bench.picture(of: largest) == String(repeating: "9", count: width))
    #expect(try bench.picture(of: largest + 1) == String(repeating: "9.", count: width))
    #expect(try bench.picture(of: 7) == String(repeating: " ", count: width - 1) + "7")
    #expect(try bench.picture(of: 0) == String(repeating: " ", count: width))
    #expect(bench.board.violations == [])
  }

  @Test func numberTooWideLightsEveryPoint() throws {
    for text in [Fixture.tm1637(points: true), Fixture.multiplexed(points: true)] {
      let bench = try Bench(text)
      #expect(try bench.picture(of: 9_999) == "9999")
      #expect(try bench.picture(of: 10_000) == "9.9.9.9.")
      #expect(try bench.picture(of: .max) == "9.9.9.9.")
      #expect(bench.board.violations == [])
    }
  }

  @Test func numberTooWideWithoutPointsShowsTheLargest() throws {
    for text in [Fixture.tm1637(), Fixture.multiplexed()] {
      #expect(try Bench(text).picture(of: 10_000) == "9999")
    }
  }

  @Test(arguments: [(4, 7), (6, 9)])
  func tm1637SamplesTheAnswerToEachByte(digits: Int, bytes: Int) {
    let program = TM1637(digits: digits, brightness: 4).program(showing: [])
    let samples = program.steps.filter { if case .expect(line: 1, level: false) = $0 { true } else { false } }
    #expect(samples.count == bytes)
  }

  @Test(arguments: BoardLimits.tm1637Brightness)
  func tm1637SendsItsBrightness(brightness: Int) throws {
    let lit = TM1637(digits: 4, brightness: brightness).program(showing: [1])
    let dark = TM1637(digits: 4, brightness: brightness).program(showing: [])
    #expect(lit.bytes.last == 0x88 | UInt8(brightness))
    #expect(dark.bytes.last == 0x80)
    #expect(lit.bytes == [0x40, 0xC0, 1, 0, 0, 0, 0x88 | UInt8(brightness)])
  }

  @Test func missingAnswersAreCountedAndDrawingGoesOn() throws {
    let clock = SimulatedClock()
    var chip = TM1637Model(clock: .label("CLK"), data: .label("DIO"), digits: 4)
    chip.acknowledges = false
    let lines = SimulatedLines(models: [chip], clock: clock)
    let group = try lines.open(LineRequest(chip: "simulated", lines: chip.lines, initialLevels: 0b11))
    let driver = TM1637(digits: 4, brightness: 0)
    let findings = try ProgramPlayer(clock: clock).play(driver.program(showing: [0, 0, 0x06, 0x5B]), on: group)
    #expect(findings.mismatches == 7)
    #expect(lines.models[0].face == .digits([0, 0, 0x06, 0x5B]))
  }

  @Test(arguments: [100, 125, 500], [1, 4, 8])
  func multiplexedFrameLastsWhatItShould(framesPerSecond: Int, digits: Int) {
    let driver = Multiplexed(
      segmentLines: 8, digits: digits, segmentsActiveHigh: true, digitsActiveHigh: false,
      framesPerSecond: framesPerSecond)
    let frame = driver.program(showing: [0xFF]).duration
    #expect(frame == .nanoseconds(1_000_000_000 / framesPerSecond / digits * digits))
  }

  @Test("A thread that wakes late spoils neither blanks nor turns, however late", arguments: [70, 400, 5_000])
  func multiplexedFramesUnderLateWakeUps(lateMicroseconds: Int) throws {
    let description = try Fixture.description(Fixture.multiplexed())
    let display = try #require(description.display)
    let clock = SimulatedClock(uptime: .seconds(1))
    let board = SimulatedBoard(description: description, clock: clock)
    let group = try board.open(
      LineRequest(chip: "simulated", lines: display.lines, initialLevels: display.driver.idleLevels))
    let player = ProgramPlayer(clock: LateClock(clock: clock, lateness: .microseconds(lateMicroseconds)))
    var findings = ProgramPlayer.Findings()
    var start = clock.now()
    for _ in 0..<10 {
      let frame = display.driver.program(showing: [0x06, 0x5B, 0x4F, 0x66])
      start = try player.playFrame(frame, on: group, start: start, &findings)
    }
    let rules = Set(board.violations.map(\.rule))
    // Nobody can scan fast enough with wake-ups 5 ms late; what is left to keep is kept.
    #expect(rules == (lateMicroseconds < 1_000 ? [] : [.frameTooSlow]))
    #expect(board.picture.digits == "1234")
  }

  @Test func multiplexedAtRestDrivesNothing() throws {
    let driver = Multiplexed(
      segmentLines: 7, digits: 2, segmentsActiveHigh: true, digitsActiveHigh: false, framesPerSecond: 100)
    #expect(driver.idleLevels == 0b11_0000000)
    #expect(
      driver.program(showing: [0, 0]).steps.suffix(2) == [
        .set(mask: 0b11_0000000, levels: 0b11_0000000), .set(mask: 0b00_1111111, levels: 0),
      ])
  }
}

/// Wakes a sleeper late, and lets short waits spin as the real clock does.
private struct LateClock: BoardClock {
  let clock: SimulatedClock
  let lateness: Duration

  func now() -> Duration { clock.now() }

  func wait(until uptime: Duration) {
    let sleeps = uptime - now() > MonotonicClock.spinLimit
    clock.wait(until: sleeps ? uptime + lateness : uptime)
  }

  func realTime(until uptime: Duration) -> Duration? { nil }
}

extension LineProgram {
  /// The bytes of a TM1637's program: eight levels of data at rising clocks, the ninth left out.
  fileprivate var bytes: [UInt8] {
    var (clock, data) = (true, true)
    var bits: [Bool] = []
    var bytes: [UInt8] = []
    for case .set(let mask, let levels) in steps {
      let newData = mask & TM1637.data == 0 ? data : levels & TM1637.data != 0
      let newClock = mask & TM1637.clock == 0 ? clock : levels & TM1637.clock != 0
      if clock && newClock && newData != data { bits = [] }
      if !clock && newClock { bits.append(newData) }
      if bits.count == 9 {
        bytes.append(bits.prefix(8).reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
        bits = []
      }
      (clock, data) = (newClock, newData)
    }
    return bytes
  }
}
