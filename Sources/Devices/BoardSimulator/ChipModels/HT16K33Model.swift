// Backpacks with an HT16K33 on one I²C bus, seen from their inputs. Sources: Holtek, HT16K33 data sheet Rev. 1.10;
// Adafruit, the schematics of the LED backpacks with 7 and 14 segments; NXP, UM10204 for the wire.

import Board

/// The backpacks on one bus: each byte is taken by the one whose address began the transfer.
public struct HT16K33Chips: TwoWireChip {
  public static let timing = TwoWireTiming.i2c
  public static let isMostSignificantFirst = true

  private let driver: HT16K33
  /// The chips, leftmost first.
  private var chips: [Chip]

  /// The memory and settings of one chip, at power-up in standby and dark. [Power-on reset]
  private struct Chip {
    // The memory is random at power-up; here every output is lit, so that a byte that was never written shows.
    var memory = [UInt8](repeating: 0xFF, count: 16)
    var isOscillating = false
    var isOn = false
    /// Nil until it is set: a chip that lost its supply has another than the rest.
    var dimming: Int?

    var isLit: Bool { isOscillating && isOn }

    /// Takes a command. In standby, as after power-up, the chip has no clock: it takes only the command that starts it.
    /// Those that no driver should send count as unknown, also where the chip ignores a bit. [Command summary, power-on
    /// reset]
    mutating func take(_ command: UInt8, at time: Duration, _ log: inout [Violation]) {
      switch command {
      case 0x20, 0x21: isOscillating = command & 1 == 1
      case _ where !isOscillating: log.record(.inStandby, at: time)
      case 0x00...0x0F: break
      // Bits 2 and 1 make the display blink, which the daemon does itself on every display.
      case 0x80, 0x81: isOn = command & 1 == 1
      // The pin ROW15 drives a row.
      case 0xA0: break
      case 0xE0...0xEF: dimming = Int(command & 0x0F)
      default: log.record(.unknownCommand, at: time)
      }
    }
  }

  init(_ driver: HT16K33) {
    self.driver = driver
    chips = driver.addresses.map { _ in Chip() }
  }

  /// The step that all lit chips have.
  public var brightness: Int? { chips.contains(where: \.isLit) ? chips.compactMap(\.dimming).max() : nil }

  public var segments: [UInt8] {
    chips.flatMap { chip in (0..<4).map { chip.isLit ? segments(of: chip.memory, digit: $0) : 0 } }
  }

  /// Returns what a digit looks like. Outputs that a digit with seven segments does not have are in `end`.
  private func segments(of memory: [UInt8], digit: Int) -> UInt8 {
    guard driver.backpack == .fourteenSegments else { return memory[digit < 2 ? 2 * digit : 2 * digit + 2] }
    let low = memory[2 * digit]
    return low & 0x3F | (low & 0xC0 == 0xC0 ? 0x40 : 0) | (memory[2 * digit + 1] & 0x40) << 1
  }

  public mutating func take(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) -> Bool {
    // The last bit of the address is 1 to read.
    guard bytes[0] & 1 == 0, let place = driver.addresses.firstIndex(of: bytes[0] >> 1) else { return false }
    let byte = bytes[bytes.count - 1]
    switch bytes.count {
    case 1: break
    case 2: chips[place].take(byte, at: time, &log)
    default:
      let address = Int(bytes[1]) + bytes.count - 3
      if bytes[1] > 0x0F {
        log.record(.unexpectedByte, at: time)
      } else if address > 0x0F {
        // The chip begins again at 0, which no driver means.
        log.record(.overlongWrite, at: time)
      } else if chips[place].isOscillating {
        chips[place].memory[address] = byte
      }
    }
    return true
  }

  public mutating func end(_ bytes: [UInt8], at time: Duration, _ log: inout [Violation]) {
    if bytes.count < 2 { log.record(.incompleteByte, at: time) }
    for chip in chips where chip.isOn {
      if chip.dimming == nil { log.record(.registerNotSet, at: time) }
      if chip.memory != HT16K33Chips.known(chip.memory, driver.backpack) { log.record(.unexpectedByte, at: time) }
    }
  }

  /// Returns the memory without the outputs that show no digit: a colon, diagonals, half of a middle bar.
  private static func known(_ memory: [UInt8], _ backpack: HT16K33.Backpack) -> [UInt8] {
    memory.enumerated().map { address, byte in
      switch backpack {
      case .sevenSegments: [0, 2, 6, 8].contains(address) ? byte : 0
      case .fourteenSegments:
        if address > 7 { 0 } else if address % 2 == 1 { byte & 0x40 } else { byte & 0xC0 == 0xC0 ? byte : byte & 0x3F }
      }
    }
  }
}

extension HT16K33: ModelledDisplay {
  func model(on lines: [LineName]) -> any ChipModel { TwoWireModel(HT16K33Chips(self), lines: lines) }
}
