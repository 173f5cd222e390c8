// The parts of a driver's signals that the models' pictures do not show: brightness, samples, lengths of frames, and
// the effects of a late thread.

import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("B5: displays on the wire")
struct DisplayDriverTests {
  @Test(arguments: [(4, 7), (6, 9)])
  func tm1637SamplesTheAnswerToEachByte(digits: Int, bytes: Int) {
    let program = TM1637(digits: digits).program(showing: [], brightness: 4)
    let samples = program.steps.filter { if case .expect(line: 1, level: false) = $0 { true } else { false } }
    #expect(samples.count == bytes)
  }

  @Test(arguments: BoardLimits.tm1637Brightness)
  func tm1637SendsItsBrightness(brightness: Int) throws {
    let lit = TM1637(digits: 4).program(showing: [1], brightness: brightness)
    let dark = TM1637(digits: 4).program(showing: [], brightness: brightness)
    #expect(lit.bytes.last == 0x88 | UInt8(brightness))
    #expect(dark.bytes.last == 0x80)
    #expect(lit.bytes == [0x40, 0xC0, 1, 0, 0, 0, 0x88 | UInt8(brightness)])
  }

  @Test("A slower clock sends the same bytes in proportionally more time", arguments: [500, 1_000, 100_000])
  func tm1637KeepsItsClock(hertz: Int) throws {
    let text = Wiring.tm1637().replacing("digits: 4", with: "digits: 4, supply: 5V, clock-hertz: \(hertz)")
    let bench = try DisplayBench(text)
    #expect(try bench.picture(of: 12) == "  12")
    #expect(bench.rules == [])
    let program = bench.display.driver.program(showing: [1], brightness: 4)
    #expect(program.bytes == TM1637(digits: 4).program(showing: [1], brightness: 4).bytes)
    #expect(program.duration == TM1637(digits: 4).program(showing: [1], brightness: 4).duration * (100_000 / hertz))
    #expect(program.duration <= .milliseconds(150))
    let advice = bench.display.driver.advice(mismatches: 7, lines: bench.display.lines)
    #expect(
      advice?.contains("check the supplies on both sides of the level shifter, and that clock is on line CLK") == true)
  }

  @Test func missingAnswersAreCountedAndDrawingGoesOn() throws {
    let clock = SimulatedClock()
    var chip = TM1637Model(lines: [.label("CLK"), .label("DIO")], digits: 4)
    chip.acknowledges = false
    let lines = SimulatedBoard(models: [chip], clock: clock)
    let group = try lines.open(LineRequest(chip: "simulated", lines: chip.lines, initialLevels: 0b11))
    let driver = TM1637(digits: 4)
    let findings = try ProgramPlayer(clock: clock).play(
      driver.program(showing: [0, 0, 0x06, 0x5B], brightness: 0), on: group)
    #expect(findings.mismatches == 7)
    #expect(lines.models[0].face == .digits([0, 0, 0x06, 0x5B]))
  }

  @Test("Brightness does not change the length of a frame", arguments: [100, 125, 500], [1, 4, 8])
  func multiplexedFrameLastsWhatItShould(framesPerSecond: Int, digits: Int) {
    let driver = Multiplexed(
      segmentLines: 8, digits: digits, segmentsActiveHigh: true, digitsActiveHigh: false,
      framesPerSecond: framesPerSecond)
    for brightness in BoardLimits.scannedBrightness {
      let frame = driver.program(showing: [0xFF], brightness: brightness).duration
      #expect(frame == .nanoseconds(1_000_000_000 / framesPerSecond / digits * digits))
    }
  }

  @Test("Late wake-ups of the thread shorten neither blanks nor turns", arguments: [70, 400, 5_000])
  func multiplexedFramesUnderLateWakeUps(lateMicroseconds: Int) async throws {
    let description = try described(Wiring.multiplexed())
    let display = try #require(description.display)
    let clock = SimulatedClock(uptime: .seconds(1))
    let board = SimulatedBoard(description: description, clock: clock)
    let group = try board.open(
      LineRequest(chip: "simulated", lines: display.lines, initialLevels: display.driver.idleLevels))
    let frame = display.driver.program(showing: [0x06, 0x5B, 0x4F, 0x66], brightness: 7)
    // Ten frames of twelve sets.
    let scan = try await ScanRun(
      frame, digits: 4, on: group, clock: LateClock(clock: clock, lateness: .microseconds(lateMicroseconds)), sets: 120)
    #expect(scan.report.frames == 10)
    let rules = Set(board.violations.map(\.rule))
    // With wake-ups 5 ms late no scan is fast enough; all other rules are kept.
    #expect(rules == (lateMicroseconds < 1_000 ? [] : [.frameTooSlow]))
    #expect(board.picture.digits == "1234")
  }

  @Test(
    "A frame behind shift registers is as long as it should be, transfers included", arguments: [(1, 500), (8, 125)])
  func shiftedFrameLastsWhatItShould(digits: Int, framesPerSecond: Int) throws {
    for brightness in BoardLimits.scannedBrightness {
      let driver = Multiplexed74HC595(
        digits: digits, segmentsActiveHigh: true, digitsActiveHigh: true, firstRegister: .digits, firstDigit: .leftmost,
        framesPerSecond: framesPerSecond)
      let frame = driver.program(showing: [0xFF], brightness: brightness).duration
      #expect(frame == .nanoseconds(1_000_000_000 / framesPerSecond))
    }
  }

  @Test(
    "A digit's turn by brightness, to the nanosecond",
    arguments: [
      (125, 4, 0, 247_500), (125, 4, 3, 990_000), (125, 4, 7, 1_980_000), (125, 8, 0, 122_500), (125, 8, 7, 980_000),
      (100, 1, 0, 1_247_500), (100, 1, 7, 9_980_000),
      // As short as the transistors permit.
      (500, 8, 0, 100_000), (500, 8, 2, 100_000), (500, 8, 3, 115_000), (500, 8, 7, 230_000),
    ])
  func turnByBrightness(framesPerSecond: Int, digits: Int, brightness: Int, nanoseconds: Int64) throws {
    let turn = DigitTurn(framesPerSecond: framesPerSecond, digits: digits, brightness: brightness)
    #expect(turn.litNanoseconds == UInt32(nanoseconds))
    #expect(turn.darkNanoseconds >= DigitTurn.blankNanoseconds)
    var boards = [Wiring.multiplexed(digits: digits) + "\n  frames-per-second: \(framesPerSecond)"]
    if digits * framesPerSecond <= BoardLimits.shiftedTurnsPerSecond {
      boards.append(Wiring.multiplexed74HC595(digits: digits) + "\n  frames-per-second: \(framesPerSecond)")
    }
    for board in boards {
      let bench = try DisplayBench(board)
      for _ in 0..<3 {
        try bench.play(Array(repeating: 0x5B, count: digits), brightness: brightness)
        let turn =
          (bench.wire.model as? MultiplexedDisplayModel)?.turn
          ?? (bench.wire.model as? ShiftRegister74HC595Model)?.turn
        #expect(turn == .nanoseconds(nanoseconds))
      }
      #expect(bench.rules == [])
    }
  }

  @Test(
    "The chips that set their brightness themselves get every step",
    arguments: [
      (Wiring.tm1637(), BoardLimits.tm1637Brightness), (Wiring.max7219(), BoardLimits.max7219Brightness),
    ])
  func chipsTakeEveryStep(board: String, steps: ClosedRange<Int>) throws {
    let bench = try DisplayBench(board)
    func brightness() -> Int? {
      (bench.wire.model as? TM1637Model)?.brightness ?? (bench.wire.model as? MAX7219Model)?.brightness
    }
    for step in steps {
      #expect(try bench.picture(of: 12, brightness: step) == "  12")
      #expect(brightness() == step)
    }
    #expect(try bench.picture(of: 0) == "    ")
    #expect(brightness() == nil)
    #expect(bench.rules == [])
  }

  @Test("One drawing is enough after the chip lost its supply")
  func everyDrawingIsWhole() throws {
    for board in [Wiring.tm1637(), Wiring.max7219(), Wiring.static74HC595()] {
      for badge in [12, 8_888] {
        let bench = try DisplayBench(board)
        #expect(try bench.picture(of: Int128(badge)) == flushRight(badge, width: 4))
        #expect(bench.rules == [])
      }
    }
  }

  @Test func max7219SendsEveryRegisterAndThenLight() throws {
    let driver = MAX7219(digits: 2, firstDigit: .rightmost)
    #expect(
      driver.program(showing: [0x06, 0xDB], brightness: 9).packets == [
        0x0F00, 0x0900, 0x0B01, 0x0A09, 0x01ED, 0x0230, 0x0C01,
      ])
    #expect(driver.program(showing: [], brightness: 0).packets.suffix(3) == [0x0100, 0x0200, 0x0C00])
  }

  @Test func chainSendsTheFarthestRegisterFirst() {
    let common = Static74HC595(digits: 2, segmentsActiveHigh: true, firstDigit: .leftmost)
    #expect(common.program(showing: [0x06, 0xDB], brightness: 0).packets == [0xDB06])
    let anode = Static74HC595(digits: 2, segmentsActiveHigh: false, firstDigit: .rightmost)
    #expect(anode.program(showing: [0x06, 0xDB], brightness: 0).packets == [0xF924])
    let scanned = Multiplexed74HC595(
      digits: 2, segmentsActiveHigh: false, digitsActiveHigh: true, firstRegister: .digits, firstDigit: .rightmost,
      framesPerSecond: 100)
    #expect(
      scanned.program(showing: [0x06, 0xDB], brightness: 7).packets == [0x2401, 0x2400, 0xF902, 0xF900])
  }

  @Test func multiplexedAtRestDrivesNothing() throws {
    let driver = Multiplexed(
      segmentLines: 7, digits: 2, segmentsActiveHigh: true, digitsActiveHigh: false, framesPerSecond: 100)
    #expect(driver.idleLevels == 0b11_0000000)
    #expect(
      driver.program(showing: [0, 0], brightness: 7).steps.suffix(2) == [
        .set(mask: 0b11_0000000, levels: 0b11_0000000), .set(mask: 0b00_1111111, levels: 0),
      ])
  }
}

/// A clock that wakes a sleeper late, and lets short waits spin as the real clock does.
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
  /// The bytes of a TM1637's program: eight levels of data at rising clocks, without the ninth.
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

extension LineProgram {
  /// The bits shifted in over data, clock and latch until each rise of the latch, the first the most significant.
  fileprivate var packets: [Int] {
    var levels = ThreeWire.idleLevels
    var packet = 0
    var packets: [Int] = []
    for case .set(let mask, let newLevels) in steps {
      let next = levels & ~mask | newLevels
      let rising = next & ~levels
      if levels & ~next & ThreeWire.latch != 0 { packet = 0 }
      if rising & ThreeWire.clock != 0 { packet = packet << 1 | (next & ThreeWire.data != 0 ? 1 : 0) }
      if rising & ThreeWire.latch != 0 { packets.append(packet) }
      levels = next
    }
    return packets
  }
}
