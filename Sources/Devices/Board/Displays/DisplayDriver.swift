import StrictYAML

/// A display as a pure function from segments to a program of line levels.
public protocol DisplayDriver: Sendable {
  /// The value of `type` in a board description.
  static var type: String { get }

  var digits: Int { get }

  /// The digit of each register, if the display's file can give it; nil for other drivers.
  var digitOrder: DigitOrder? { get }

  /// True if the program is one frame to be repeated while the display shows something; otherwise it is played once, on
  /// change.
  var isScanned: Bool { get }

  var drive: LineRequest.Drive { get }

  /// The levels of all lines while the display is dark or at rest.
  var idleLevels: UInt32 { get }

  /// Returns the program that shows the segments. If none is lit, it leaves the display dark and at rest.
  /// - Parameters:
  ///   - segments: as in `SegmentText.digits`; missing ones are dark.
  ///   - brightness: one of the driver's steps, 0 the darkest.
  func program(showing segments: [UInt8], brightness: Int) -> LineProgram

  /// Returns the meaning of wrong samples and the remedy; nil if programs have no samples.
  /// - Parameters:
  ///   - missed: the numbers of the samples of one program that found the wrong level.
  ///   - lines: in the order of the request.
  func advice(missed: [Int], lines: [LineName]) -> String?
}

extension DisplayDriver {
  public var digitOrder: DigitOrder? { nil }
  public var isScanned: Bool { false }
  public var drive: LineRequest.Drive { .pushPull }
  public func advice(missed: [Int], lines: [LineName]) -> String? { nil }
}

/// One end of a display: modules count their digits from either, and most do not document which.
public enum DigitEnd: String, Hashable, Sendable, CaseIterable {
  case leftmost, rightmost

  /// Returns the segments of each digit in the order in which a chip counts them, its first digit being at this end.
  /// - Parameter segments: leftmost first; missing ones are dark.
  func counted(_ segments: [UInt8], digits: Int) -> [UInt8] {
    let whole = (0..<digits).map { $0 < segments.count ? segments[$0] : 0 }
    return self == .leftmost ? whole : whole.reversed()
  }
}

/// Two brightness levels in the driver's own steps, 0 being the darkest. The handset decides when night is; the night
/// level depends on the display and its surroundings, so it is in the board file.
public struct Brightness: Hashable, Sendable {
  public var day: Int
  /// The level during the handset's night hours (rule B5).
  public var night: Int

  /// The brightness of a display that has only one.
  static let fixed = Brightness(day: 0, night: 0)

  func level(isDimmed: Bool) -> Int { isDimmed ? night : day }

  /// Reads `brightness: 5`, which uses the darkest step at night, or `brightness: { day: 5, night: 1 }`.
  /// - Returns: nil if the value is wrong, which is reported.
  static func read(_ section: MappingReader, in steps: ClosedRange<Int>, default day: Int) -> Brightness? {
    guard let node = section.node("brightness") else { return Brightness(day: day, night: steps.lowerBound) }
    guard case .mapping = node.content else {
      return section.decode(node) { Brightness(day: try $0.integer(in: steps), night: steps.lowerBound) }
    }
    return section.mapping(node) { levels in
      let day = levels.required("day") { try $0.integer(in: steps) }
      let night = levels.required("night") { try $0.integer(in: steps) }
      guard let day, let night else { return nil }
      return Brightness(day: day, night: night)
    }
  }
}
