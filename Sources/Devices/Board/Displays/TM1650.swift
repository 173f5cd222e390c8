// The two-wire driver chip of small 4-digit modules. The chip refreshes the digits itself, so it is written only when
// they change. Each transfer is two bytes, an address and its value, with the most significant bit first.
// Source: Titan Micro Electronics, TM1650 data sheet V1.10 (English).

import StrictYAML

/// A driver that turns segments into the signals of a TM1650 on its two lines.
public struct TM1650: TwoWireDriver, Hashable {
  public static let type = "tm1650"
  public static let chipName = "TM1650"

  /// The digit of each display register, DIG1 first.
  public var order: DigitOrder
  public var bus = TwoWireBus()

  public var digits: Int { order.places.count }
  public var digitOrder: DigitOrder? { order }

  /// Returns the program that shows the segments. The digits come before the light, so that a chip that was just powered
  /// on shows no old content.
  /// - Parameter brightness: 0 to 7.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let registers = order.registers(of: segments)
    var transfers = registers.enumerated().map { [Address.firstDigit + 2 * UInt8($0), $1] }
    let isLit = registers.contains { $0 != 0 }
    transfers.append([Address.control, isLit ? TM1650.step(brightness) << 4 | 1 : 0])
    return bus.program(transfers, first: .most)
  }

  /// Returns the value of the three bits of a brightness step: 1 is the darkest, 7 the last but one, and 0 the brightest.
  /// [Display command]
  static func step(_ brightness: Int) -> UInt8 { UInt8(brightness + 1) & 7 }

  /// [Display command, address command]
  enum Address {
    static let control: UInt8 = 0x48
    /// The others follow at every second address.
    static let firstDigit: UInt8 = 0x68
  }

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { try $0.integer(in: BoardLimits.tm1650Digits) }
    let order = DigitOrder.read(section, digits: digits)
    let keys = TwoWireKeys(section, lines, decimalPoints: true)
    let brightness = Brightness.read(
      section, in: BoardLimits.tm1650Brightness, default: BoardLimits.defaultTM1650Brightness)
    guard let digits, let names = keys.lines, let brightness else { return nil }
    return BoardDescription.Display(
      chip: lines.chip, driver: TM1650(order: order ?? .leftToRight(digits), bus: keys.bus), lines: names,
      hasDecimalPoints: keys.hasDecimalPoints, brightness: brightness)
  }
}
