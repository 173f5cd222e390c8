// Shift registers and the chips built around one use the same three lines: data is read on the rising clock, and the
// shifted bits take effect on the rising latch. One pace fits them all, so it is written once.

import StrictYAML

/// The bits on the three lines. Clock and data change together only on the falling clock, when data is not read.
struct ThreeWire {
  /// The group's lines, in the order of the request.
  static let data: UInt32 = 1 << 0
  static let clock: UInt32 = 1 << 1
  static let latch: UInt32 = 1 << 2

  /// The pins of these lines in a board's header, for every display that has them.
  static let wiring: DriverCatalog.SharedWiring = ("three-wire", ["data", "clock", "latch"])

  /// The levels between transfers: only the latch is high.
  static let idleLevels = latch

  /// Half a cycle of 1 MHz. The slowest of the chips, a 74HC595 at 2 V and 125 °C, requires pulses of 110 ns; jumper
  /// wires and a level shifter need the margin.
  static let halfCycleNanoseconds: UInt32 = 500

  var program = LineProgram()

  /// Shifts bytes in, each with its most significant bit first, and latches them.
  mutating func send(_ bytes: [UInt8]) {
    program.set(ThreeWire.latch, 0)
    program.wait(ThreeWire.halfCycleNanoseconds)
    shift(bytes)
    program.wait(ThreeWire.halfCycleNanoseconds)
    program.set(ThreeWire.latch, ThreeWire.latch)
    program.wait(ThreeWire.halfCycleNanoseconds)
  }

  /// Shifts bytes in, each with its most significant bit first, and leaves clock and data low.
  mutating func shift(_ bytes: [UInt8]) {
    for byte in bytes {
      for bit in (0..<8).reversed() {
        program.set(ThreeWire.clock | ThreeWire.data, byte >> bit & 1 == 1 ? ThreeWire.data : 0)
        program.wait(ThreeWire.halfCycleNanoseconds)
        program.set(ThreeWire.clock, ThreeWire.clock)
        program.wait(ThreeWire.halfCycleNanoseconds)
      }
    }
    program.set(ThreeWire.clock | ThreeWire.data, 0)
  }

  /// Returns the time between the latching of two transfers that follow each other at once.
  static func transferNanoseconds(bytes: Int) -> UInt32 {
    (UInt32(bytes) * 8 * 2 + 3) * halfCycleNanoseconds
  }
}

/// The keys in a board description that displays behind chains of 74HC595 have.
struct ChainKeys {
  var digits: Int?
  var firstDigit: DigitEnd?
  var segmentsActive: ActiveLevel?
  /// The lines for data, clock, latch.
  var lines: [LineName]?
  var hasDecimalPoints: Bool

  init(_ section: MappingReader, _ reader: LineReader) {
    digits = section.required("digits") { try $0.integer(in: BoardLimits.multiplexedDigits) }
    firstDigit = section.required("first-digit") { try $0.choice() }
    segmentsActive = section.required("segments-active") { try $0.choice() }
    lines = reader.all(ThreeWire.wiring.lineKeys, in: section)
    // The eighth output exists; only the builder knows if a point is connected to it.
    hasDecimalPoints = section.optional("decimal-points", default: false) { try $0.boolean() }
  }
}
