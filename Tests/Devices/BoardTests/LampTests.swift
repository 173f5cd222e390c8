// Lamps of several colours: their keys, the exact bits on the wire, and what the models draw of them.

import DeviceTestSupport
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("D1: lamps of several colours", .timeLimit(.minutes(10)))
struct LampTests {
  private static let rgb = "board: Test\nchip: simulated\nlamp: { type: rgb, red: R, green: G, blue: B, active: low }\n"
  private static let blinkt =
    "board: Test\nchip: simulated\nlamp: { type: apa102, data: D, clock: C, lamps: 8, brightness: 30 }\n"

  /// Returns the colours that the model of the lamp draws.
  private func lights(_ board: String, _ colours: [LampColour?], brightness: Int = 30) throws -> [[[UInt8]]] {
    let lamp = try #require(try described(board).lamp)
    let clock = SimulatedClock()
    let wire = DisplayBench.Wire(try #require(lamp.model()), levels: lamp.driver.idleLevels, clock: clock)
    let faces = try colours.map { colour -> [[UInt8]] in
      _ = try ProgramPlayer(clock: clock).play(lamp.driver.program(showing: colour, brightness: brightness), on: wire)
      guard case .lights(let lights) = wire.model.face else { return [] }
      return lights
    }
    #expect(wire.model.violations == [])
    return faces
  }

  @Test("Every colour on a row of lamps, and dark")
  func apa102ShowsEveryColour() throws {
    for lamps in [1, 2, 8, 63, 64] {
      let board = LampTests.blinkt.replacing("lamps: 8", with: "lamps: \(lamps)")
      let shown = try lights(board, LampColour.allCases + [nil])
      let colours = LampColour.allCases.map(\.parts) + [[0, 0, 0]]
      #expect(shown == colours.map { Array(repeating: $0, count: lamps) })
    }
    #expect(try lights(LampTests.blinkt, [.red], brightness: 0) == [Array(repeating: [8, 0, 0], count: 8)])
  }

  @Test("The colours that three lines can show; orange is yellow")
  func rgbShowsTheColoursOfItsLines() throws {
    #expect(
      try lights(LampTests.rgb, LampColour.allCases + [nil]).flatMap(\.self) == [
        [255, 0, 0], [255, 255, 0], [255, 255, 0], [0, 255, 0], [0, 255, 255], [0, 0, 255], [255, 0, 255],
        [255, 255, 255], [0, 0, 0],
      ])
  }

  @Test func apa102SendsExactlyTheseBytes() {
    let program = APA102(lamps: 2).program(showing: .orange, brightness: 2)
    #expect(program.bytes == [0, 0, 0, 0, 0xE3, 0, 96, 255, 0xE3, 0, 96, 255, 0, 0, 0, 0, 0])
    #expect(APA102(lamps: 1).program(showing: nil, brightness: 9).bytes == [0, 0, 0, 0, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0])
    // Half a clock for each lamp, besides the 32 of an SK9822.
    for lamps in BoardLimits.apa102Lamps {
      let bytes = APA102(lamps: lamps).program(showing: .red, brightness: 0).bytes
      #expect((bytes.count - 8 - 4 * lamps) * 8 >= lamps / 2)
    }
    #expect(APA102(lamps: 64).program(showing: .red, brightness: 0).duration < .milliseconds(5))
  }

  @Test("Too short a start, a foreign frame and a missing end are no light")
  func modelRefuses() {
    func rules(_ bytes: [UInt8]) -> (rules: Set<Violation.Rule>, face: Face) {
      var model = APA102Model(lamps: 2, lines: [.label("D"), .label("C")])
      model.request(levels: 0, at: .zero)
      var now = Duration.zero
      for bit in bytes.flatMap({ byte in (0..<8).reversed().map { UInt32(byte >> $0 & 1) } }) {
        for levels in [bit, bit | 2, bit] {
          now += .microseconds(1)
          model.change(levels: levels, at: now)
        }
      }
      return (Set(model.violations.map(\.rule)), model.face)
    }
    let frames: [UInt8] = [0xFF, 1, 2, 3, 0xFF, 4, 5, 6]
    #expect(rules([0, 0, 0, 0] + frames + [0]).face == .lights([[3, 2, 1], [6, 5, 4]]))
    #expect(rules([0, 0, 0, 0] + frames).face == .lights([[255, 255, 255], [255, 255, 255]]))
    #expect(rules([0, 0, 0] + frames).rules.contains(.wrongBitCount))
    #expect(rules([0, 0, 0, 0] + [0x9F, 1, 2, 3] + frames).rules == [.unexpectedByte])
    #expect(rules([0, 0, 0, 0] + frames + frames).rules == [.unexpectedByte, .wrongBitCount])
  }

