// A bare display and the eye: digits that alternate are seen together, unless a turn is too short, too long, or shows
// segments of the neighbouring digit.

import Board

/// A display whose digits share segment lines. Its lines are the segments, a first, then the digits, leftmost first.
public struct MultiplexedDisplayModel: ChipModel {
  public let lines: [LineName]
  public private(set) var face: Face
  /// The shortest lit time of a digit in the newest frame; nil before the first.
  public private(set) var turn: Duration?

  /// The time within which all digits must have had their turn: 100 frames a second.
  public static let longestFrame: Duration = .milliseconds(10)
  /// The shortest turn: a shorter one is lost in the switching time of transistors.
  public static let shortestTurn: Duration = .microseconds(100)
  /// The shortest dark time between two digits: a saturated transistor still conducts for 2 µs.
  public static let shortestBlank: Duration = .microseconds(5)
  /// The largest ratio of the longest turn of a frame to the shortest: a digit half again as bright is noticed.
  public static let largestRatio = 1.25

  private let segmentLines: Int
  private let digitCount: Int
  private let segmentsActiveHigh: Bool
  private let digitsActiveHigh: Bool
  private let switchesTogether: Bool

  private var segments: UInt8 = 0
  private var litDigits: UInt32 = 0
  /// The time at which the lit digit was lit, or the last one went dark.
  private var litChanged: Duration?
  private var frame: [Int: (segments: UInt8, turn: Duration)] = [:]
  private var frameStart: Duration?
  public private(set) var violations: [Violation] = []

  /// - Parameter switchesTogether: true if lines that change in one set really change at once, as the outputs of
  ///   latched registers do within 50 ns. The lines of a GPIO chip may change one after the other, in any order.
  public init(
    lines: [LineName], segmentLines: Int, segmentsActiveHigh: Bool, digitsActiveHigh: Bool,
    switchesTogether: Bool = false
  ) {
    self.switchesTogether = switchesTogether
    self.lines = lines
    self.segmentLines = segmentLines
    self.digitCount = lines.count - segmentLines
    self.segmentsActiveHigh = segmentsActiveHigh
    self.digitsActiveHigh = digitsActiveHigh
    self.face = .digits([UInt8](repeating: 0, count: lines.count - segmentLines))
  }

  /// Checks the display without a change of lines: a digit that was left lit is too bright.
  public mutating func look(at time: Duration) {
    if litDigits != 0, let litChanged, time - litChanged > MultiplexedDisplayModel.longestFrame {
      violations.record(.leftLit, at: time)
    }
  }

  public mutating func request(levels: UInt32, at time: Duration) {
    (segments, litDigits) = decode(levels)
    litChanged = nil
    frame = [:]
    frameStart = nil
  }

  public mutating func change(levels: UInt32, at time: Duration) {
    let (newSegments, newLitDigits) = decode(levels)
    look(at: time)
    if newLitDigits.nonzeroBitCount > 1 { violations.record(.severalDigitsLit, at: time) }
    if newSegments != segments && (litDigits != 0 || (newLitDigits != 0 && !switchesTogether)) {
      violations.record(.segmentsChangedWhileLit, at: time)
    }
    let shownSegments = segments
    segments = newSegments
    guard newLitDigits != litDigits else { return }
    if litDigits != 0 { endTurn(of: litDigits.trailingZeroBitCount, showing: shownSegments, at: time) }
    if newLitDigits != 0 { beginTurn(at: time) }
    litDigits = newLitDigits
    litChanged = time
  }

  private mutating func beginTurn(at time: Duration) {
    let isBlankShort = litChanged.map { time - $0 < MultiplexedDisplayModel.shortestBlank } ?? false
    if litDigits != 0 || isBlankShort { violations.record(.blankTooShort, at: time) }
    if frame.isEmpty {
      if let frameStart, isShowing, time - frameStart > MultiplexedDisplayModel.longestFrame {
        violations.record(.frameTooSlow, at: time)
      }
      frameStart = time
    }
  }

  private mutating func endTurn(of digit: Int, showing segments: UInt8, at time: Duration) {
    let turn = litChanged.map { time - $0 } ?? .zero
    if turn < MultiplexedDisplayModel.shortestTurn { violations.record(.litTooShort, at: time) }
    if frame[digit] != nil {
      violations.record(.digitRepeated, at: time)
      frame = [:]
      frameStart = litChanged
    }
    frame[digit] = (segments, turn)
    if frame.count == digitCount { endFrame(at: time) }
  }

  private mutating func endFrame(at time: Duration) {
    let turns = frame.values.map(\.turn)
    if let longest = turns.max(), let shortest = turns.min(),
      longest / max(shortest, .nanoseconds(1)) > MultiplexedDisplayModel.largestRatio
    {
      violations.record(.unevenBrightness, at: time)
    }
    if let frameStart, time - frameStart > MultiplexedDisplayModel.longestFrame {
      violations.record(.frameTooSlow, at: time)
    }
    turn = turns.min()
    face = .digits((0..<digitCount).map { frame[$0]?.segments ?? 0 })
    frame = [:]
  }

  private var isShowing: Bool {
    if case .digits(let digits) = face { digits.contains { $0 != 0 } } else { false }
  }

  private func decode(_ levels: UInt32) -> (segments: UInt8, digits: UInt32) {
    let segmentMask = (UInt32(1) << UInt32(segmentLines)) - 1
    let digitMask = (UInt32(1) << UInt32(digitCount)) - 1
    let active = segmentsActiveHigh ? levels : ~levels
    let chosen = (digitsActiveHigh ? levels : ~levels) >> UInt32(segmentLines)
    return (UInt8(truncatingIfNeeded: active & segmentMask), chosen & digitMask)
  }
}

extension Multiplexed: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel {
    MultiplexedDisplayModel(
      lines: lines, segmentLines: segmentLines, segmentsActiveHigh: segmentsActiveHigh,
      digitsActiveHigh: digitsActiveHigh)
  }
}
