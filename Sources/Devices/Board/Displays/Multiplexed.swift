// A bare display: all digits share the segment lines, and one digit is lit at a time. To the eye all are lit if they
// alternate fast enough. It needs a thread while it shows something, and no chip.

import StrictYAML

/// A driver that turns segments into one refresh frame of a multiplexed display. The group's lines are the segments (a
/// first), then the digits (leftmost first).
public struct Multiplexed: DisplayDriver, Hashable {
  public static let type = "multiplexed"

  /// The number of segment lines: 7, or 8 with the decimal point.
  public var segmentLines: Int
  public var digits: Int
  /// True if a segment lights when its line is high (common cathode, without driver transistors).
  public var segmentsActiveHigh: Bool
  /// True if a high line selects a digit (a transistor in between).
  public var digitsActiveHigh: Bool
  /// The frame rate, 100 or more.
  public var framesPerSecond: Int

  public var isScanned: Bool { true }

  public var idleLevels: UInt32 {
    (segmentsActiveHigh ? 0 : segmentMask) | (digitsActiveHigh ? 0 : digitMask)
  }

  /// Returns one frame: for each digit a blank, then its segments, then its lit turn. Dark digits have their turn too,
  /// so brightness does not depend on the number shown. Without a lit segment, the frame is followed by all lines at
  /// rest.
  /// - Parameter brightness: 0 to 7, in eighths of a turn.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let turn = DigitTurn(framesPerSecond: framesPerSecond, digits: digits, brightness: brightness)
    var program = LineProgram()
    for digit in 0..<digits {
      program.set(digitMask, idleLevels)
      program.wait(turn.darkNanoseconds)
      // A lit line has the other level than at rest.
      program.set(segmentMask, idleLevels ^ UInt32(digit < segments.count ? segments[digit] : 0))
      program.set(digitMask, idleLevels ^ 1 << UInt32(segmentLines + digit))
      program.wait(turn.litNanoseconds)
    }
    if segments.allSatisfy({ $0 == 0 }) {
      program.set(digitMask, idleLevels)
      program.set(segmentMask, idleLevels)
    }
    return program
  }

  private var segmentMask: UInt32 { (1 << UInt32(segmentLines)) - 1 }

  private var digitMask: UInt32 { ((1 << UInt32(digits)) - 1) << UInt32(segmentLines) }

  /// The segments a to g.
  static let segmentsWithoutPoint = 7

  static func read(_ section: MappingReader, _ lines: LineReader) -> BoardDescription.Display? {
    let segments = section.list("segments", count: segmentsWithoutPoint...segmentsWithoutPoint + 1, lines.line)
    let digits = section.list("digits", count: BoardLimits.multiplexedDigits, lines.line)
    let segmentsActive: ActiveLevel? = section.required("segments-active") { try $0.choice() }
    let digitsActive: ActiveLevel? = section.required("digits-active") { try $0.choice() }
    let framesPerSecond = section.optional("frames-per-second", default: BoardLimits.defaultFramesPerSecond) {
      try $0.integer(in: BoardLimits.framesPerSecond)
    }
    let hasPointLine = segments.map { $0.count > segmentsWithoutPoint }
    let points = section.optional("decimal-points") { node throws(Diagnostic) in
      let points = try node.boolean()
      if points, hasPointLine == false {
        throw node.diagnostic(
          "is true, but 'segments' names \(segmentsWithoutPoint) lines: add the line of the decimal points as the eighth, "
            + "or write false")
      }
      return points
    }
    let brightness = Brightness.read(
      section, in: BoardLimits.scannedBrightness, default: BoardLimits.scannedBrightness.upperBound)
    guard let segments, let digits, let segmentsActive, let digitsActive, let hasPointLine, let brightness else {
      return nil
    }
    return BoardDescription.Display(
      chip: lines.chip,
      driver: Multiplexed(
        segmentLines: segments.count, digits: digits.count, segmentsActiveHigh: segmentsActive == .high,
        digitsActiveHigh: digitsActive == .high, framesPerSecond: framesPerSecond),
      lines: segments + digits, hasDecimalPoints: points ?? hasPointLine, brightness: brightness)
  }
}

/// A digit's share of a frame. Brightness is the lit part of a turn: the frame keeps its length, so a dimmed display
/// flickers no more than a bright one.
struct DigitTurn: Hashable, Sendable {
  var litNanoseconds: UInt32
  /// The dark time before the next digit's turn.
  var darkNanoseconds: UInt32

  /// The shortest dark time between two digits. A small transistor that was saturated takes up to 2 µs to switch off,
  /// several times that with the resistors of a breadboard; if it still conducts when the segments change, a ghost of
  /// the previous digit shows.
  static let blankNanoseconds: UInt32 = 20_000

  /// The shortest lit time: a shorter turn is lost in the switching time of transistors. The darkest steps of a fast
  /// display may therefore look the same.
  static let shortestLitNanoseconds: UInt32 = 100_000

  /// - Parameter brightness: 0 to 7, in eighths of the turn without its blank.
  init(framesPerSecond: Int, digits: Int, brightness: Int) {
    let whole = UInt32(1_000_000_000 / framesPerSecond / digits)
    let steps = UInt32(BoardLimits.scannedBrightness.count)
    let share = (whole - DigitTurn.blankNanoseconds) / steps * UInt32(brightness + 1)
    // All steps but the brightest may lose a few nanoseconds to the division.
    let isBrightest = brightness == BoardLimits.scannedBrightness.upperBound
    litNanoseconds = isBrightest ? whole - DigitTurn.blankNanoseconds : max(share, DigitTurn.shortestLitNanoseconds)
    darkNanoseconds = whole - litNanoseconds
  }
}
