// A whole board from its description, with every device as a model. The demo runs on it, and so do the tests.

import Board

/// What a person in front of the board sees.
public struct BoardPicture: Hashable, Sendable {
  /// Nil without a lamp.
  public var lampIsLit: Bool?
  /// Nil without a motor.
  public var motorRuns: Bool?
  /// Segments of each digit, leftmost first; nil without a display.
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

/// Simulated lines with a model of each device that a board description names.
public final class SimulatedBoard: LineBank {
  /// To unplug, and to look at edges.
  public let lines: SimulatedLines

  /// - Parameters:
  ///   - clock: the one that the panel gets.
  ///   - recordsEdges: keeps every edge in `lines.edges`.
  ///   - onPicture: called on the panel's threads at each change that a person would see; must not block for long.
  public init(
    description: BoardDescription, clock: any BoardClock = MonotonicClock(), recordsEdges: Bool = false,
    onPicture: @escaping @Sendable (BoardPicture) -> Void = { _ in }
  ) {
    lines = SimulatedLines(
      models: ModelCatalog.models(of: description), clock: clock, recordsEdges: recordsEdges
    ) { onPicture(BoardPicture(faces: $0)) }
  }

  public var picture: BoardPicture { BoardPicture(faces: lines.faces) }

  /// Of all models, first ones first.
  public var violations: [Violation] { lines.violations.sorted { $0.time < $1.time } }

  public var arrivalDirectory: String? { lines.arrivalDirectory }

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    try lines.open(request)
  }

  public func open(_ request: InputRequest) throws(LineFault) -> any InputLine {
    try lines.open(request)
  }
}
