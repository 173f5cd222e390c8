// The driver chip of the boards with eight digits, eight lamps and eight keys (LED&KEY). The chip refreshes the digits
// itself, so it is written only when they change; its keys are read again and again, if any has a meaning.
// Source: Titan Micro Electronics, TM1638 data sheet V1.3 (English); the board's wiring: its sellers' schematic.

import StrictYAML

/// A driver that turns segments into the signals of a TM1638 on data (DIO), clock (CLK) and strobe (STB). All three lines
/// are open drain: the chip answers on data.
public struct TM1638: KeyedDisplayDriver, Hashable {
  public static let type = "tm1638"

  /// The digit of each display register, GRID1 first.
  public var order: DigitOrder
  public var clockHertz = BoardLimits.defaultTwoWireClockHertz
  /// True if the board's eight lamps do what the lamp does.
  public var hasLamps = false

  public var digits: Int { order.places.count }
  public var digitOrder: DigitOrder? { order }
  public var drive: LineRequest.Drive { .openDrain }
  public var idleLevels: UInt32 { Wire.idleLevels }

  /// Returns a program that writes all of the chip. The digits come before the light, so that a chip that was just
  /// powered on shows no old content.
  /// - Parameters:
  ///   - segments: a further one behind those of the digits lights the lamps, if it is not 0.
  ///   - brightness: 0 to 7.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let registers = order.registers(of: Array(segments.prefix(digits)))
    let lamps: UInt8 = segments.count > digits && segments[digits] != 0 ? 1 : 0
    let isLit = registers.contains { $0 != 0 } || lamps != 0
    // Each digit has two bytes; the second is for its lamp.
    var memory = [UInt8](repeating: 0, count: 16)
    for (place, segments) in registers.enumerated() { memory[2 * place] = segments }
    for place in 0..<8 { memory[2 * place + 1] = lamps }
    var wire = Wire(clockHertz: clockHertz)
    wire.send([Command.writeWithIncrement])
    wire.send([Command.address] + memory)
    wire.send([isLit ? Command.displayOn | UInt8(brightness) : Command.displayOff])
    return wire.program
  }

  public var keyProgram: LineProgram {
    var wire = Wire(clockHertz: clockHertz)
    wire.send([Command.readKeys], thenReads: TM1638.answerBytes)
    return wire.program
  }

  /// Four bytes have the keys 1 to 4 in bit 0 and 5 to 8 in bit 4, the least significant bit first. Bits 3 and 7 are never
  /// set: without a chip all bits are. [Key scan data]
  public func pressedKeys(in answer: [Bool]) -> Set<Int>? {
    guard answer.count == TM1638.answerBytes * 8 else { return nil }
    guard !answer.indices.contains(where: { $0 % 4 == 3 && answer[$0] }) else { return nil }
    return Set((0..<TM1638.keys).filter { answer[$0 % 4 * 8 + $0 / 4 * 4] }.map { $0 + 1 })
  }

  public func advice(missed: [Int], lines: [LineName]) -> String? {
    "the TM1638 does not answer: check its supply, that data (DIO) is on line \(lines[0]), clock (CLK) on line "
      + "\(lines[1]) and strobe (STB) on line \(lines[2]), and that each has a resistor to 3.3 V"
  }

  static let keys = 8
  static let answerBytes = 4

  /// [V1.3, data command, address command, display control]
  enum Command {
    static let writeWithIncrement: UInt8 = 0x40
    static let readKeys: UInt8 = 0x42
    static let address: UInt8 = 0xC0
    static let displayOff: UInt8 = 0x80
    static let displayOn: UInt8 = 0x88
  }

  /// The bits on the three lines. The clock is high at rest, and no two lines change in the same set.
  private struct Wire {
    static let data = ThreeWire.data
    static let clock = ThreeWire.clock
    static let strobe = ThreeWire.latch
    static let idleLevels = data | clock | strobe
    /// The pause between the command and the keys. [V1.3, serial data transmission: 2 µs]
    static let answerPauseNanoseconds: UInt32 = 2_000

    let halfCycleNanoseconds: UInt32
    private(set) var program = LineProgram()

    init(clockHertz: Int) {
      halfCycleNanoseconds = 500_000_000 / UInt32(clockHertz)
    }

    /// Sends bytes, each with its least significant bit first, and reads as many bytes as are asked for.
    mutating func send(_ bytes: [UInt8], thenReads count: Int = 0) {
      program.set(Wire.strobe, 0)
      program.wait(halfCycleNanoseconds)
      for byte in bytes { for bit in 0..<8 { cycle(data: byte >> bit & 1 == 1) } }
      program.set(Wire.data, Wire.data)
      if count > 0 { program.wait(Wire.answerPauseNanoseconds) }
      for _ in 0..<count * 8 { cycle(data: true, reads: true) }
      program.set(Wire.strobe, Wire.strobe)
      program.wait(halfCycleNanoseconds)
    }

    /// The chip reads data at the rise of the clock, and its own bits follow the fall.
    private mutating func cycle(data level: Bool, reads: Bool = false) {
      program.set(Wire.clock, 0)
      program.wait(halfCycleNanoseconds / 2)
      program.set(Wire.data, level ? Wire.data : 0)
      program.wait(halfCycleNanoseconds / 2)
      if reads { program.read(UInt8(Wire.data.trailingZeroBitCount)) }
      program.set(Wire.clock, Wire.clock)
      program.wait(halfCycleNanoseconds)
    }
  }

  static let lineKeys = ["data", "clock", "strobe"]

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { try $0.integer(in: BoardLimits.tm1638Digits) }
    let order = DigitOrder.read(section, digits: digits)
    let hasDecimalPoints = section.optional("decimal-points", default: true) { try $0.boolean() }
    let names = lines.all(lineKeys, in: section)
    let clockHertz = section.optional("clock-hertz", default: BoardLimits.defaultTwoWireClockHertz) {
      try $0.integer(in: BoardLimits.tm1638ClockHertz)
    }
    let brightness = Brightness.read(
      section, in: BoardLimits.tm1637Brightness, default: BoardLimits.defaultTM1637Brightness)
    let hasLamps = section.optional("lamps", default: false) { try $0.boolean() }
    let keys = section.optional("keys") { node throws(Diagnostic) in try TM1638.keys(node) }
    guard let digits, let names, let brightness else { return nil }
    let driver = TM1638(order: order ?? .leftToRight(digits), clockHertz: clockHertz, hasLamps: hasLamps)
    return BoardDescription.Display(
      chip: lines.chip, driver: driver, lines: names, hasDecimalPoints: hasDecimalPoints, brightness: brightness,
      keys: keys ?? [:])
  }

  /// Reads `keys: { 1: view, 2: close, 3: snooze, 8: OPEN-GATE }`.
  private static func keys(_ node: YAMLNode) throws(Diagnostic) -> [Int: BoardKey] {
    var keys: [Int: BoardKey] = [:]
    for entry in try node.entries() {
      guard let number = Int(entry.key), (1...TM1638.keys).contains(number), entry.key == "\(number)" else {
        throw Diagnostic("'\(entry.key)' is no key of a TM1638: they are 1 to \(TM1638.keys)", at: entry.keyPosition)
      }
      keys[number] = try BoardKey(entry.value)
    }
    return keys
  }
}
