// The TM1638 on a board with eight digits and keys, seen from its inputs. Source: Titan Micro Electronics, TM1638 data
// sheet V1.3 (English); if that is ambiguous, the model takes the strict reading.

import Board

/// A TM1638 with its digits and keys. Line 0 is data (DIO), 1 the clock (CLK), 2 strobe (STB).
public struct TM1638Model: ChipModel {
  public let lines: [LineName]
  /// If false, the chip answers nothing, as one without supply.
  public var answers = true
  /// The keys that are held down, from 1 on.
  public var keys: Set<Int> = []

  /// [Timing characteristics] 400 ns for a pulse of the clock, 1 µs for one of strobe and from the clock to it, 100 ns
  /// before and after the clock. The clock is at most 1 MHz.
  static let timing = ThreeWireReceiver.Timing(
    shortestClockHigh: .nanoseconds(400), shortestClockLow: .nanoseconds(400), shortestCycle: .microseconds(1),
    dataSetUp: .nanoseconds(100), dataHold: .nanoseconds(100), latchSetUp: .nanoseconds(400),
    latchHold: .microseconds(1), shortestLatchHigh: .microseconds(1), latchRecovery: .microseconds(1))
  /// The pause between the command to read keys and the first clock of the answer.
  public static let answerPause: Duration = .microseconds(2)
  /// The time from the fall of the clock to the chip's bit: 300 ns for the chip, and the rest for the resistor that raises
  /// the line.
  static let answerDelay: Duration = .microseconds(1)

  private static let readKeys: UInt8 = 0x42

  /// The digit of each register, 0 leftmost.
  private let places: [Int]
  private var wire = ThreeWireReceiver(timing: TM1638Model.timing)
  private var levels: UInt32 = 0b111
  private var clockRose: Duration = .zero
  private var clockFell: Duration = .zero
  /// The bit of the answer on data; nil outside of one.
  private var answered: Int?
  private var isSampled = false
  public private(set) var violations: [Violation] = []

  // The memory is random at power-up; here everything is lit, so that a byte that was never written shows.
  private var memory = [UInt8](repeating: 0xFF, count: 16)
  private var isOn = false
  private var pulseWidth = 0
  /// The mode of the last data command, which decides where bytes behind an address go; nil at power-up, and after the
  /// command to read keys.
  private var writing: Writing?
  private var written: Set<Int> = []

  private enum Writing {
    case withIncrement, toOneAddress
  }

  public private(set) var face: Face

  init(places: [Int], lines: [LineName]) {
    self.lines = lines
    self.places = places
    face = .digits([UInt8](repeating: 0, count: places.count))
  }

  public var brightness: Int? { isOn ? pulseWidth : nil }

  /// The lit lamps, from 1 on.
  public var lamps: Set<Int> { isOn ? Set((1...8).filter { memory[2 * $0 - 1] & 0b11 != 0 }) : [] }

  public var pulledLow: UInt32 {
    guard let answered, answers else { return 0 }
    // Four bytes: keys 1 to 4 in bit 0, 5 to 8 in bit 4.
    let isDown = answered % 4 == 0 && keys.contains(answered / 8 + answered % 8 + 1)
    return isDown ? 0 : 0b001
  }

  public mutating func request(levels: UInt32, at time: Duration) {
    wire.begin(levels: levels)
    self.levels = levels
    answered = nil
  }

  public mutating func sample(line: Int, at time: Duration) {
    guard line == 0, answered != nil else { return }
    isSampled = true
    if time - clockFell < TM1638Model.answerDelay { violations.record(.dataNotSettled, at: time) }
  }

  public mutating func change(levels newLevels: UInt32, at time: Duration) {
    let changed = levels ^ newLevels
    levels = newLevels
    let bits = wire.change(levels: newLevels, at: time, &violations)
    let transfer = bits ?? wire.bits
    if changed & 0b010 != 0 { clockChanged(transfer, at: time) }
    if transfer.count >= 8, TM1638Model.byte(transfer, 0) == TM1638Model.readKeys, newLevels & 0b001 == 0,
      transfer.count > 8 || answered != nil
    {
      violations.record(.dataHeldLow, at: time)
    }
    guard let bits else { return }
    answered = nil
    take(bits, at: time)
    face = .digits(places.indices.map { isOn ? memory[2 * (places.firstIndex(of: $0) ?? $0)] : 0 })
  }

  /// Puts the next bit of the answer on data when the clock falls.
  private mutating func clockChanged(_ transfer: [Bool], at time: Duration) {
    let isHigh = levels & 0b010 != 0
    if isHigh {
      clockRose = time
      if answered != nil, !isSampled { violations.record(.answerNotSampled, at: time) }
      return
    }
    clockFell = time
    guard transfer.count >= 8, transfer.count < 40, TM1638Model.byte(transfer, 0) == TM1638Model.readKeys else {
      answered = nil
      return
    }
    if transfer.count == 8, time - clockRose < TM1638Model.answerPause { violations.record(.answerTooSoon, at: time) }
    answered = transfer.count - 8
    isSampled = false
  }

  /// Returns a byte, whose least significant bit came first.
  private static func byte(_ bits: [Bool], _ place: Int) -> UInt8 {
    bits[place * 8..<place * 8 + 8].reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  /// Takes a transfer at its end. [V1.3, data command, address command, display control]
  private mutating func take(_ bits: [Bool], at time: Duration) {
    guard bits.count % 8 == 0, !bits.isEmpty else {
      violations.record(.wrongBitCount, at: time)
      return
    }
    let bytes = (0..<bits.count / 8).map { TM1638Model.byte(bits, $0) }
    switch bytes[0] {
    case 0x40 where bytes.count == 1: writing = .withIncrement
    case 0x44 where bytes.count == 1: writing = .toOneAddress
    case TM1638Model.readKeys:
      writing = nil
      if bytes.count != 5 { violations.record(.wrongBitCount, at: time) }
    case 0x80...0x8F where bytes.count == 1:
      isOn = bytes[0] & 0x08 != 0
      pulseWidth = Int(bytes[0] & 0x07)
      if isOn, written.count < memory.count { violations.record(.registerNotSet, at: time) }
    case 0xC0...0xCF: write(Array(bytes.dropFirst()), from: Int(bytes[0] & 0x0F), at: time)
    case 0x40, 0x44, 0x80...0x8F: violations.record(.unexpectedByte, at: time)
    default: violations.record(.unknownCommand, at: time)
    }
  }

  private mutating func write(_ bytes: [UInt8], from first: Int, at time: Duration) {
    guard let writing else {
      violations.record(.registerNotSet, at: time)
      return
    }
    // Without the increment an address belongs to each byte.
    if writing == .toOneAddress, bytes.count > 1 { violations.record(.unexpectedByte, at: time) }
    for (place, byte) in bytes.enumerated() {
      let address = first + (writing == .withIncrement ? place : 0)
      guard address < memory.count else {
        violations.record(.overlongWrite, at: time)
        return
      }
      // The second byte of a digit has two outputs; the others do not exist and are to be 0.
      if address % 2 == 1, byte & 0b1111_1100 != 0 { violations.record(.unexpectedByte, at: time) }
      memory[address] = byte
      written.insert(address)
    }
  }
}

extension TM1638: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { TM1638Model(places: order.places, lines: lines) }
}
