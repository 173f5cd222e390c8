// How long a digit of a scanned display is lit. Brightness is the lit part of a digit's turn: a frame keeps its length,
// so a dimmed display flickers no more than a bright one.

/// A digit's share of a frame.
struct DigitTurn: Hashable, Sendable {
  var litNanoseconds: UInt32
  /// Before the next digit's turn.
  var darkNanoseconds: UInt32

  /// Dark between two digits at least. A small transistor that was saturated takes up to 2 µs to let go, with the
  /// resistors of a breadboard several times that; what still conducts when the segments change is a ghost of the digit
  /// before.
  static let blankNanoseconds: UInt32 = 20_000

  /// Lit at least: a shorter turn is lost in the time that transistors take. The darkest steps of a fast display may
  /// look the same for it.
  static let shortestLitNanoseconds: UInt32 = 100_000

  /// - Parameter brightness: 0 to 7, in eighths of what is not blank.
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
