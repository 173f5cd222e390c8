// The driver chip of the I²C backpacks with four digits. It refreshes them itself, so it is written only when they
// change. Several backpacks with different addresses on the same two lines are one wide display.
// Sources: Holtek, HT16K33 data sheet Rev. 1.10; Adafruit, the schematics of the LED backpacks with 7 and 14 segments.

import StrictYAML

/// A driver that turns segments into the signals of up to eight HT16K33 on one I²C bus.
public struct HT16K33: TwoWireDriver, Hashable {
  public static let type = "ht16k33"
  public static let chipName = "HT16K33"

  /// The digits of a backpack.
  public enum Backpack: Int, Hashable, Sendable, CaseIterable {
    /// Digits with seven segments at the addresses 0, 2, 6 and 8 of the memory, a colon at 4.
    case sevenSegments = 7
    /// Digits with fourteen segments in the first four pairs of bytes; they show what digits with seven can.
    case fourteenSegments = 14

    public static let digits = 4
  }

  /// The I²C addresses of the backpacks, leftmost first.
  public var addresses: [UInt8]
  public var backpack = Backpack.sevenSegments
  public var bus = TwoWireBus()

  public var digits: Int { addresses.count * Backpack.digits }

  /// The bytes that each backpack gets in a program: 16 of memory, and a command or two with an address in four transfers.
  static let bytesPerBackpack = 24

  /// Returns a program that writes all of each chip, so that the display is also right after one lost its supply. The
  /// memory comes before the light, so that a chip that was just powered on shows no old content.
  /// - Parameter brightness: 0 to 15.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let isLit = segments.contains { $0 != 0 }
    let transfers = addresses.enumerated().flatMap { place, address in
      let first = place * Backpack.digits
      let shown = (first..<first + Backpack.digits).map { $0 < segments.count ? segments[$0] : 0 }
      let commands: [[UInt8]] = [
        [Command.oscillatorOn], [Command.memory] + memory(of: shown), [Command.dimming | UInt8(brightness)],
        [isLit ? Command.displayOn : Command.displayOff],
      ]
      return commands.map { [address << 1] + $0 }
    }
    return bus.program(transfers, first: .most)
  }

  /// Returns all 16 bytes of display memory: eight pairs, in the order of the chip's COM pins.
  private func memory(of segments: [UInt8]) -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: 16)
    for (place, segments) in segments.enumerated() {
      switch backpack {
      case .sevenSegments: memory[[0, 2, 6, 8][place]] = segments
      case .fourteenSegments:
        let word = HT16K33.fourteen(segments)
        memory[2 * place] = UInt8(word & 0xFF)
        memory[2 * place + 1] = UInt8(word >> 8)
      }
    }
    return memory
  }

  /// Returns the outputs of a digit with 14 segments. a to f are where they are with seven; the middle bar is two
  /// segments, bits 6 and 7, and the point is bit 14.
  private static func fourteen(_ segments: UInt8) -> UInt16 {
    let bar: UInt16 = segments & 0x40 == 0 ? 0 : 0xC0
    return UInt16(segments & 0x3F) | bar | (segments & 0x80 == 0 ? 0 : 0x4000)
  }

  /// [Command summary] The chip could blink by itself; the board does that, as on every display.
  enum Command {
    static let memory: UInt8 = 0x00
    static let oscillatorOn: UInt8 = 0x21
    static let displayOff: UInt8 = 0x80
    static let displayOn: UInt8 = 0x81
    static let dimming: UInt8 = 0xE0
  }

  public func advice(missed: [Int], lines: [LineName]) -> String? {
    let places = Set(missed.map { $0 / HT16K33.bytesPerBackpack })
    let silent = addresses.enumerated().filter { places.contains($0.offset) }.map { HT16K33.text($0.element) }
    let names = silent.joined(separator: ", ")
    return (silent.count == 1 ? "the HT16K33 at \(names) does" : "the HT16K33 at \(names) do")
      + " not answer (\(missed.count) bytes not acknowledged): check "
      + (bus.isShifted ? "the supplies on both sides of the level shifter" : "the supply")
      + ", that clock (SCL) is on line \(lines[0]) and data (SDA) on line \(lines[1]), and that the jumpers give "
      + (silent.count == 1 ? "that address" : "these addresses")
  }

  /// The address as people write it: `0x70`.
  private static func text(_ address: UInt8) -> String { "0x" + String(address, radix: 16) }

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let most = BoardLimits.ht16k33Addresses.count * Backpack.digits
    let digits = section.required("digits") { node throws(Diagnostic) in
      let count = try node.integer(in: Backpack.digits...most)
      guard count % Backpack.digits == 0 else {
        throw node.diagnostic("must be 4 for each backpack: 4, 8, 12 and so on, not \(count)")
      }
      return count
    }
    let count = (digits ?? Backpack.digits) / Backpack.digits
    let addresses = section.optional("addresses") { node throws(Diagnostic) in
      try HT16K33.addresses(node, count: digits == nil ? 1...BoardLimits.ht16k33Addresses.count : count...count)
    }
    let backpack = section.optional("segments-per-digit", default: Backpack.sevenSegments) { node throws(Diagnostic) in
      guard let backpack = Backpack(rawValue: try node.integer()) else {
        throw node.diagnostic("must be 7 or 14, not \(node.text ?? "")")
      }
      return backpack
    }
    let keys = TwoWireKeys(section, lines, decimalPoints: true, hertz: BoardLimits.ht16k33ClockHertz)
    let brightness = Brightness.read(
      section, in: BoardLimits.ht16k33Brightness, default: BoardLimits.defaultHT16K33Brightness)
    guard digits != nil, let names = keys.lines, let brightness else { return nil }
    return BoardDescription.Display(
      chip: lines.chip,
      driver: HT16K33(
        addresses: addresses ?? Array(BoardLimits.ht16k33Addresses.prefix(count)), backpack: backpack, bus: keys.bus),
      lines: names, hasDecimalPoints: keys.hasDecimalPoints, brightness: brightness)
  }

  private static func addresses(_ list: YAMLNode, count: ClosedRange<Int>) throws(Diagnostic) -> [UInt8] {
    var found: [UInt8] = []
    for item in try list.sequence(count: count) {
      let word = try item.choice(of: BoardLimits.ht16k33Addresses.map(text))
      guard let address = BoardLimits.ht16k33Addresses.first(where: { text($0) == word }) else { continue }
      guard !found.contains(address) else {
        throw item.diagnostic("is \(word), which is on the list already: each backpack needs its own address")
      }
      found.append(address)
    }
    return found
  }
}
