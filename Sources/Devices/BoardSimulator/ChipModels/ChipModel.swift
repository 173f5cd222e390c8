import Board

/// A display driver whose chip has a model. The lines of a driver without one work and show nothing.
protocol ModelledDisplay: DisplayDriver {
  /// Returns the model, wired to these lines.
  func model(on lines: [LineName]) -> any ChipModel
}

/// A model of a device that is soldered to simulated lines. It decodes them as the real device would and knows the
/// visible state. Bits of levels are its own lines; bit 0 is the first.
public protocol ChipModel: Sendable {
  var lines: [LineName] { get }

  var face: Face { get }

  var violations: [Violation] { get }

  /// The brightness step of the digits; nil while they are dark, and for other devices.
  var brightness: Int? { get }

  /// The lines that the device itself pulls low.
  var pulledLow: UInt32 { get }

  /// Begins a request for the lines, with these first levels.
  mutating func request(levels: UInt32, at time: Duration)

  /// Handles a change of at least one line.
  mutating func change(levels: UInt32, at time: Duration)

  /// Handles a read of one of the lines.
  mutating func sample(line: Int, at time: Duration)
}

/// The visible state of a device.
public enum Face: Hashable, Sendable {
  case lamp(isLit: Bool)
  /// Red, green and blue of each lamp.
  case lights([[UInt8]])
  case motor(runs: Bool)
  case buzzer(sounds: Bool)
  /// The segments of each digit, leftmost first, as in `SegmentText.digits`.
  case digits([UInt8])
}

extension ChipModel {
  public var brightness: Int? { nil }
  public var pulledLow: UInt32 { 0 }
  public mutating func sample(line: Int, at time: Duration) {}
}

/// A device that one line switches: a light-emitting diode and its resistor, or the transistor of a motor or buzzer.
struct OnOffModel: ChipModel {
  let lines: [LineName]
  let activeHigh: Bool
  /// Returns the visible state while the device is on or off.
  let faceIfOn: @Sendable (Bool) -> Face
  private var isOn = false

  init(_ line: LineName, activeHigh: Bool, face: @escaping @Sendable (Bool) -> Face) {
    (lines, self.activeHigh, faceIfOn) = ([line], activeHigh, face)
  }

  var face: Face { faceIfOn(isOn) }
  var violations: [Violation] { [] }

  mutating func request(levels: UInt32, at time: Duration) { change(levels: levels, at: time) }

  mutating func change(levels: UInt32, at time: Duration) { isOn = (levels & 1 == 1) == activeHigh }
}

/// A broken rule of a chip or display. A model is stricter than the chip: an input that a chip would only display
/// wrongly, or that works on nine boards of ten, is recorded as one.
public struct Violation: Hashable, Sendable {
  public enum Rule: String, Hashable, Sendable {
    // Chips on clock and data
    case clockAndDataChangedTogether, dataChangedWhileClockHigh, clockTooFast, pulseTooShort, dataNotSettled
    case incompleteByte, acknowledgeNotSampled, unknownCommand, unexpectedByte, addressOutOfRange, overlongWrite
    case clockOutsideTransfer
    // Chips with data, clock and latch; some rules also apply to those
    case clockAndLatchChangedTogether, latchNotSettled, dataNotHeld, wrongBitCount
    case registerNotSet, decoderOn, wrongScanLimit, inStandby
    case answerNotSampled, answerTooSoon, dataHeldLow
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
