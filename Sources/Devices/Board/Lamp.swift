// The lamp of a board: a light-emitting diode on one line, one of three colours on three, or a strip of lamps behind a
// chip. Like a display's driver, a lamp's is a pure function to a program of line levels.

import HandsetCore
import StrictYAML

/// What a lamp shows at one moment.
struct LampLight: Hashable, Sendable {
  /// Nil while the lamp is dark.
  var colour: LampColour?
  /// The brightness in the driver's steps.
  var brightness = 0

  static let dark = LampLight()
}

/// A lamp as a pure function from its light to a program of line levels.
public protocol LampDriver: Sendable {
  /// The levels of all lines while the lamp is dark.
  var idleLevels: UInt32 { get }

  /// Returns the program that shows the colour.
  /// - Parameters:
  ///   - colour: nil for dark.
  ///   - brightness: one of the driver's steps, 0 the darkest.
  func program(showing colour: LampColour?, brightness: Int) -> LineProgram
}

/// A light-emitting diode on each line: one of any colour, or one for each of red, green and blue.
public struct DirectLamp: LampDriver, Hashable {
  public var lineCount: Int
  /// True if a line that is high lights its diode.
  public var activeHigh: Bool

  public var idleLevels: UInt32 { activeHigh ? 0 : allLines }

  public func program(showing colour: LampColour?, brightness: Int) -> LineProgram {
    var lit: UInt32 = 0
    if let colour {
      // Orange needs half of the green, which a line cannot give.
      let parts = lineCount == 1 ? [255] : colour.parts
      for (line, part) in parts.enumerated() where part > 0 { lit |= 1 << UInt32(line) }
    }
    return LineProgram([.set(mask: allLines, levels: idleLevels ^ lit)])
  }

  private var allLines: UInt32 { (1 << UInt32(lineCount)) - 1 }
}

/// Lamps in a row with an APA102 or SK9822 each (DotStar, Blinkt!), on data and clock as of a shift register without a
/// latch. They take any pace.
/// Source: Shiji Lighting, APA102 data sheet.
public struct APA102: LampDriver, Hashable {
  public var lamps: Int

  public var idleLevels: UInt32 { 0 }

  /// Returns a program that sets all lamps to the colour. The lamps of a row are set one after the other, each half a
  /// clock later than the one before it; the end has the clocks that the last one needs, and the 32 that an SK9822 needs.
  /// - Parameter brightness: 0 to 30, which are the chip's steps 1 to 31.
  public func program(showing colour: LampColour?, brightness: Int) -> LineProgram {
    let frame: [UInt8] = colour.map { [0xE0 | UInt8(brightness + 1)] + $0.parts.reversed() } ?? [0xE0, 0, 0, 0]
    let end = 4 + (lamps + 15) / 16
    let bytes: [UInt8] = [0, 0, 0, 0] + (0..<lamps).flatMap { _ in frame } + [UInt8](repeating: 0, count: end)
    var wire = ThreeWire()
    wire.shift(bytes)
    return wire.program
  }
}

extension BoardDescription {
  /// A lamp. All its lines are on one chip, so that they change together.
  public struct Lamp: Sendable {
    public var chip: String
    public var driver: any LampDriver
    /// The lines in the order that the driver documents.
    public var lines: [LineName]
    public var brightness: Brightness = .fixed

    public var type: LampType { driver is APA102 ? .apa102 : lines.count == 1 ? .led : .rgb }
    /// The number of lamps in a row; one for a type without rows.
    public var count: Int { (driver as? APA102)?.lamps ?? 1 }
    /// The level that lights it; nil for a type that has none.
    public var activeHigh: Bool? { (driver as? DirectLamp)?.activeHigh }
  }
}

/// The types of lamps, by their names in board files.
public enum LampType: String, CaseIterable, Sendable {
  case led, rgb, apa102

  /// The keys of its lines, in the order that its driver documents.
  public var lineKeys: [String] {
    switch self {
    case .led: ["line"]
    case .rgb: ["red", "green", "blue"]
    case .apa102: ["data", "clock"]
    }
  }
}

extension LineReader {
  /// Reads the section of the lamp.
  func lamp(_ section: MappingReader) -> BoardDescription.Lamp? {
    begin(.lamp, section)
    let type = section.optional("type", default: LampType.led) { try $0.choice() }
    guard type != .apa102 else { return apa102(section) }
    let lines = all(type.lineKeys, in: section)
    let active = section.optional("active", default: ActiveLevel.high) { try $0.choice() }
    return lines.map {
      .init(chip: chip, driver: DirectLamp(lineCount: $0.count, activeHigh: active == .high), lines: $0)
    }
  }

  private func apa102(_ section: MappingReader) -> BoardDescription.Lamp? {
    let lines = all(LampType.apa102.lineKeys, in: section)
    let lamps = section.required("lamps") { try $0.integer(in: BoardLimits.apa102Lamps) }
    let brightness = Brightness.read(
      section, in: BoardLimits.apa102Brightness, default: BoardLimits.defaultAPA102Brightness)
    guard let lines, let lamps, let brightness else { return nil }
    return .init(chip: chip, driver: APA102(lamps: lamps), lines: lines, brightness: brightness)
  }
}

extension LampColour {
  /// The light of red, green and blue.
  public var parts: [UInt8] {
    switch self {
    case .red: [255, 0, 0]
    case .orange: [255, 96, 0]
    case .yellow: [255, 200, 0]
    case .green: [0, 255, 0]
    case .cyan: [0, 255, 255]
    case .blue: [0, 0, 255]
    case .purple: [160, 0, 255]
    case .white: [255, 255, 255]
    }
  }
}
