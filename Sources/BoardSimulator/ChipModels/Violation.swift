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

  public var rule: Rule
  /// On the clock of the lines.
  public var time: Duration

  public init(_ rule: Rule, at time: Duration) {
    self.rule = rule
    self.time = time
  }
}

/// The violations of one model. A board that runs for weeks keeps the first ones, which explain the others.
struct ViolationLog: Sendable {
  static let limit = 100

  private(set) var violations: [Violation] = []

  mutating func record(_ rule: Violation.Rule, at time: Duration) {
    if violations.count < ViolationLog.limit { violations.append(Violation(rule, at: time)) }
  }
}
