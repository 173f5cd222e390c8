import BoardSimulator
import Testing

@testable import Board

@Suite struct MAX7219ModelTests {
  private typealias Wire = ThreeWireBench<MAX7219Model>

  private func wire() -> Wire {
    Wire(
      MAX7219Model(
        MAX7219(digits: 2, firstDigit: .rightmost), lines: [.label("DIN"), .label("CLK"), .label("LOAD")]))
  }

  /// Returns a wire after all packets of a lit display except the end of the shutdown.
  private func ready() -> Wire {
    var wire = wire()
    for packet: UInt16 in [0x0F00, 0x0900, 0x0B01, 0x0A07, 0x016D, 0x02B0] { wire.transfer(packet, bits: 16) }
    return wire
  }

  @Test func goodDriverBreaksNothing() {
    var wire = ready()
    #expect(wire.model.face == .digits([0, 0]))
    #expect(wire.model.brightness == nil)
    wire.transfer(0x0C01, bits: 16)
    #expect(wire.model.face == .digits([0x86, 0x5B]))
    #expect(wire.model.brightness == 7)
    wire.transfer(0x0000, bits: 16)
    wire.transfer(0x0C00, bits: 16)
    #expect(wire.model.face == .digits([0, 0]))
    #expect(wire.rules == [])
  }

  @Test("The first digit may be the leftmost")
  func firstDigit() {
    var wire = Wire(
      MAX7219Model(MAX7219(digits: 2, firstDigit: .leftmost), lines: [.label("D"), .label("C"), .label("L")]))
    for packet: UInt16 in [0x0F00, 0x0900, 0x0B01, 0x0A00, 0x0130, 0x026D, 0x0C01] { wire.transfer(packet, bits: 16) }
    #expect(wire.model.face == .digits([0x06, 0x5B]))
  }

  @Test(
    "Each bit of a register is a segment of its own",
    arguments: [
      (0x80, 0x80), (0x40, 0x01), (0x20, 0x02), (0x10, 0x04), (0x08, 0x08), (0x04, 0x10), (0x02, 0x20), (0x01, 0x40),
    ] as [(UInt16, UInt8)])
  func segments(register: UInt16, segment: UInt8) {
    var wire = ready()
    wire.transfer(0x0C01, bits: 16)
    wire.transfer(0x0100 | register, bits: 16)
    #expect(wire.model.face == .digits([0x86, segment]))
  }

  @Test func displayTestLightsEverything() {
    var wire = ready()
    wire.transfer(0x0F01, bits: 16)
    #expect(wire.model.face == .digits([0xFF, 0xFF]))
  }

  @Test(
    "A register that nobody wrote is no register to show",
    arguments: [0x0F00, 0x0900, 0x0B01, 0x0A07, 0x016D, 0x02B0] as [UInt16])
  func registerNotSet(left: UInt16) {
    var wire = wire()
    for packet: UInt16 in [0x0F00, 0x0900, 0x0B01, 0x0A07, 0x016D, 0x02B0, 0x0C01] where packet != left {
      wire.transfer(packet, bits: 16)
    }
    #expect(wire.rules == [.registerNotSet])
  }

  @Test func decoderOn() {
    var wire = ready()
    wire.transfer(0x0901, bits: 16)
    wire.transfer(0x0C01, bits: 16)
    #expect(wire.rules == [.decoderOn])
  }

  @Test(
    "Digits beyond a lower limit stay dark; a higher limit makes all darker", arguments: [0x0B00, 0x0B07] as [UInt16])
  func wrongScanLimit(packet: UInt16) {
    var wire = ready()
    wire.transfer(packet, bits: 16)
    wire.transfer(0x0C01, bits: 16)
    #expect(wire.rules == [.wrongScanLimit])
    #expect(wire.model.face == .digits([packet == 0x0B00 ? 0 : 0x86, 0x5B]))
  }

  @Test(arguments: [0x0D00, 0x0E01, 0x1101, 0x0C02, 0x0F03] as [UInt16])
  func addressesAndValuesThatTheChipDoesNotHave(packet: UInt16) {
    var wire = wire()
    wire.transfer(packet, bits: 16)
    #expect(wire.rules.first == .unknownCommand)
  }

  @Test(arguments: [0, 8, 15, 17, 32])
  func wrongBitCount(bits: Int) {
    var wire = ready()
    wire.transfer(0x0C01, bits: bits)
    #expect(wire.rules == [.wrongBitCount])
    #expect(wire.model.face == .digits([0, 0]))
  }

  @Test func theEdgesThatEveryShiftRegisterMinds() {
    ThreeWireBench.expectEveryRule(
      of: wire().model, bits: 16, clockHigh: 50, clockLow: 50, cycle: 100, dataSetUp: 25, dataHold: 0, latchSetUp: 25,
      latchHold: 0, latchHigh: 50, latchRecovery: 50)
  }
}
