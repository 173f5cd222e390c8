import BoardSimulator
import Testing

@testable import Board

@Suite struct ShiftRegister74HC595ModelTests {
  private typealias Wire = ThreeWireBench<ShiftRegister74HC595Model>

  private func chain(activeHigh: Bool = true, first: DigitEnd = .leftmost) -> Wire {
    Wire(
      ShiftRegister74HC595Model(
        Static74HC595(digits: 2, segmentsActiveHigh: activeHigh, firstDigit: first),
        lines: [.label("DS"), .label("SHCP"), .label("STCP")]))
  }

  /// Segments in the second register, digits in the first, everything active high.
  private func scanned(_ first: Multiplexed74HC595.Role = .digits) -> Wire {
    Wire(
      ShiftRegister74HC595Model(
        Multiplexed74HC595(
          digits: 2, segmentsActiveHigh: true, digitsActiveHigh: true, firstRegister: first, firstDigit: .leftmost,
          framesPerSecond: 100), lines: [.label("DS"), .label("SHCP"), .label("STCP")]))
  }

  @Test func goodDriverBreaksNothing() {
    var wire = chain()
    wire.transfer(0xDB06, bits: 16)
    #expect(wire.model.face == .digits([0x06, 0xDB]))
    wire.transfer(0x0000, bits: 16)
    #expect(wire.model.face == .digits([0, 0]))
    #expect(wire.rules == [])
    #expect(wire.model.turn == nil)
  }

  @Test func commonAnodeFromTheRight() {
    var wire = chain(activeHigh: false, first: .rightmost)
    wire.transfer(0x24F9, bits: 16)
    #expect(wire.model.face == .digits([0xDB, 0x06]))
  }

  @Test(arguments: [0, 8, 15, 17, 24])
  func wrongBitCount(bits: Int) {
    for var wire in [chain(), scanned()] {
      wire.transfer(0xFFFF, bits: bits)
      #expect(wire.rules == [.wrongBitCount])
      #expect(wire.model.face == .digits([0, 0]))
    }
  }

  @Test func theEdgesThatEveryShiftRegisterMinds() {
    ThreeWireBench.expectEveryRule(
      of: chain().model, bits: 16, clockHigh: 110, clockLow: 110, cycle: 250, dataSetUp: 75, dataHold: 3,
      latchSetUp: 110, latchHold: 110, latchHigh: 110, latchRecovery: 110)
  }

  // MARK: - Multiplexed

  private let lit = Duration.milliseconds(4)
  private let blank = Duration.microseconds(20)

  @Test func goodScanBreaksNothing() {
    for first in Multiplexed74HC595.Role.allCases {
      var wire = scanned(first)
      for _ in 0..<3 {
        for packet: UInt16 in [0x0601, 0x0600, 0x5B02, 0x5B00] {
          wire.transfer(first == .digits ? packet : packet.byteSwapped, bits: 16)
          wire.now += packet & 0xFF == 0 ? blank : lit
        }
      }
      #expect(wire.model.face == .digits([0x06, 0x5B]))
      #expect(wire.rules == [])
    }
  }

  /// Segments that change at the latch's edge under a digit that was lit, or goes dark with it, ghost.
  @Test(
    arguments: [
      ([0x0601, 0x5B01], [.segmentsChangedWhileLit]),
      ([0x0601, 0x5B01, 0x0000], [.segmentsChangedWhileLit, .segmentsChangedWhileLit]),
      ([0x0603], [.severalDigitsLit]), ([0x0601, 0x0602], [.blankTooShort]),
    ] as [([UInt16], [Violation.Rule])])
  func badScans(packets: [UInt16], rules: [Violation.Rule]) {
    var wire = scanned()
    for packet in packets {
      wire.transfer(packet, bits: 16)
      wire.now += lit
    }
    #expect(wire.rules == rules)
  }

  @Test func leftLit() {
    var wire = scanned()
    wire.transfer(0x0601, bits: 16)
    wire.model.look(at: wire.now + .milliseconds(11))
    #expect(wire.rules == [.leftLit])
  }
}
