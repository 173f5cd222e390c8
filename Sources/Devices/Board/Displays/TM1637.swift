// The two-wire driver chip of the common 4- and 6-digit modules. The chip refreshes the digits itself, so it is written
// only when they change. Its protocol resembles I²C but has no address and sends the least significant bit first.
// Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English).

import StrictYAML

/// A driver that turns segments into the signals of a TM1637 on its two lines.
public struct TM1637: TwoWireDriver, Hashable {
  public static let type = "tm1637"
  public static let chipName = "TM1637"

  /// The digit of each display register.
  public var order: DigitOrder
  public var bus = TwoWireBus()

  public var digits: Int { order.places.count }
  public var digitOrder: DigitOrder? { order }

  init(order: DigitOrder, bus: TwoWireBus = TwoWireBus()) {
    self.order = order
    self.bus = bus
  }

  /// Creates a driver of a module that is wired as most are: those with 6 digits 3 2 1 6 5 4.
  init(digits: Int, bus: TwoWireBus = TwoWireBus()) {
    self.init(order: digits == 6 ? DigitOrder([2, 1, 0, 5, 4, 3]) : .leftToRight(digits), bus: bus)
  }

  /// Returns the program that shows the segments; if none is lit, it also switches off the display.
  /// - Parameter brightness: 0 to 7.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let registers = order.registers(of: segments)
    let isLit = registers.contains { $0 != 0 }
    return bus.program(
      [
        [Command.writeWithIncrement], [Command.address] + registers,
        [isLit ? Command.displayOn | UInt8(brightness) : Command.displayOff],
      ], first: .least)
  }

  /// [V2.4, data command, address command, display control]
  enum Command {
    static let writeWithIncrement: UInt8 = 0x40
    static let address: UInt8 = 0xC0
    static let displayOff: UInt8 = 0x80
    static let displayOn: UInt8 = 0x88
  }

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let digits = section.required("digits") { node throws(Diagnostic) in
      let count = try node.integer()
      guard BoardLimits.tm1637Digits.contains(count) else {
        throw node.diagnostic("must be 4 or 6 for a \(TM1637.type), not \(count)")
      }
      return count
    }
    let order = DigitOrder.read(section, digits: digits)
    // Many modules have a colon and no points, so the default must not use points.
    let keys = TwoWireKeys(section, lines, decimalPoints: false)
    let brightness = Brightness.read(
      section, in: BoardLimits.tm1637Brightness, default: BoardLimits.defaultTM1637Brightness)
    guard let digits, let names = keys.lines, let brightness else { return nil }
    var driver = TM1637(digits: digits, bus: keys.bus)
    if let order { driver.order = order }
    return BoardDescription.Display(
      chip: lines.chip, driver: driver, lines: names, hasDecimalPoints: keys.hasDecimalPoints, brightness: brightness)
  }
}
