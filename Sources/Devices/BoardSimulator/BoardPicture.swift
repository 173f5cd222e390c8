/// The visible state of a board.
public struct BoardPicture: Hashable, Sendable {
  /// True if the lamp is lit; nil without a lamp.
  public var lampIsLit: Bool?
  /// Red, green and blue of each lamp; nil if the lamp has one colour.
  public var lights: [[UInt8]]?
  /// True if the motor runs; nil without a motor.
  public var motorRuns: Bool?
  /// True if the buzzer sounds; nil without one that has a tone of its own.
  public var buzzerSounds: Bool?
  /// The segments of each digit, leftmost first; nil without a display.
  public var segments: [UInt8]?

  /// The display as text: `"  12"`, `"9.9.9.9."`; empty without a display.
  public var digits: String { segments.map(picture(of:)) ?? "" }
}

extension BoardPicture {
  init(faces: [Face]) {
    self.init()
    for face in faces {
      switch face {
      case .lamp(let isLit): lampIsLit = isLit
      case .lights(let colours):
        lights = colours
        lampIsLit = colours.contains { $0.contains { $0 > 0 } }
      case .motor(let runs): motorRuns = runs
      case .buzzer(let sounds): buzzerSounds = sounds
      case .digits(let digits): segments = digits
      }
    }
  }
}

/// Returns one character for each digit, followed by a point if the digit has one. Unknown glyphs become `?`. The table is
/// the simulator's own, so that a wrong glyph of the handset shows as a wrong picture instead of agreeing with itself.
public func picture(of segments: [UInt8]) -> String {
  // The digits 0 to 9; the bits are gfe_dcba.
  let glyphs: [UInt8] = [
    0b011_1111, 0b000_0110, 0b101_1011, 0b100_1111, 0b110_0110, 0b110_1101, 0b111_1101, 0b000_0111, 0b111_1111,
    0b110_1111,
  ]
  return segments.map { segments in
    let glyph = segments & 0x7F
    let character = glyph == 0 ? " " : glyphs.firstIndex(of: glyph).map { "\($0)" } ?? "?"
    return segments & 0x80 == 0 ? character : character + "."
  }.joined()
}

/// Returns segments as they look, in three rows of text. Each digit is three columns wide, plus one for its point.
public func drawing(of segments: [UInt8]) -> [String] {
  var rows = ["", "", ""]
  for segments in segments {
    func mark(_ bit: UInt8, _ mark: String) -> String { segments >> bit & 1 == 1 ? mark : " " }
    rows[0] += " " + mark(0, "_") + "  "
    rows[1] += mark(5, "|") + mark(6, "_") + mark(1, "|") + " "
    rows[2] += mark(4, "|") + mark(3, "_") + mark(2, "|") + mark(7, ".")
  }
  return rows
}
