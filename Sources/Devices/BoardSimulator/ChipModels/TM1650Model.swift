// The TM1650, seen from its inputs. Source: Titan Micro Electronics, TM1650 data sheet V1.10 (English); for the wire the
// slower and therefore stricter times of I²C.

import Board

/// A TM1650 with its digits.
public struct TM1650Chip: TwoWireChip {
  public static let timing = TwoWireTiming.i2c
  public static let isMostSignificantFirst = true

  /// The digit of each register, 0 leftmost.
  let places: [Int]

  /// The registers of the digits by their addresses, unknown at power-up: one that was never written is lit.
  private var registers: [UInt8: UInt8] = [:]
  private var control: UInt8 = 0

  init(places: [Int]) {
    self.places = places
  }

  private var isOn: Bool { control & 1 == 1 }

  /// [Display command: 0 is the brightest of the eight steps, 1 the darkest]
  public var brightness: Int? { isOn ? (Int(control >> 4) + 7) % 8 : nil }

  public var segments: [UInt8] {
    places.indices.map { digit in
      isOn ? registers[0x68 + 2 * UInt8(places.firstIndex(of: digit) ?? digit)] ?? 0xFF : 0
    }
  }

  public mutating func take(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) -> Bool {
    let value = bytes[bytes.count - 1]
    switch (bytes.count, bytes[0]) {
    case (1, 0x48), (1, 0x68), (1, 0x6A), (1, 0x6C), (1, 0x6E): return true
    case (1, _): log.record(.unknownCommand, at: time)
    case (2, 0x48):
      // Bit 3 leaves out the points, bits 2 and 1 must be 0.
      if value & 0b1000_1110 != 0 { log.record(.unknownCommand, at: time) }
      control = value
      return true
    case (2, 0x68), (2, 0x6A), (2, 0x6C), (2, 0x6E):
      registers[bytes[0]] = value
      return true
    case (2, _): break
    default: log.record(.overlongWrite, at: time)
    }
    // The chip does not know that address.
    return false
  }

  public mutating func end(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) {
    if bytes.count < 2 { log.record(.incompleteByte, at: time) }
    let written = places.indices.allSatisfy { registers[0x68 + 2 * UInt8($0)] != nil }
    if isOn, !written { log.record(.registerNotSet, at: time) }
  }
}

extension TM1650: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { TwoWireModel(TM1650Chip(places: order.places), lines: lines) }
}
