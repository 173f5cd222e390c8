// The two-wire driver chip of the common 4- and 6-digit modules. The chip refreshes the digits itself, so it is written
// only when they change. Its protocol resembles I²C but has no address and sends the least significant bit first.
// Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English).

import StrictYAML

/// A driver that turns segments into the signals of a TM1637 on its two lines. Both lines are open drain.
public struct TM1637: DisplayDriver, Hashable {
  public static let type = "tm1637"

  /// The group's lines, in the order of the request.
  public static let clock: UInt32 = 1 << 0
  public static let data: UInt32 = 1 << 1

  public var digits: Int
  public var clockHertz = BoardLimits.defaultTM1637ClockHertz
  /// True if a level shifter is between the lines and a module at 5 V.
  public var isShifted = false

  public var drive: LineRequest.Drive { .openDrain }

  public var idleLevels: UInt32 { TM1637.clock | TM1637.data }

  /// Returns the digit of each display register, 0 leftmost: the common 6-digit modules are wired 3 2 1 6 5 4.
  static func wiring(digits: Int) -> [Int] {
    digits == 6 ? [2, 1, 0, 5, 4, 3] : Array(0..<digits)
  }

  /// Returns the program that shows the segments; if none is lit, it also switches off the display.
  /// - Parameter brightness: 0 to 7.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let registers = TM1637.wiring(digits: digits).map { $0 < segments.count ? segments[$0] : 0 }
    let isLit = registers.contains { $0 != 0 }
    var wire = Wire(halfCycleNanoseconds: 500_000_000 / UInt32(clockHertz))
    wire.transfer([Command.writeWithIncrement])
    wire.transfer([Command.address] + registers)
    wire.transfer([isLit ? Command.displayOn | UInt8(brightness) : Command.displayOff])
    return wire.program
  }

  public func advice(mismatches: Int, lines: [LineName]) -> String? {
    "the TM1637 does not answer (\(mismatches) bytes not acknowledged): check "
      + (isShifted ? "the supplies on both sides of the level shifter" : "its supply")
      + ", and that clock is on line \(lines[0]) and data on line \(lines[1])"
  }

  /// [V2.4, data command, address command, display control]
  enum Command {
    static let writeWithIncrement: UInt8 = 0x40
    static let address: UInt8 = 0xC0
    static let displayOff: UInt8 = 0x80
    static let displayOn: UInt8 = 0x88
  }

  /// The bits on the two lines. Each method begins and ends with the clock low, except `start` (begins idle) and `stop`
  /// (ends idle). Clock and data never change in the same set, because the order of the two edges would be undefined.
  private struct Wire {
    let halfCycleNanoseconds: UInt32
    var program = LineProgram()

    /// Data changes in the middle of the low half. [V2.4, timing characteristics: set-up and hold time 100 ns each]
    private var quarterCycleNanoseconds: UInt32 { halfCycleNanoseconds / 2 }

    mutating func transfer(_ bytes: [UInt8]) {
      start()
      for byte in bytes { send(byte) }
      stop()
    }

    /// Begins a transfer: data falls while the clock is high.
    private mutating func start() {
      program.set(clock | data, clock | data)
      program.wait(halfCycleNanoseconds)
      program.set(data, 0)
      program.wait(halfCycleNanoseconds)
      program.set(clock, 0)
    }

    /// Sends eight bits, least significant first, then reads the answer: the chip holds data low in the ninth clock.
    private mutating func send(_ byte: UInt8) {
      for bit in 0..<8 { cycle(data: byte >> bit & 1 == 1) }
      cycle(data: true, samplesAcknowledge: true)
    }

    /// Ends a transfer: data rises while the clock is high.
    private mutating func stop() {
      program.wait(quarterCycleNanoseconds)
      program.set(data, 0)
      program.wait(quarterCycleNanoseconds)
      program.set(clock, clock)
      program.wait(halfCycleNanoseconds)
      program.set(data, data)
      program.wait(halfCycleNanoseconds)
    }

    private mutating func cycle(data level: Bool, samplesAcknowledge: Bool = false) {
      program.wait(quarterCycleNanoseconds)
      program.set(data, level ? data : 0)
      program.wait(quarterCycleNanoseconds)
      program.set(clock, clock)
      program.wait(halfCycleNanoseconds)
      if samplesAcknowledge { program.expect(UInt8(data.trailingZeroBitCount), false) }
      program.set(clock, 0)
    }
  }

  /// The supply voltage of the module.
  enum Supply: String, CaseIterable {
    case board = "3.3V"
    /// 5 V: the module's resistors pull both lines to 5 V, and a level shifter protects the board.
    case shifted = "5V"
  }

  static let lineKeys = ["clock", "data"]

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { node throws(Diagnostic) in
      let count = try node.integer()
      guard BoardLimits.tm1637Digits.contains(count) else {
        throw node.diagnostic("must be 4 or 6 for a \(TM1637.type), not \(count)")
      }
      return count
    }
    // Many modules have a colon and no points, so the default must not use points.
    let hasDecimalPoints = section.optional("decimal-points", default: false) { try $0.boolean() }
    let names = lines.all(lineKeys, in: section)
    let brightness = Brightness.read(
      section, in: BoardLimits.tm1637Brightness, default: BoardLimits.defaultTM1637Brightness)
    let supply = section.optional("supply", default: Supply.board) { try $0.choice() }
    let clockHertz = section.optional("clock-hertz", default: BoardLimits.defaultTM1637ClockHertz) {
      try $0.integer(in: BoardLimits.tm1637ClockHertz)
    }
    guard let digits, let names, let brightness else { return nil }
    return BoardDescription.Display(
      chip: lines.chip, driver: TM1637(digits: digits, clockHertz: clockHertz, isShifted: supply == .shifted),
      lines: names, hasDecimalPoints: hasDecimalPoints, brightness: brightness)
  }
}
