// A model is stricter than silicon: what a chip would only mis-show, or show right on nine boards of ten, is recorded
// here as a broken rule.

/// A rule of a chip or display that the wire broke.
public struct Violation: Hashable, Sendable {
  public enum Rule: String, Hashable, Sendable {
    // TM1637
    case clockAndDataChangedTogether, dataChangedWhileClockHigh, clockTooFast, pulseTooShort, dataNotSettled
    case incompleteByte, acknowledgeNotSampled, unknownCommand, unexpectedByte, addressOutOfRange, overlongWrite
    case clockOutsideTransfer
    // Chips behind data, clock and latch; some are the TM1637's as well
    case clockAndLatchChangedTogether, latchNotSettled, dataNotHeld, wrongBitCount
    case registerNotSet, decoderOn, wrongScanLimit
    // Multiplexed displays
    case severalDigitsLit, segmentsChangedWhileLit, blankTooShort, digitRepeated, litTooShort, unevenBrightness
    case frameTooSlow, leftLit
  }

  /// Those of one model that are kept.
  static let limit = 100

  public var rule: Rule
  /// On the clock of the lines.
  public var time: Duration
}

extension [Violation] {
  /// A board that runs for weeks keeps the first ones of a model, which explain the others.
  mutating func record(_ rule: Violation.Rule, at time: Duration) {
    if count < Violation.limit { append(Violation(rule: rule, time: time)) }
  }
}
