// Each rule of the model is broken once, by a program that a careless driver might have produced.

import Board
import Testing

@testable import BoardSimulator

@Suite struct TM1637ModelTests {
  private typealias Wire = TwoWireBench<TM1637Chip>

  private func wire() -> Wire { Wire(TM1637Model(lines: [.label("CLK"), .label("DIO")], digits: 4)) }

  @Test func goodDriverBreaksNothing() {
    var wire = wire()
    wire.transfer([0x40])
    wire.transfer([0xC0, 0x06, 0x5B, 0x4F, 0x66])
    #expect(wire.model.face == .digits([0, 0, 0, 0]))
    wire.transfer([0x8C])
    #expect(wire.model.face == .digits([0x06, 0x5B, 0x4F, 0x66]))
    wire.transfer([0x80])
    #expect(wire.model.face == .digits([0, 0, 0, 0]))
    #expect(wire.rules == [])
  }

  @Test func registersThatNobodyWroteShow() {
    var wire = wire()
    wire.transfer([0x40])
    wire.transfer([0xC0, 0x06])
    wire.transfer([0x8C])
    #expect(wire.model.face == .digits([0x06, 0xFF, 0xFF, 0xFF]))
  }

  @Test func fixedAddressWritesOneRegister() {
    var wire = wire()
    wire.transfer([0x44])
    for digit: UInt8 in 0..<4 { wire.transfer([0xC0 + digit, digit + 1]) }
    wire.transfer([0x88])
    #expect(wire.model.face == .digits([1, 2, 3, 4]))
    #expect(wire.rules == [])
  }

  @Test func answersUntilTheNinthClock() {
    var wire = wire()
    wire.start()
    for place in 0..<7 { wire.bit(place == 6) }
    #expect(wire.model.pulledLow == 0)
    wire.bit(false)
    #expect(wire.model.pulledLow == 0b10)
    wire.set(data: true)
    #expect(wire.model.pulledLow == 0b10)
    wire.model.sample(line: 1, at: wire.now)
    wire.set(clock: true)
    #expect(wire.model.pulledLow == 0)
    wire.set(clock: false)
    #expect(wire.rules == [])
  }

  private func rules(_ steps: (inout Wire) -> Void) -> [Violation.Rule] {
    var wire = wire()
    steps(&wire)
    return wire.rules
  }

  @Test("Each rule of a transfer, broken once")
  func transfers() {
    #expect(
      rules { wire in
        wire.start()
        wire.bit(true)
        wire.set(data: true)
        wire.set(clock: true)
        wire.set(data: false)
      } == [.dataChangedWhileClockHigh])
    #expect(
      rules { wire in
        wire.start()
        for _ in 0..<4 { wire.bit(false) }
        wire.stop()
      } == [.dataChangedWhileClockHigh, .incompleteByte])
    #expect(
      rules { wire in
        wire.start()
        wire.send(0x40, samples: false)
        wire.stop()
      } == [.acknowledgeNotSampled])
    #expect(
      rules { wire in
        wire.start()
        wire.set(clock: true, data: true)
      }.contains(.clockAndDataChangedTogether))
    #expect(
      rules { wire in
        wire.set(clock: false)
        wire.set(clock: true)
      } == [.clockOutsideTransfer])
  }

  @Test("Six registers are written, not seven")
  func overlongWrite() {
    #expect(
      rules { wire in
        wire.transfer([0x40])
        wire.transfer([0xC0, 1, 2, 3, 4, 5, 6])
      } == [])
    #expect(
      rules { wire in
        wire.transfer([0x40])
        wire.transfer([0xC0, 1, 2, 3, 4, 5, 6, 7])
      } == [.overlongWrite])
  }

  @Test("Each time of a transfer, shorter than the chip permits")
  func times() {
    for (cycles, broken) in [(1, []), (2, [.clockTooFast])] as [(Int, [Violation.Rule])] {
      #expect(
        rules { wire in
          wire.start()
          wire.pace = .nanoseconds(1_333)  // three steps a cycle: 250.06 kHz
          for _ in 0..<cycles { wire.bit(false) }
        } == broken)
    }
    #expect(
      rules { wire in
        wire.start()
        wire.set(data: true)
        wire.set(clock: true)
        wire.pace = .nanoseconds(999)
        wire.set(clock: false)
      } == [.pulseTooShort])
    #expect(
      rules { wire in
        wire.start()
        wire.set()
        wire.pace = .nanoseconds(99)
        wire.set(data: true)
        wire.set(clock: true)
      } == [.dataNotSettled])
  }

  @Test(
    arguments: [
      ([0x00], .unknownCommand), ([0x42], .unknownCommand), ([0xC6], .addressOutOfRange),
      ([0x40, 0x01], .unexpectedByte),
      ([0x88, 0x01], .unexpectedByte),
    ] as [([UInt8], Violation.Rule)])
  func commandsThatTheChipDoesNotHave(bytes: [UInt8], rule: Violation.Rule) {
    var wire = wire()
    wire.transfer(bytes)
    #expect(wire.rules == [rule])
  }

  @Test func logKeepsTheFirstHundred() {
    var wire = wire()
    for _ in 0..<101 { wire.transfer([0x00]) }
    #expect(wire.rules.count == 100)
  }
}
