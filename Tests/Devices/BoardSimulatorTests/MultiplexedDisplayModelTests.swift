// Each rule of the model is broken once, starting from a frame that breaks none.

import Testing

@testable import Board
@testable import BoardSimulator

@Suite struct MultiplexedDisplayModelTests {
  /// Two digits, everything active high: bits 0 to 6 are segments, 7 and 8 digits.
  private struct Wire {
    var model = MultiplexedDisplayModel(
      lines: (0..<9).map { .offset($0) }, segmentLines: 7, segmentsActiveHigh: true, digitsActiveHigh: true)
    var now = Duration.zero
    var levels: UInt32 = 0

    init() { model.request(levels: 0, at: .zero) }

    mutating func set(_ newLevels: UInt32, for duration: Duration) {
      levels = newLevels
      model.change(levels: levels, at: now)
      now += duration
    }

    /// Drives one digit's turn: blank, its segments, lit.
    mutating func turn(_ digit: UInt32, _ segments: UInt32, blank: Duration = .microseconds(20), lit: Duration) {
      set(levels & 0x7F, for: blank)
      set(segments, for: .zero)
      set(segments | 1 << (7 + digit), for: lit)
    }

    mutating func rest() {
      set(levels & 0x7F, for: .zero)
      set(0, for: .zero)
    }

    var rules: [Violation.Rule] { model.violations.map(\.rule) }
  }

  private let lit = Duration.milliseconds(4)

  @Test func goodDriverBreaksNothing() {
    var wire = Wire()
    for _ in 0..<3 {
      wire.turn(0, 0x06, lit: lit)
      wire.turn(1, 0x5B, lit: lit)
    }
    wire.rest()
    #expect(wire.model.face == .digits([0x06, 0x5B]))
    #expect(wire.rules == [])
  }

  @Test func severalDigitsLit() {
    var wire = Wire()
    wire.set(0x7F, for: lit)
    wire.set(0x1FF, for: lit)
    #expect(wire.rules == [.severalDigitsLit])
  }

  @Test func ghost() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: lit)
    wire.set(0x5B | 1 << 7, for: lit)
    #expect(wire.rules == [.segmentsChangedWhileLit])
  }

  @Test("The order of lines within a set is not defined")
  func segmentsWithTheirDigitInOneSet() {
    var wire = Wire()
    wire.set(0x06 | 1 << 7, for: lit)
    #expect(wire.rules == [.segmentsChangedWhileLit])
  }

  @Test func noBlank() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: lit)
    wire.set(0x06 | 1 << 8, for: lit)
    #expect(wire.rules == [.blankTooShort])
  }

  @Test func blankTooShort() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: lit)
    wire.turn(1, 0x5B, blank: .nanoseconds(4_999), lit: lit)
    #expect(wire.rules == [.blankTooShort])
  }

  @Test func litTooShort() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: .microseconds(99))
    wire.turn(1, 0x5B, lit: .microseconds(100))
    wire.rest()
    #expect(wire.rules == [.litTooShort])
  }

  @Test func unevenBrightness() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: .milliseconds(4))
    wire.turn(1, 0x5B, lit: .microseconds(5_001))
    wire.rest()
    #expect(wire.rules == [.unevenBrightness])
  }

  @Test func frameTooSlow() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: .milliseconds(5))
    wire.turn(1, 0x5B, lit: .milliseconds(5))
    wire.rest()
    #expect(wire.rules == [.frameTooSlow])
  }

  @Test func pauseBetweenFrames() {
    var wire = Wire()
    for _ in 0..<2 {
      wire.turn(0, 0x06, lit: lit)
      wire.turn(1, 0x5B, lit: lit)
      wire.rest()
      wire.now += .milliseconds(3)
    }
    #expect(wire.rules == [.frameTooSlow])
  }

  @Test func digitRepeated() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: lit)
    wire.turn(0, 0x06, lit: lit)
    wire.rest()
    #expect(wire.rules == [.digitRepeated])
  }

  @Test func leftLit() {
    var wire = Wire()
    wire.turn(0, 0x06, lit: lit)
    wire.model.look(at: .seconds(1))
    #expect(wire.rules == [.leftLit])
  }
}
