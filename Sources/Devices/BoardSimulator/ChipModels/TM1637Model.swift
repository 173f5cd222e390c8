// The TM1637, seen from its inputs. Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English); if that is
// ambiguous, the model takes the strict reading.

import Board

/// A TM1637 with its digits.
public typealias TM1637Model = TwoWireModel<TM1637Chip>

extension TwoWireModel<TM1637Chip> {
  /// - Parameter digits: 4, or 6 for the modules whose digits are wired 3 2 1 6 5 4.
  public init(lines: [LineName], digits: Int) {
    self.init(TM1637Chip(places: digits == 6 ? [2, 1, 0, 5, 4, 3] : Array(0..<digits)), lines: lines)
  }
}

public struct TM1637Chip: TwoWireChip {
  /// [V2.4] A cycle of 4 µs is the chip's limit for its own answers, here also for its input [interface interpretation].
  /// 400 ns for a pulse, 1 µs between edges of start, stop and clock: the longer one [timing characteristics], also until
  /// the answer, for which no time is given.
  public static let timing = TwoWireTiming(
    shortestCycle: .microseconds(4), shortestClockHigh: .microseconds(1), shortestClockLow: .microseconds(1),
    dataSetUp: .nanoseconds(100), startSetUp: .microseconds(1), startHold: .microseconds(1),
    stopSetUp: .microseconds(1), answerDelay: .microseconds(1))
  public static let isMostSignificantFirst = false

  /// The digit of each register, 0 leftmost.
  let places: [Int]

  // The chip's memory. It is random at power-up; here all segments are lit, so that a register that was never written
  // shows.
  private var registers = [UInt8](repeating: 0xFF, count: 6)
  private var isOn = false
  private var pulseWidth = 0
  private var incrementsAddress = true

  init(places: [Int]) {
    self.places = places
  }

  public var brightness: Int? { isOn ? pulseWidth : nil }

  public var segments: [UInt8] {
    places.indices.map { isOn ? registers[places.firstIndex(of: $0) ?? $0] : 0 }
  }

  /// [V2.4, data command, address command, display control]
  public mutating func take(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) -> Bool {
    let byte = bytes[bytes.count - 1]
    if bytes.count == 1 {
      takeCommand(byte, at: time, &log)
    } else if bytes[0] & 0xC0 != 0xC0 {
      log.record(.unexpectedByte, at: time)
    } else {
      let address = Int(bytes[0] & 0x0F) + (incrementsAddress ? bytes.count - 2 : 0)
      if address < registers.count {
        registers[address] = byte
      } else {
        log.record(.overlongWrite, at: time)
      }
    }
    return true
  }

  public mutating func end(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) {}

  private mutating func takeCommand(_ byte: UInt8, at time: Duration, _ log: inout [Violation]) {
    switch byte {
    case 0x40: incrementsAddress = true
    case 0x44: incrementsAddress = false
    case 0x80...0x8F:
      isOn = byte & 0x08 != 0
      pulseWidth = Int(byte & 0x07)
    case 0xC0...0xC5: break
    case 0xC6...0xFF: log.record(.addressOutOfRange, at: time)
    default: log.record(.unknownCommand, at: time)
    }
  }
}

extension TM1637: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { TwoWireModel(TM1637Chip(places: order.places), lines: lines) }
}