  @Test("A pattern has the colour that is named with it, else that of its level; a dimmed board has the night's step")
  func patternsHaveColours() async throws {
    #expect(LampPattern(named: "blink-red")?.light == .red)
    #expect(LampPattern(named: "blink-red")?.steps == LampPattern.blink.steps)
    #expect(LampPattern(named: "blink-red")?.coded == "blink-red")
    #expect([LampPattern.blink, .double, .sos, .steady].map(\.light) == [.white, .orange, .red, .white])
    for name in ["blink-", "-red", "red", "blink-pink", "blink-red-red", ""] {
      #expect(LampPattern(named: name) == nil)
    }
    let bench = try FrontBench(LampTests.blinkt)
    let red = LampPattern(named: "steady-red")
    bench.show(1, lamp: red)
    try await bench.lamp(true, red)
    #expect(bench.board.picture.lights == Array(repeating: [255, 0, 0], count: 8))
    bench.show(1, lamp: .steady, isDimmed: true)
    try await bench.lamp(true, .steady)
    #expect(bench.board.picture.lights == Array(repeating: [8, 8, 8], count: 8))
    bench.front.stop()
    #expect(bench.board.picture.lampIsLit == false)
    #expect(bench.board.violations == [])
  }

  @Test("The eight lamps of a TM1638 do what the lamp does, whatever the digits show")
  func lampsOfADisplay() async throws {
    let clock = SimulatedClock(uptime: .seconds(100))
    let bench = try FrontBench(
      "board: B\nchip: simulated\ndisplay: { type: tm1638, digits: 8, data: D, clock: C, strobe: S, lamps: true }\n",
      clock: clock)
    func lamps() -> Set<Int>? { bench.board.models.lazy.compactMap { $0 as? TM1638Model }.first?.lamps }
    bench.show(7, lamp: .steady)
    try await bench.digits("       7")
    #expect(lamps() == Set(1...8))
    bench.show(8)
    try await bench.digits("       8")
    #expect(lamps() == [])
    // Half a second on, half off: the display is drawn again at each edge.
    bench.show(9, lamp: .blink, since: clock.now())
    try await bench.digits("       9")
    #expect(lamps() == Set(1...8))
    let dark = try #require(LampPattern.blink.nextChange(after: .zero))
    clock.wait(until: clock.now() + dark)
    bench.show(10, lamp: .blink, since: clock.now() - dark)
    try await bench.digits("      10")
    #expect(lamps() == [])
    bench.front.stop()
    #expect(bench.board.violations == [])
  }

  @Test("Each key of a lamp, one past what it can be")
  func keys() {
    func errors(_ lamp: String) -> [String] {
      do {
        _ = try described("board: B\nchip: c\nlamp: \(lamp)\n")
        return []
      } catch {
        return "\(error)".split(separator: "\n").map { String($0).replacing("test.yaml:", with: "") }
      }
    }
    #expect(errors("{ type: rgb, red: 1, green: 2, blue: 3 }") == [])
    #expect(errors("{ type: rgbw, line: 1 }").first == "3:15: error: 'type' cannot be 'rgbw', did you mean 'rgb'?")
    #expect(errors("{ type: rgb, red: 1, green: 2 }") == ["3:7: error: required key 'blue' is missing from 'lamp'"])
    #expect(
      errors("{ type: apa102, data: 1, clock: 2, lamps: 65 }")
        == ["3:49: error: 'lamps' must be an integer from 1 to 64, not 65"])
    #expect(
      errors("{ type: apa102, data: 1, clock: 2, lamps: 8, brightness: 31 }")
        == ["3:64: error: 'brightness' must be an integer from 0 to 30, not 31"])
  }
}

extension LineProgram {
  /// The bytes at the rises of the clock on data and clock.
  fileprivate var bytes: [UInt8] {
    var bits: [Bool] = []
    var data = false
    for case .set(let mask, let levels) in steps {
      if mask & ThreeWire.data != 0 { data = levels & ThreeWire.data != 0 }
      if levels & ThreeWire.clock != 0 { bits.append(data) }
    }
    return stride(from: 0, to: bits.count, by: 8).map { bits[$0..<$0 + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
  }
}
