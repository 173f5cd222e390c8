// The TM1637, seen from its inputs. Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English); if that is
// ambiguous, the model takes the strict reading.

import Board

/// A TM1637 with its digits. Line 0 is the clock, line 1 the data.
public struct TM1637Model: ChipModel {
  public let lines: [LineName]
  /// If false, the chip acknowledges nothing, as one without supply.
  public var acknowledges = true

  /// [V2.4, interface interpretation] The chip's limit for its own answers; here also for its input.
  public static let shortestCycle: Duration = .microseconds(4)
  /// [V2.4, timing characteristics] 400 ns for a pulse, 1 µs between edges of start, stop and clock: the longer one.
  public static let shortestPulse: Duration = .microseconds(1)
  /// The time for which data must be settled before the clock rises. [V2.4, timing characteristics]
  public static let shortestSetUp: Duration = .nanoseconds(100)

  private let wiring: [Int]

  // The chip's memory. It is random at power-up; here all segments are lit, so that a register that was never written
  // shows.
  private var registers = [UInt8](repeating: 0xFF, count: 6)
  private var isOn = false
  private var pulseWidth = 0
  private var incrementsAddress = true
  /// The visible state; changes at the end of a transfer.
  public private(set) var face: Face

  private var clock = true
  private var data = true
  private var clockChanged: Duration?
  private var clockRose: Duration?
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

  /// - Parameter digits: 4, or 6 for the modules whose digits are wired 3 2 1 6 5 4.
  public init(lines: [LineName], digits: Int) {
    self.lines = lines
    wiring = digits == 6 ? [2, 1, 0, 5, 4, 3] : Array(0..<digits)
    face = .digits([UInt8](repeating: 0, count: digits))
  }

  /// The brightness step of the digits, 0 to 7; nil while the display is dark.
  public var brightness: Int? { isOn ? pulseWidth : nil }

  public var pulledLow: UInt32 { transfer?.pullsLow == true ? 0b10 : 0 }

  public mutating func request(levels: UInt32, at time: Duration) {
    clock = levels & 0b01 != 0
    data = levels & 0b10 != 0
    transfer = nil
    clockChanged = time
    dataChanged = time
    clockRose = nil
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
      clockChanged = time
    }
  }

  public mutating func sample(line: Int, at time: Duration) {
    if line == 1, clock, transfer?.bits == 9 { transfer?.isSampled = true }
  }

  /// Handles starts and stops, and records other changes of data as violations.
  private mutating func dataChangedWhileHigh(at time: Duration) {
    requirePulse(since: clockChanged, at: time)
    if !data {
      if transfer != nil { violations.record(.dataChangedWhileClockHigh, at: time) }
      requirePulse(since: dataChanged, at: time)
      transfer = Transfer()
      clockRose = nil
    } else if let ended = transfer {
      // The clock of a stop looks like the first bit of another byte.
      if ended.bits != 1 {
        violations.record(.dataChangedWhileClockHigh, at: time)
        violations.record(.incompleteByte, at: time)
      }
      transfer = nil
      face = .digits(wiring.indices.map { isOn ? registers[wiring.firstIndex(of: $0) ?? $0] : 0 })
    }
  }

  private mutating func clockRises(at time: Duration) {
    requirePulse(since: clockChanged, at: time)
    if let clockRose, time - clockRose < TM1637Model.shortestCycle { violations.record(.clockTooFast, at: time) }
    if let dataChanged, time - dataChanged < TM1637Model.shortestSetUp { violations.record(.dataNotSettled, at: time) }
    clockRose = time
    guard var running = transfer else {
      violations.record(.clockOutsideTransfer, at: time)
      return
    }
    running.bits += 1
    if running.bits <= 8 { running.shift = running.shift >> 1 | (data ? 0x80 : 0) }
    transfer = running
  }

  private mutating func clockFalls(at time: Duration) {
    requirePulse(since: clockChanged, at: time)
    guard var running = transfer else { return }
    // The fall that belongs to the start: data must have been low for a while.
    if running.bits == 0 { requirePulse(since: dataChanged, at: time) }
    if running.bits == 8 { running.pullsLow = acknowledges }
    if running.bits == 9 {
      if !running.isSampled { violations.record(.acknowledgeNotSampled, at: time) }
      running.pullsLow = false
      running.isSampled = false
      running.bits = 0
      running.bytes.append(running.shift)
    }
    transfer = running
    if running.bits == 0, !running.bytes.isEmpty { take(running.bytes, at: time) }
  }

  private mutating func requirePulse(since start: Duration?, at time: Duration) {
    if let start, time - start < TM1637Model.shortestPulse { violations.record(.pulseTooShort, at: time) }
  }

  /// Takes the newest byte of a transfer. [V2.4, data command, address command, display control]
  private mutating func take(_ bytes: [UInt8], at time: Duration) {
    let byte = bytes[bytes.count - 1]
    guard bytes.count > 1 else {
      takeCommand(byte, at: time)
      return
    }
    guard bytes[0] & 0xC0 == 0xC0 else {
      violations.record(.unexpectedByte, at: time)
      return
    }
    let address = Int(bytes[0] & 0x0F) + (incrementsAddress ? bytes.count - 2 : 0)
    if address < registers.count {
      registers[address] = byte
    } else {
      violations.record(.overlongWrite, at: time)
    }
  }

  private mutating func takeCommand(_ byte: UInt8, at time: Duration) {
    switch byte {
    case 0x40: incrementsAddress = true
    case 0x44: incrementsAddress = false
    case 0x80...0x8F:
      isOn = byte & 0x08 != 0
      pulseWidth = Int(byte & 0x07)
    case 0xC0...0xC5: break
    case 0xC6...0xFF: violations.record(.addressOutOfRange, at: time)
    default: violations.record(.unknownCommand, at: time)
    }
  }
}

extension TM1637: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { TM1637Model(lines: lines, digits: digits) }
}
