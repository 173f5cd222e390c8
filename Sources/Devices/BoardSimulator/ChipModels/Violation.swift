// A model is stricter than the chip: an input that a chip would only display wrongly, or that works on nine boards of
// ten, is recorded here as a broken rule.

/// A broken rule of a chip or display.
public struct Violation: Hashable, Sendable {
  public enum Rule: String, Hashable, Sendable {
    // TM1637
    case clockAndDataChangedTogether, dataChangedWhileClockHigh, clockTooFast, pulseTooShort, dataNotSettled
    case incompleteByte, acknowledgeNotSampled, unknownCommand, unexpectedByte, addressOutOfRange, overlongWrite
    case clockOutsideTransfer
    // Chips with data, clock and latch; some rules also apply to the TM1637
    case clockAndLatchChangedTogether, latchNotSettled, dataNotHeld, wrongBitCount
    case registerNotSet, decoderOn, wrongScanLimit
    // Multiplexed displays
    case severalDigitsLit, segmentsChangedWhileLit, blankTooShort, digitRepeated, litTooShort, unevenBrightness
    case frameTooSlow, leftLit
  }

  /// The number of violations that are kept for one model.
  static let limit = 100

  public var rule: Rule
  /// The time on the clock of the lines.
  public var time: Duration
}

extension [Violation] {
  /// Records a violation. A board that runs for weeks keeps the first ones of a model, which explain the others.
  mutating func record(_ rule: Violation.Rule, at time: Duration) {
    if count < Violation.limit { append(Violation(rule: rule, time: time)) }
  }
}
