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
    let advice = bench.display.driver.advice(missed: Array(0..<7), lines: bench.display.lines)
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
    #expect(findings.missed == Array(0..<7))
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
      (Wiring.tm1650(), BoardLimits.tm1650Brightness), (Wiring.ht16k33(), BoardLimits.ht16k33Brightness),
      (Wiring.tm1638(), BoardLimits.tm1637Brightness),
    ])
  func chipsTakeEveryStep(board: String, steps: ClosedRange<Int>) throws {
    let bench = try DisplayBench(board)
    for step in steps {
      #expect(try bench.picture(of: 12, brightness: step).suffix(4) == "  12")
      #expect(bench.wire.model.brightness == step)
    }
    #expect(try bench.picture(of: 0).allSatisfy { $0 == " " })
    #expect(bench.wire.model.brightness == nil)
    #expect(bench.rules == [])
  }

  @Test("One drawing is enough after the chip lost its supply")
  func everyDrawingIsWhole() throws {
    for board in [
      Wiring.tm1637(), Wiring.max7219(), Wiring.static74HC595(), Wiring.tm1650(), Wiring.ht16k33(), Wiring.tm1638(),
    ] {
      for badge in [12, 8_888] {
        let bench = try DisplayBench(board)
        #expect(try bench.picture(of: Int128(badge)).hasSuffix(flushRight(badge, width: 4)))
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

  @Test func tm1638SendsDigitsAtEvenAddresses() {
    let driver = TM1638(order: DigitOrder([1, 0]))
    #expect(
      driver.program(showing: [0x06, 0xDB], brightness: 7).strobed == [
        [0x40], [0xC0, 0xDB, 0, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0x8F],
      ])
    #expect(driver.program(showing: [], brightness: 7).strobed.last == [0x80])
    #expect(driver.keyProgram.strobed == [[0x42, 0xFF, 0xFF, 0xFF, 0xFF]])
  }

  @Test("Every key of a TM1638 is read by its number; without a chip none is")
  func tm1638ReadsItsKeys() throws {
    let bench = try DisplayBench(Wiring.tm1638())
    let driver = try #require(bench.display.driver as? TM1638)
    func pressed() throws -> Set<Int>? {
      driver.pressedKeys(in: try ProgramPlayer(clock: bench.clock).play(driver.keyProgram, on: bench.wire).answer)
    }
    for bits in 0..<256 {
      let keys = Set((1...8).filter { bits >> ($0 - 1) & 1 == 1 })
      bench.wire.change { ($0 as? TM1638Model)?.holding(keys) ?? $0 }
      #expect(try pressed() == keys)
    }
    bench.wire.change { ($0 as? TM1638Model)?.silent ?? $0 }
    #expect(try pressed() == nil)
    #expect(driver.pressedKeys(in: []) == nil)
    #expect(bench.rules == [])
    #expect(driver.keyProgram.duration <= .milliseconds(1))
  }

  @Test func tm1650SendsAnAddressAndAValueForEachDigit() {
    let driver = TM1650(order: .leftToRight(4))
    #expect(
      driver.program(showing: [0, 0, 0x06, 0xDB], brightness: 7).transfers(first: .most) == [
        [0x68, 0], [0x6A, 0], [0x6C, 0x06], [0x6E, 0xDB], [0x48, 0x01],
      ])
    #expect(driver.program(showing: [1], brightness: 0).transfers(first: .most).last == [0x48, 0x11])
    #expect(driver.program(showing: [1], brightness: 6).transfers(first: .most).last == [0x48, 0x71])
    #expect(driver.program(showing: [], brightness: 7).transfers(first: .most).last == [0x48, 0x00])
  }

  @Test func ht16k33WritesEachChipAndThenLight() {
    let driver = HT16K33(addresses: [0x70, 0x77])
    #expect(
      driver.program(showing: [0, 0x06, 0x5B, 0xCF, 0x66], brightness: 9).transfers(first: .most) == [
        [0xE0, 0x21], [0xE0, 0x00, 0, 0, 0x06, 0, 0, 0, 0x5B, 0, 0xCF, 0, 0, 0, 0, 0, 0, 0], [0xE0, 0xE9],
        [0xE0, 0x81], [0xEE, 0x21], [0xEE, 0x00, 0x66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0xEE, 0xE9],
        [0xEE, 0x81],
      ])
    #expect(driver.program(showing: [], brightness: 0).transfers(first: .most).last == [0xEE, 0x80])
    let alphanumeric = HT16K33(addresses: [0x71], backpack: .fourteenSegments)
    #expect(
      alphanumeric.program(showing: [0x06, 0x5B, 0xCF, 0x80], brightness: 0).transfers(first: .most)[1] == [
        0xE2, 0x00, 0x06, 0, 0xDB, 0, 0xCF, 0x40, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0,
      ])
  }

  @Test("Each byte to an HT16K33 is answered by the chip of its address, and by none if that is on no backpack")
  func ht16k33ReadsTheAnswerToEachByte() throws {
    let bench = try DisplayBench(Wiring.ht16k33(digits: 8))
    let driver = HT16K33(addresses: [0x70, 0x75])
    let findings = try ProgramPlayer(clock: bench.clock).play(
      driver.program(showing: [0x06, 0, 0, 0, 0x5B], brightness: 0), on: bench.wire)
    #expect(findings.missed == Array(24..<48))
    #expect(picture(of: try #require(bench.wire.model.face.digits)) == "1       ")
    #expect(
      driver.advice(missed: findings.missed, lines: bench.display.lines)
        == "the HT16K33 at 0x75 does not answer (24 bytes not acknowledged): check the supply, that clock (SCL) is on line "
        + "CLK and data (SDA) on line DIO, and that the jumpers give that address")
    #expect(
      driver.advice(missed: Array(0..<48), lines: bench.display.lines)?.hasPrefix(
        "the HT16K33 at 0x70, 0x75 do not answer (48 bytes") == true)
  }

  @Test("I²C's standard mode, and eight backpacks in a fifth of a second at the slowest")
  func ht16k33TakesItsTime() {
    let row = HT16K33(addresses: BoardLimits.ht16k33Addresses)
    #expect(row.program(showing: [1], brightness: 0).duration <= .milliseconds(19))
    var slow = row
    slow.bus.clockHertz = BoardLimits.ht16k33ClockHertz.lowerBound
    #expect(slow.program(showing: [1], brightness: 0).duration <= .milliseconds(190))
  }

  @Test("A module in any order of wires, and the order that is found by what it shows")
  func digitOrderIsFound() throws {
    // The module is wired in another order than its file says, as it may be in setup.
    for order in [[3, 0, 2, 1], [0, 1, 2, 3], [2, 1, 0, 5, 4, 3], [5, 4, 3, 2, 1, 0]] {
      let wired = TwoWireModel(TM1637Chip(places: order), lines: [.label("CLK"), .label("DIO")])
      let clock = SimulatedClock()
      let group = DisplayBench.Wire(wired, levels: 0b11, clock: clock)
      var driver = TM1637(digits: order.count)
      func seen() throws -> String {
        let text = SegmentText(
          badge: try #require(Int128("123456".prefix(order.count))), width: order.count, hasDecimalPoints: false)
        _ = try ProgramPlayer(clock: clock).play(driver.program(showing: text.digits, brightness: 1), on: group)
        return picture(of: try #require(group.model.face.digits))
      }
      driver.order = try #require(driver.order.corrected(seen: seen()))
      #expect(driver.order.places == order)
      #expect(try seen() == "123456".prefix(order.count))
    }
    let order = TM1637(digits: 4).order
    #expect(order.corrected(seen: "4321")?.text == "[4, 3, 2, 1]")
    for seen in ["1224", "123", "12345", "12 4", "abcd", ""] { #expect(order.corrected(seen: seen) == nil) }
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
  /// The bytes of a TM1637's program, whose least significant bits come first.
  fileprivate var bytes: [UInt8] { transfers(first: .least).flatMap(\.self) }

  /// The bytes of each transfer on clock and data: eight levels of data at rising clocks, without the ninth.
  fileprivate func transfers(first: TwoWire.FirstBit) -> [[UInt8]] {
    var (clock, data) = (true, true)
    var bits: [Bool] = []
    var transfers: [[UInt8]] = []
    for case .set(let mask, let levels) in steps {
      let newData = mask & TwoWire.data == 0 ? data : levels & TwoWire.data != 0
      let newClock = mask & TwoWire.clock == 0 ? clock : levels & TwoWire.clock != 0
      if clock && newClock && newData != data {
        bits = []
        if !newData { transfers.append([]) }
      }
      if !clock && newClock { bits.append(newData) }
      if bits.count == 9 {
        let byte = first == .least ? bits.prefix(8).reversed() : Array(bits.prefix(8))
        transfers[transfers.count - 1].append(byte.reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
        bits = []
      }
      (clock, data) = (newClock, newData)
    }
    return transfers
  }
}

extension TM1638Model {
  fileprivate func holding(_ keys: Set<Int>) -> TM1638Model {
    var model = self
    model.keys = keys
    return model
  }

  fileprivate var silent: TM1638Model {
    var model = self
    model.answers = false
    return model
  }
}

extension LineProgram {
  /// The bytes between each fall and rise of strobe, whose least significant bits come first.
  fileprivate var strobed: [[UInt8]] {
    var levels: UInt32 = 0b111
    var bits: [Bool] = []
    var transfers: [[UInt8]] = []
    for case .set(let mask, let newLevels) in steps {
      let next = levels & ~mask | newLevels
      if levels & ~next & ThreeWire.latch != 0 { bits = [] }
      if next & ~levels & ThreeWire.clock != 0 { bits.append(next & ThreeWire.data != 0) }
      if next & ~levels & ThreeWire.latch != 0 {
        transfers.append(
          stride(from: 0, to: bits.count, by: 8).map { place in
            bits[place..<place + 8].reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
          })
      }
      levels = next
    }
    return transfers
  }

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
