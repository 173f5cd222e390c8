// A bare display: all digits share the segment lines, and one digit is lit at a time. The eye sees them all where
// they take turns fast enough. Costs a thread while it shows something, and no chip.

/// Turns segments into one refresh frame of a multiplexed display. The group's lines are the segments (a first), then
/// the digits (leftmost first).
public struct Multiplexed: DisplayDriver, Hashable {
  public static let type = "multiplexed"

  /// 7, or 8 with the decimal point.
  public var segmentLines: Int
  /// 1 to 8.
  public var digits: Int
  /// Whether a segment lights when its line is high (common cathode, without driver transistors).
  public var segmentsActiveHigh: Bool
  /// Whether a digit is chosen by a high line (a transistor in between).
  public var digitsActiveHigh: Bool
  /// 100 or more.
  public var framesPerSecond: Int

  public var isScanned: Bool { true }

  public var drive: LineRequest.Drive { .pushPull }

  public var idleLevels: UInt32 {
    (segmentsActiveHigh ? 0 : segmentMask) | (digitsActiveHigh ? 0 : digitMask)
  }

  /// One frame: each digit blank, then its segments, then lit for its turn. Every digit has its turn, dark ones too,
  /// so brightness does not depend on the number shown. Without a lit segment, the frame is followed by all lines at
  /// rest.
  /// - Parameter brightness: 0 to 7, in eighths of a turn.
  public func program(showing segments: [UInt8], brightness: Int) -> LineProgram {
    let turn = DigitTurn(framesPerSecond: framesPerSecond, digits: digits, brightness: brightness)
    var program = LineProgram()
    for digit in 0..<digits {
      program.set(digitMask, idleLevels)
      program.wait(turn.darkNanoseconds)
      program.set(segmentMask, levels(segments: digit < segments.count ? segments[digit] : 0))
      program.set(digitMask, levels(digit: digit))
      program.wait(turn.litNanoseconds)
    }
    if segments.allSatisfy({ $0 == 0 }) {
      program.set(digitMask, idleLevels)
      program.set(segmentMask, idleLevels)
    }
    return program
  }

  public func advice(mismatches: Int, lines: [LineName]) -> String? { nil }

  private var segmentMask: UInt32 { (1 << UInt32(segmentLines)) - 1 }

  private var digitMask: UInt32 { ((1 << UInt32(digits)) - 1) << UInt32(segmentLines) }

  private func levels(segments: UInt8) -> UInt32 {
    let lit = UInt32(segments) & segmentMask
    return segmentsActiveHigh ? lit : ~lit & segmentMask
  }

  private func levels(digit: Int) -> UInt32 {
    let lit = UInt32(1) << UInt32(segmentLines + digit)
    return digitsActiveHigh ? lit : ~lit & digitMask
  }
}
