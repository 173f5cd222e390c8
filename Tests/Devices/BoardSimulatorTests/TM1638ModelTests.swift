// Each rule of the model is broken once, by a program that a careless driver might have produced.

import Board
import Testing

@testable import BoardSimulator

@Suite struct TM1638ModelTests {
  /// A wire at the pace of a correct driver, on which every mistake can be made.
  private struct Wire {
    var model = TM1638Model(places: [0, 1, 2, 3], lines: [.label("DIO"), .label("CLK"), .label("STB")])
    var now = Duration.zero
    var levels: UInt32 = 0b111
    var pace = Duration.microseconds(2)

    init() { model.request(levels: levels, at: .zero) }

    mutating func set(_ line: UInt32, _ level: Bool) {
      now += pace
      levels = level ? levels | line : levels & ~line
      model.change(levels: levels, at: now)
    }

    mutating func shift(_ byte: UInt8) {
      for bit in 0..<8 {
        set(2, false)
        set(1, byte >> UInt8(bit) & 1 == 1)
        set(2, true)
      }
    }

    mutating func transfer(_ bytes: [UInt8]) {
      set(4, false)
      for byte in bytes { shift(byte) }
      set(1, true)
      set(4, true)
    }

    /// - Returns: the four bytes of the keys.
    mutating func readKeys(samples: Bool = true, pause: Duration = .zero, settling: Duration? = nil) -> [UInt8] {
      set(4, false)
      shift(0x42)
      set(1, true)
      now += pause
      let bytes = (0..<4).map { _ in
        (0..<8).reduce(UInt8(0)) { byte, bit in
          set(2, false)
          if samples { model.sample(line: 0, at: now + (settling ?? pace)) }
          let level = levels & ~model.pulledLow & 1
          set(2, true)
          return byte | UInt8(level) << UInt8(bit)
        }
      }
      set(4, true)
      return bytes
    }

    var rules: [Violation.Rule] { model.violations.map(\.rule) }
  }

  @Test func goodDriverBreaksNothing() {
    var wire = Wire()
    wire.transfer([0x40])
    wire.transfer([0xC0, 0x06, 0x01, 0x5B, 0, 0x4F, 0, 0x66, 0x02, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(wire.model.face == .digits([0, 0, 0, 0]))
    wire.transfer([0x8C])
    #expect(wire.model.face == .digits([0x06, 0x5B, 0x4F, 0x66]))
    #expect(wire.model.lamps == [1, 4])
    #expect(wire.model.brightness == 4)
    wire.transfer([0x80])
    #expect(wire.model.lamps == [])
    #expect(wire.rules == [])
  }

  @Test("Keys 1 to 4 are in bit 0 of the four bytes, 5 to 8 in bit 4")
  func keys() {
    var wire = Wire()
    #expect(wire.readKeys() == [0, 0, 0, 0])
    wire.model.keys = [1, 4, 6, 8]
    #expect(wire.readKeys() == [0x01, 0x10, 0, 0x11])
    wire.model.answers = false
    #expect(wire.readKeys() == [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(wire.rules == [])
  }

  @Test("Each rule of an answer, broken once")
  func answers() {
    var unread = Wire()
    _ = unread.readKeys(samples: false)
    #expect(unread.rules == Array(repeating: .answerNotSampled, count: 32))
    var soon = Wire()
    soon.pace = .nanoseconds(999)
    _ = soon.readKeys()
    #expect(soon.rules.contains(.answerTooSoon))
    var later = Wire()
    later.pace = .microseconds(1)
    _ = later.readKeys()
    #expect(later.rules == [])
    var unsettled = Wire()
    _ = unsettled.readKeys(settling: .nanoseconds(999))
    #expect(unsettled.rules == Array(repeating: .dataNotSettled, count: 32))
    var held = Wire()
    held.transfer([0x42, 0, 0, 0, 0])
    #expect(held.rules.contains(.dataHeldLow))
    var short = Wire()
    short.transfer([0x42])
    #expect(short.rules == [.wrongBitCount])
  }

  @Test(
    arguments: [
      ([0x41], .unknownCommand), ([0x40, 0], .unexpectedByte), ([0x88, 0], .unexpectedByte), ([], .wrongBitCount),
    ] as [([UInt8], Violation.Rule)])
  func bytesThatTheChipDoesNotKnow(bytes: [UInt8], rule: Violation.Rule) {
    var wire = Wire()
    wire.transfer(bytes)
    #expect(wire.rules == [rule])
  }

  @Test("Sixteen bytes are written, not seventeen; one address without the command to count")
  func memory() {
    var wire = Wire()
    wire.transfer([0x40])
    wire.transfer([0xC0] + [UInt8](repeating: 0, count: 17))
    #expect(wire.rules == [.overlongWrite])
    wire.transfer([0x44])
    wire.transfer([0xC2, 0x06])
    wire.transfer([0x88])
    #expect(wire.model.face == .digits([0, 0x06, 0, 0]))
    wire.transfer([0xC2, 0x06, 0x5B])
    #expect(wire.rules == [.overlongWrite, .unexpectedByte])
  }

  @Test("Bytes need a command to write, which one to read keys ends; light needs all 16 bytes")
  func writing() {
    var wire = Wire()
    wire.transfer([0xC0, 0x06])
    #expect(wire.rules == [.registerNotSet])
    wire.transfer([0x40])
    wire.transfer([0xC0] + [UInt8](repeating: 0, count: 15))
    wire.transfer([0x88])
    #expect(wire.rules == [.registerNotSet, .registerNotSet])
    wire.transfer([0xCF, 0])
    wire.transfer([0x88])
    _ = wire.readKeys()
    #expect(wire.rules.count == 2)
    wire.transfer([0xC0, 0x06])
    #expect(wire.rules == [.registerNotSet, .registerNotSet, .registerNotSet])
  }

  @Test("Outputs that the chip does not have stay 0")
  func outputs() {
    var wire = Wire()
    wire.transfer([0x40])
    wire.transfer([0xC1, 0x04])
    #expect(wire.rules == [.unexpectedByte])
  }
}
