import Board

/// A chain of 74HC595 with digits. Line 0 is data (DS), 1 the clock (SHCP), 2 the latch (STCP). Source: Nexperia,
/// 74HC595; 74HCT595 data sheet Rev. 8; if that is ambiguous, the model takes the strict reading.
public struct ShiftRegister74HC595Model: ChipModel {
  public let lines: [LineName]

  /// [Table 7, dynamic characteristics, at 2 V and −40 to +125 °C, the slowest values; at 3.3 V the chip is three times
  /// as fast] tW of SHCP and STCP 110 ns, fmax 4 MHz, tsu of DS 75 ns, th of DS 3 ns, tsu of SHCP before STCP 110 ns.
  /// The sheet does not specify a latch that is high while data is shifted; here it must be low, and long enough.
  static let timing = ThreeWireReceiver.Timing(
    shortestClockHigh: .nanoseconds(110), shortestClockLow: .nanoseconds(110), shortestCycle: .nanoseconds(250),
    dataSetUp: .nanoseconds(75), dataHold: .nanoseconds(3), latchSetUp: .nanoseconds(110),
    latchHold: .nanoseconds(110), shortestLatchHigh: .nanoseconds(110), latchRecovery: .nanoseconds(110))

  private var wire = ThreeWireReceiver(timing: ShiftRegister74HC595Model.timing)
  private var wireViolations: [Violation] = []
  private let digits: Int
  private let firstDigit: DigitEnd
  private let segmentsActiveHigh: Bool
  private let firstRegister: Multiplexed74HC595.Role
  /// The display that is soldered to two registers; nil if each register has a digit, segment a on QA.
  private var display: MultiplexedDisplayModel?
  public private(set) var face: Face

  /// Creates a chain with a register for each digit.
  public init(_ driver: Static74HC595, lines: [LineName]) {
    self.lines = lines
    digits = driver.digits
    firstDigit = driver.firstDigit
    segmentsActiveHigh = driver.segmentsActiveHigh
    firstRegister = .digits
    face = .digits([UInt8](repeating: 0, count: digits))
  }

  /// Creates a chain of two registers, one for the segments of all digits and one that selects a digit.
  public init(_ driver: Multiplexed74HC595, lines: [LineName]) {
    self.lines = lines
    digits = driver.digits
    firstDigit = driver.firstDigit
    segmentsActiveHigh = driver.segmentsActiveHigh
    firstRegister = driver.firstRegister
    let display = MultiplexedDisplayModel(
      lines: (0..<UInt32(8 + digits)).map { .offset($0) }, segmentLines: 8, segmentsActiveHigh: segmentsActiveHigh,
      digitsActiveHigh: driver.digitsActiveHigh, switchesTogether: true)
    self.display = display
    face = display.face
  }

  public var violations: [Violation] {
    (wireViolations + (display?.violations ?? [])).sorted { $0.time < $1.time }
  }

  /// The shortest lit time of a digit of a multiplexed display in the newest frame; nil for others.
  public var turn: Duration? { display?.turn }

  public mutating func look(at time: Duration) {
    display?.look(at: time)
  }

  public mutating func request(levels: UInt32, at time: Duration) {
    wire.begin(levels: levels)
  }

  public mutating func change(levels: UInt32, at time: Duration) {
    guard let bits = wire.change(levels: levels, at: time, &wireViolations) else { return }
    guard bits.count == (display == nil ? digits : 2) * 8 else {
      // The outputs now show remnants of the previous transfer.
      wireViolations.record(.wrongBitCount, at: time)
      return
    }
    // The last byte is in the first register, and its last bit is on QA.
    let registers = stride(from: bits.count - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: bits[$0..<$0 + 8].number())
    }
    guard display != nil else {
      let segments = segmentsActiveHigh ? registers : registers.map { ~$0 }
      face = .digits(firstDigit == .leftmost ? segments : segments.reversed())
      return
    }
    let isDigitsFirst = firstRegister == .digits
    drive(segments: registers[isDigitsFirst ? 1 : 0], digits: registers[isDigitsFirst ? 0 : 1], at: time)
  }

  private mutating func drive(segments: UInt8, digits chosen: UInt8, at time: Duration) {
    var levels = UInt32(segments)
    for digit in 0..<digits where chosen >> UInt8(digit) & 1 == 1 {
      levels |= 1 << UInt32(8 + (firstDigit == .leftmost ? digit : digits - 1 - digit))
    }
    display?.change(levels: levels, at: time)
    face = display?.face ?? face
  }
}

extension Static74HC595: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { ShiftRegister74HC595Model(self, lines: lines) }
}

extension Multiplexed74HC595: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { ShiftRegister74HC595Model(self, lines: lines) }
}
