// The driver chip of the common 8-digit modules. It refreshes up to eight digits itself and sets their brightness, so
// it is written only when they change. Its digit decoder stays off: the handset decides which segments are lit.
// Source: Maxim Integrated, MAX7219/MAX7221 data sheet 19-4452, Rev. 4.

import StrictYAML

/// A driver that turns segments into the signals of a MAX7219 on data (DIN), clock (CLK) and select (LOAD).
public struct MAX7219: DisplayDriver, Hashable {
  public static let type = "max7219"

  public var digits: Int
  /// The digit that is connected to the pin DIG 0.
  public var firstDigit: DigitEnd

  public var idleLevels: UInt32 { ThreeWire.idleLevels }

  /// Returns a program that writes every register, so that the display is also right after the chip lost its supply.
  /// The digits come before the end of the shutdown, so that a chip that was just powered on shows no old content. If
  /// none is lit, the chip is shut down.
  /// - Parameter brightness: 0 to 15.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let counted = firstDigit.counted(segments, digits: digits)
    let isLit = counted.contains { $0 != 0 }
    var wire = ThreeWire()
    wire.send([Register.displayTest, 0])
    wire.send([Register.decodeMode, 0])
    wire.send([Register.scanLimit, UInt8(digits - 1)])
    wire.send([Register.intensity, UInt8(brightness)])
    for (place, segments) in counted.enumerated() {
      wire.send([Register.firstDigit + UInt8(place), MAX7219.register(of: segments)])
    }
    wire.send([Register.shutdown, isLit ? 1 : 0])
    return wire.program
  }

  /// [Table 2, register address map]
  enum Register {
    static let firstDigit: UInt8 = 0x01
    static let decodeMode: UInt8 = 0x09
    static let intensity: UInt8 = 0x0A
    static let scanLimit: UInt8 = 0x0B
    static let shutdown: UInt8 = 0x0C
    static let displayTest: UInt8 = 0x0F
  }

  /// Returns the register value. The point keeps its place; segments a to g are bits 6 to 0. [Table 6, no-decode mode
  /// data bits]
  private static func register(of segments: UInt8) -> UInt8 {
    var register = segments & 0x80
    for bit in 0..<7 where segments >> bit & 1 == 1 { register |= 0x40 >> bit }
    return register
  }

  static let lineKeys = ["data", "clock", "select"]

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { try $0.integer(in: BoardLimits.max7219Digits) }
    let first = section.optional("first-digit", default: DigitEnd.rightmost) { try $0.choice() }
    // The modules that are sold have digits with points.
    let hasDecimalPoints = section.optional("decimal-points", default: true) { try $0.boolean() }
    let names = lines.all(lineKeys, in: section)
    let brightness = Brightness.read(
      section, in: BoardLimits.max7219Brightness, default: BoardLimits.defaultMAX7219Brightness)
    guard let digits, let names, let brightness else { return nil }
    return BoardDescription.Display(
      chip: lines.chip, driver: MAX7219(digits: digits, firstDigit: first), lines: names,
      hasDecimalPoints: hasDecimalPoints, brightness: brightness)
  }
}
