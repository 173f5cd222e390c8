// A display on a test bench: its driver on one end of the wire, the model of its chip on the other, and only the player
// in between. Ten thousand badges take the time that a bank of lines would need for a few hundred.

import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

/// A board's display, driven manually in virtual time.
struct DisplayBench {
  let display: BoardDescription.Display
  let clock = SimulatedClock()
  let wire: Wire

  init(_ text: String) throws {
    try self.init(described(text))
  }

  init(_ description: BoardDescription) throws {
    display = try #require(description.display)
    let model = try #require(
      SimulatedBoard(description: description).models.first { $0.lines == description.display?.lines })
    wire = Wire(model, levels: display.driver.idleLevels, clock: clock)
  }

  /// Returns the picture that the model draws for a badge.
  func picture(of badge: Int128, brightness: Int? = nil) throws -> String {
    BoardSimulator.picture(of: try segments(of: badge, brightness: brightness))
  }

  /// Returns the segments that are lit for a badge, leftmost first.
  func segments(of badge: Int128, brightness: Int? = nil) throws -> [UInt8] {
    try play(SegmentText(badge: badge, on: display).digits, brightness: brightness)
    return wire.model.face.digits ?? []
  }

  func play(_ segments: [UInt8], brightness: Int? = nil) throws {
    let program = display.driver.program(showing: segments, brightness: brightness ?? display.brightness.day)
    #expect(try ProgramPlayer(clock: clock).play(program, on: wire).missed == [])
    // The last digit's turn may end at the beginning of the next frame.
    if display.driver.isScanned, let rest = program.steps.first {
      _ = try ProgramPlayer(clock: clock).play(LineProgram([rest]), on: wire)
    }
  }

  /// The rules that were broken on the wire.
  var rules: [Violation.Rule] { wire.model.violations.map(\.rule) }

  /// Not shared between threads: one test uses it on one thread.
  final class Wire: LineGroup, @unchecked Sendable {
    private(set) var model: any ChipModel
    private var levels: UInt32
    private let clock: SimulatedClock

    init(_ model: any ChipModel, levels: UInt32, clock: SimulatedClock) {
      self.model = model
      self.levels = levels
      self.clock = clock
      self.model.request(levels: levels, at: clock.now())
    }

    func set(mask: UInt32, levels newLevels: UInt32) {
      let next = levels & ~mask | newLevels & mask
      guard next != levels else { return }
      levels = next
      model.change(levels: levels, at: clock.now())
    }

    func change(_ change: (any ChipModel) -> any ChipModel) { model = change(model) }

    func level(of line: Int) -> Bool {
      model.sample(line: line, at: clock.now())
      return (levels & ~model.pulledLow) >> UInt32(line) & 1 == 1
    }
  }
}

extension Face {
  var digits: [UInt8]? {
    guard case .digits(let digits) = self else { return nil }
    return digits
  }
}

/// Returns the expected display of a number on that many digits; empty for zero.
func flushRight(_ badge: Int, width: Int) -> String {
  let number = badge == 0 ? "" : "\(badge)"
  return String(repeating: " ", count: width - number.count) + number
}
