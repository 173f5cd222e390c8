// Brightness is the lit part of a digit's turn: the frame keeps its length, so a dimmed display flickers no more than a
// bright one.

/// A digit's share of a frame.
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
