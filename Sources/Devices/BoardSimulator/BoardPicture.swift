/// The visible state of a board.
public struct BoardPicture: Hashable, Sendable {
  /// True if the lamp is lit; nil without a lamp.
  public var lampIsLit: Bool?
  /// True if the motor runs; nil without a motor.
  public var motorRuns: Bool?
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
      case .motor(let runs): motorRuns = runs
      case .digits(let digits): segments = digits
      }
    }
  }
}
