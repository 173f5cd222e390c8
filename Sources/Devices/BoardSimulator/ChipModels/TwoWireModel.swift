// A chip on clock and data that acknowledges each byte, seen from its inputs. The wire is common to I²C and to Titan
// Micro's protocols; what the bytes mean is the chip's.

import Board

/// The inner part of a chip on clock and data: takes bytes, and knows the visible state.
public protocol TwoWireChip: Sendable {
  static var timing: TwoWireTiming { get }
  /// True if the first bit of a byte is the most significant.
  static var isMostSignificantFirst: Bool { get }

  /// The segments of each digit, leftmost first.
  var segments: [UInt8] { get }
  /// The brightness step of the digits; nil while the display is dark.
  var brightness: Int? { get }

  /// Takes the newest byte of a transfer.
  /// - Returns: true if the chip acknowledges it.
  mutating func take(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) -> Bool

  /// Handles the end of a transfer.
  mutating func end(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation])
}

/// The requirements of a chip, from its data sheet.
public struct TwoWireTiming: Sendable {
  /// The time from one rise of the clock to the next.
  var shortestCycle: Duration
  var shortestClockHigh: Duration
  var shortestClockLow: Duration
  /// The time from a change of data to the rise of the clock.
  var dataSetUp: Duration
  /// The time with both lines high before a start.
  var startSetUp: Duration
  /// The time from the fall of data to the fall of the clock.
  var startHold: Duration
  /// The time from the rise of the clock to that of data.
  var stopSetUp: Duration
  /// The time from the eighth fall of the clock to the chip's answer.
  var answerDelay: Duration

  /// [UM10204, table 10, standard mode: tLOW, tHIGH, tSU;DAT, tBUF, tHD;STA, tSU;STO, tVD;ACK]
  static let i2c = TwoWireTiming(
    shortestCycle: .microseconds(10), shortestClockHigh: .microseconds(4), shortestClockLow: .nanoseconds(4_700),
    dataSetUp: .nanoseconds(250), startSetUp: .nanoseconds(4_700), startHold: .microseconds(4),
    stopSetUp: .microseconds(4), answerDelay: .nanoseconds(3_450))
}

/// A model of a display with such a chip. Line 0 is the clock, line 1 the data.
public struct TwoWireModel<Chip: TwoWireChip>: ChipModel {
  public let lines: [LineName]
  /// If false, the chip acknowledges nothing, as one without supply.
  public var acknowledges = true
  private(set) var chip: Chip
  /// The visible state; changes at the end of a transfer.
  public private(set) var face: Face

  private var clock = true
  private var data = true
  private var clockRose: Duration?
  private var clockFell: Duration?
  private var dataChanged: Duration?
  private var transfer: Transfer?
  public private(set) var violations: [Violation] = []

  private struct Transfer {
    var bytes: [UInt8] = []
    var shift: UInt8 = 0
    /// The rising edges since the last whole byte; the ninth is the acknowledgement's.
    var bits = 0
    var isSampled = false
    var pullsLow = false
  }

  init(_ chip: Chip, lines: [LineName]) {
    self.lines = lines
    self.chip = chip
    face = .digits(chip.segments)
  }

  public var brightness: Int? { chip.brightness }

  public var pulledLow: UInt32 { transfer?.pullsLow == true ? 0b10 : 0 }

  public mutating func request(levels: UInt32, at time: Duration) {
    clock = levels & 0b01 != 0
    data = levels & 0b10 != 0
    transfer = nil
    clockRose = nil
    clockFell = nil
    dataChanged = time
  }

  public mutating func change(levels: UInt32, at time: Duration) {
    let newClock = levels & 0b01 != 0
    let newData = levels & 0b10 != 0
    if newClock != clock && newData != data { violations.record(.clockAndDataChangedTogether, at: time) }
    if newData != data {
      data = newData
      if clock && newClock { dataChangedWhileHigh(at: time) }
      dataChanged = time
    }
    if newClock != clock {
      clock = newClock
      if clock { clockRises(at: time) } else { clockFalls(at: time) }
    }
  }

  /// An answer counts from its delay on until the clock rises: some chips (TM1650) release data then.
  public mutating func sample(line: Int, at time: Duration) {
    guard line == 1, !clock, transfer?.bits == 8, let clockFell else { return }
    if time - clockFell >= Chip.timing.answerDelay { transfer?.isSampled = true }
  }

  /// Handles starts and stops, and records other changes of data as violations.
  private mutating func dataChangedWhileHigh(at time: Duration) {
    if !data {
      if transfer != nil { violations.record(.dataChangedWhileClockHigh, at: time) }
      require(Chip.timing.startSetUp, since: clockRose, .pulseTooShort, at: time)
      require(Chip.timing.startSetUp, since: dataChanged, .pulseTooShort, at: time)
      transfer = Transfer()
      clockRose = nil
      clockFell = nil
    } else if let ended = transfer {
      require(Chip.timing.stopSetUp, since: clockRose, .pulseTooShort, at: time)
      // The clock of a stop looks like the first bit of another byte.
      if ended.bits != 1 {
        violations.record(.dataChangedWhileClockHigh, at: time)
        violations.record(.incompleteByte, at: time)
      }
      transfer = nil
      chip.end(ended.bytes, at: time, &violations)
      face = .digits(chip.segments)
    }
  }

  private mutating func clockRises(at time: Duration) {
    require(Chip.timing.shortestClockLow, since: clockFell, .pulseTooShort, at: time)
    require(Chip.timing.shortestCycle, since: clockRose, .clockTooFast, at: time)
    require(Chip.timing.dataSetUp, since: dataChanged, .dataNotSettled, at: time)
    clockRose = time
    guard transfer != nil else {
      violations.record(.clockOutsideTransfer, at: time)
      return
    }
    transfer?.bits += 1
    guard let running = transfer else { return }
    guard running.bits <= 8 else {
      if !running.isSampled { violations.record(.acknowledgeNotSampled, at: time) }
      // A driver that does not release data reads its own level as the answer.
      if !data { violations.record(.dataHeldLow, at: time) }
      transfer?.pullsLow = false
      return
    }
    let bit: UInt8 = data ? 1 : 0
    transfer?.shift = Chip.isMostSignificantFirst ? running.shift << 1 | bit : running.shift >> 1 | bit << 7
  }

  private mutating func clockFalls(at time: Duration) {
    require(Chip.timing.shortestClockHigh, since: clockRose, .pulseTooShort, at: time)
    clockFell = time
    guard let running = transfer else { return }
    switch running.bits {
    // The fall that belongs to the start: data must have been low for a while.
    case 0: require(Chip.timing.startHold, since: dataChanged, .pulseTooShort, at: time)
    case 8:
      transfer?.bytes.append(running.shift)
      let isTaken = chip.take(running.bytes + [running.shift], at: time, &violations)
      transfer?.pullsLow = isTaken && acknowledges
    case 9:
      transfer?.isSampled = false
      transfer?.bits = 0
    default: break
    }
  }

  private mutating func require(_ least: Duration, since start: Duration?, _ rule: Violation.Rule, at time: Duration) {
    if let start, time - start < least { violations.record(rule, at: time) }
  }
}
