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

  private func rules(_ steps: (inout Wire) -> Void) -> [Violation.Rule] {
    var wire = Wire()
    steps(&wire)
    return wire.rules
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

  @Test(
    "Segments never change under a lit digit, and no two digits are lit; the order of lines in a set is not defined")
  func ghosts() {
    #expect(
      rules {
        $0.set(0x7F, for: lit)
        $0.set(0x1FF, for: lit)
      } == [.severalDigitsLit])
    #expect(
      rules {
        $0.turn(0, 0x06, lit: lit)
        $0.set(0x5B | 1 << 7, for: lit)
      } == [.segmentsChangedWhileLit])
    #expect(rules { $0.set(0x06 | 1 << 7, for: lit) } == [.segmentsChangedWhileLit])
  }

  @Test("Between two digits there is a blank, long enough")
  func blanks() {
    #expect(
      rules {
        $0.turn(0, 0x06, lit: lit)
        $0.set(0x06 | 1 << 8, for: lit)
      } == [.blankTooShort])
    #expect(
      rules {
        $0.turn(0, 0x06, lit: lit)
        $0.turn(1, 0x5B, blank: .nanoseconds(4_999), lit: lit)
      } == [.blankTooShort])
  }

  @Test(
    "Turns that are too short, uneven or too long, and a pause between frames",
    arguments: [
      (99, 100, 0, 1, .litTooShort), (4_000, 5_001, 0, 1, .unevenBrightness), (5_000, 5_000, 0, 1, .frameTooSlow),
      (4_000, 4_000, 3_000, 2, .frameTooSlow),
    ] as [(Int, Int, Int, Int, Violation.Rule)])
  func turns(first: Int, second: Int, pause: Int, frames: Int, rule: Violation.Rule) {
    #expect(
      rules { wire in
        for _ in 0..<frames {
          wire.turn(0, 0x06, lit: .microseconds(first))
          wire.turn(1, 0x5B, lit: .microseconds(second))
          wire.rest()
          wire.now += .microseconds(pause)
        }
      } == [rule])
  }

  @Test("A digit has one turn in a frame, and does not stay lit")
  func digits() {
    #expect(
      rules {
        $0.turn(0, 0x06, lit: lit)
        $0.turn(0, 0x06, lit: lit)
        $0.rest()
      } == [.digitRepeated])
    #expect(
      rules {
        $0.turn(0, 0x06, lit: lit)
        $0.model.look(at: .seconds(1))
      } == [.leftLit])
  }
}
