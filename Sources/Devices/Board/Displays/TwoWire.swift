// Clock and data, both held high by resistors, on which a chip acknowledges each byte: I²C, and the protocols of Titan
// Micro's chips that resemble it. One wire and one pace fit them all.
// Source: NXP, UM10204 (I²C-bus specification), table 10, standard mode, the slowest of them.

import StrictYAML

/// The wire of a display on clock and data: its pace, and what is between the lines and the module.
public struct TwoWireBus: Hashable, Sendable {
  public var clockHertz = BoardLimits.defaultTwoWireClockHertz
  /// True if a level shifter is between the lines and a module at 5 V.
  public var isShifted = false

  /// Returns the program of these transfers, one after the other.
  func program(_ transfers: [[UInt8]], first: TwoWire.FirstBit) -> LineProgram {
    var wire = TwoWire(halfCycleNanoseconds: 500_000_000 / UInt32(clockHertz), first: first)
    for bytes in transfers { wire.transfer(bytes) }
    return wire.program
  }
}

/// A driver of a display on clock and data, which are both open drain.
public protocol TwoWireDriver: DisplayDriver {
  /// The chip's name in messages.
  static var chipName: String { get }

  var bus: TwoWireBus { get }
}

extension TwoWireDriver {
  public var drive: LineRequest.Drive { .openDrain }

  public var idleLevels: UInt32 { TwoWire.clock | TwoWire.data }

  public func advice(missed: [Int], lines: [LineName]) -> String? {
    "the \(Self.chipName) does not answer (\(missed.count) bytes not acknowledged): check "
      + (bus.isShifted ? "the supplies on both sides of the level shifter" : "its supply")
      + ", and that clock is on line \(lines[0]) and data on line \(lines[1])"
  }
}

/// The bits on the two lines. Each method begins and ends with the clock low, except `start` (begins idle) and `stop`
/// (ends idle). Clock and data never change in the same set, because the order of the two edges would be undefined.
struct TwoWire {
  /// The group's lines, in the order of the request.
  static let clock: UInt32 = 1 << 0
  static let data: UInt32 = 1 << 1

  /// The pins of these lines in a board's header, for every display that has them.
  static let wiring: DriverCatalog.SharedWiring = ("two-wire", ["clock", "data"])

  /// The bit of a byte that is sent first.
  enum FirstBit {
    case least, most
  }

  let halfCycleNanoseconds: UInt32
  let first: FirstBit
  private(set) var program = LineProgram()

  init(halfCycleNanoseconds: UInt32, first: FirstBit) {
    self.halfCycleNanoseconds = halfCycleNanoseconds
    self.first = first
  }

  /// Data changes in the middle of the low half.
  private var quarterCycleNanoseconds: UInt32 { halfCycleNanoseconds / 2 }

  mutating func transfer(_ bytes: [UInt8]) {
    start()
    for byte in bytes { send(byte) }
    stop()
  }

  /// Begins a transfer: data falls while the clock is high.
  private mutating func start() {
    program.set(TwoWire.clock | TwoWire.data, TwoWire.clock | TwoWire.data)
    program.wait(halfCycleNanoseconds)
    program.set(TwoWire.data, 0)
    program.wait(halfCycleNanoseconds)
    program.set(TwoWire.clock, 0)
  }

  /// Sends eight bits, then reads the answer before the clock rises for the ninth time: half a cycle after its fall each
  /// chip holds data low (I²C: 3.45 µs, tVD;ACK), and a TM1650 releases it at the rise.
  private mutating func send(_ byte: UInt8) {
    for bit in 0..<8 { cycle(data: byte >> (first == .least ? bit : 7 - bit) & 1 == 1) }
    cycle(data: true, samplesAcknowledge: true)
  }

  /// Ends a transfer: data rises while the clock is high.
  private mutating func stop() {
    program.wait(quarterCycleNanoseconds)
    program.set(TwoWire.data, 0)
    program.wait(quarterCycleNanoseconds)
    program.set(TwoWire.clock, TwoWire.clock)
    program.wait(halfCycleNanoseconds)
    program.set(TwoWire.data, TwoWire.data)
    program.wait(halfCycleNanoseconds)
  }

  private mutating func cycle(data level: Bool, samplesAcknowledge: Bool = false) {
    program.wait(quarterCycleNanoseconds)
    program.set(TwoWire.data, level ? TwoWire.data : 0)
    program.wait(quarterCycleNanoseconds)
    if samplesAcknowledge { program.expect(UInt8(TwoWire.data.trailingZeroBitCount), false) }
    program.set(TwoWire.clock, TwoWire.clock)
    program.wait(halfCycleNanoseconds)
    program.set(TwoWire.clock, 0)
  }
}

/// The keys in a board description that displays on clock and data have.
struct TwoWireKeys {
  /// The lines for clock, data.
  var lines: [LineName]?
  var bus: TwoWireBus
  var hasDecimalPoints: Bool

  /// The supply voltage of the module.
  enum Supply: String, CaseIterable {
    case board = "3.3V"
    /// 5 V: the module's resistors pull both lines to 5 V, and a level shifter protects the board.
    case shifted = "5V"
  }

  /// - Parameter decimalPoints: the default of `decimal-points`.
  init(
    _ section: MappingReader, _ reader: LineReader, decimalPoints: Bool,
    hertz: ClosedRange<Int> = BoardLimits.twoWireClockHertz
  ) {
    hasDecimalPoints = section.optional("decimal-points", default: decimalPoints) { try $0.boolean() }
    lines = reader.all(TwoWire.wiring.lineKeys, in: section)
    let supply = section.optional("supply", default: Supply.board) { try $0.choice() }
    let clockHertz = section.optional("clock-hertz", default: BoardLimits.defaultTwoWireClockHertz) {
      try $0.integer(in: hertz)
    }
    bus = TwoWireBus(clockHertz: clockHertz, isShifted: supply == .shifted)
  }
}
