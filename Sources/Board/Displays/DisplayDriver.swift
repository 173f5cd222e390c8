// What every display has in common, so that the panel knows no display by name.

/// A display as a pure function from segments to a program of line levels.
public protocol DisplayDriver: Sendable {
  /// What `type` says in a board description.
  static var type: String { get }

  var digits: Int { get }

  /// Whether the program is one frame to be repeated while the display shows something; otherwise it is played once,
  /// on change.
  var isScanned: Bool { get }

  var drive: LineRequest.Drive { get }

  /// Of all lines, without light or at rest.
  var idleLevels: UInt32 { get }

  /// The program that shows the segments. With none lit it leaves the display dark and at rest.
  /// - Parameters:
  ///   - segments: as in `SegmentText.digits`; missing ones are dark.
  ///   - brightness: one of the driver's steps, 0 the darkest.
  func program(showing segments: [UInt8], brightness: Int) -> LineProgram

  /// What a sample that found the wrong level means, and what to do; nil where programs have no samples.
  /// - Parameters:
  ///   - mismatches: samples of one program that did.
  ///   - lines: in the order of the request.
  func advice(mismatches: Int, lines: [LineName]) -> String?
}

/// Of most displays.
extension DisplayDriver {
  public var isScanned: Bool { false }
  public var drive: LineRequest.Drive { .pushPull }
  public func advice(mismatches: Int, lines: [LineName]) -> String? { nil }
}
