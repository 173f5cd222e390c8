import DeviceTestSupport
import StrictYAML
import Synchronization
import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite struct SimulatedLinesTests {
  private let request = LineRequest(chip: "simulated", lines: [.label("A"), .label("B")], initialLevels: 0b10)

  @Test func linesHaveTheLevelsThatWereSet() throws {
    let lines = SimulatedBoard(models: [], clock: SimulatedClock())
    let group = try lines.open(request)
    try group.set(mask: 0b11, levels: 0b11)
    try group.set(mask: 0b01, levels: 0b00)
    #expect(try group.level(of: 0) == false)
    #expect(try group.level(of: 1) == true)
  }

  @Test func linesAreHeldByOneRequestAtATime() throws {
    let lines = SimulatedBoard(models: [], clock: SimulatedClock())
    var first: (any LineGroup)? = try lines.open(request)
    #expect(throws: LineFault(.busy, "simulated line A is used already")) { try lines.open(request) }
    #expect(first != nil)
    first = nil
    #expect(throws: Never.self) { try lines.open(request) }
  }

  @Test func requestsFromBeforeARemovalAreWorthNothing() throws {
    let lines = SimulatedBoard(models: [], clock: SimulatedClock())
    let group = try lines.open(request)
    lines.unplug()
    #expect(throws: LineFault.self) { try group.set(mask: 1, levels: 1) }
    lines.plugIn()
    #expect(throws: LineFault.self) { try group.set(mask: 1, levels: 1) }
  }
}

@Suite struct PictureTests {
  @Test func segmentsReadAsCharacters() {
    #expect(picture(of: [0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F]) == "0123456789")
    #expect(picture(of: [0, 0x86, 0x80, 0x01]) == " 1. .?")
  }

  @Test func plainLinesForChangesOnly() {
    var terminal = TerminalPicture(
      picture: BoardPicture(lampIsLit: false, segments: [0, 0, 0, 0]), isTerminal: false)
    let lit = BoardPicture(lampIsLit: true, segments: [0, 0, 0, 0])
    let dark = BoardPicture(lampIsLit: false, segments: [0, 0, 0, 0])
    let twelve = BoardPicture(lampIsLit: true, segments: [0, 0, 0x06, 0x5B])
    #expect(terminal.text(for: lit) == "lamp ○   digits \"    \"\n")
    #expect(terminal.text(for: .lamp(lit: true, pattern: "blink", at: .zero)) == "lamp ● blink   digits \"    \"\n")
    #expect(terminal.text(for: twelve) == "lamp ● blink   digits \"  12\"\n")
    // The edges of a pattern change nothing.
    #expect(terminal.text(for: BoardPicture(lampIsLit: false, segments: [0, 0, 0x06, 0x5B])) == nil)
    #expect(terminal.text(for: .lamp(lit: false, pattern: "blink", at: .zero)) == nil)
    #expect(terminal.text(for: .lamp(lit: false, pattern: nil, at: .zero)) == "lamp ○   digits \"  12\"\n")
    #expect(terminal.text(for: dark) == "lamp ○   digits \"    \"\n")
  }

  @Test("The board is drawn at the top of a terminal; other output scrolls below it")
  func terminalDrawsAtTheTop() {
    var terminal = TerminalPicture(picture: BoardPicture(lampIsLit: nil, segments: [0, 0]), isTerminal: true)
    #expect(terminal.opening()?.hasPrefix("\u{1B}[2J\u{1B}[5r\u{1B}[5;1H\u{1B}7\u{1B}[1;1H") == true)
    #expect(
      terminal.text(for: BoardPicture(lampIsLit: nil, segments: [0x06, 0xDB]))
        == "\u{1B}7\u{1B}[1;1H\u{1B}[31m     _  \u{1B}[0m\u{1B}[K"
        + "\u{1B}[2;1H\u{1B}[31m  |  _| \u{1B}[0m\u{1B}[K"
        + "\u{1B}[3;1H\u{1B}[31m  | |_ .\u{1B}[0m\u{1B}[K"
        + "\u{1B}[4;1H────────────────────────────────────────\u{1B}[K\u{1B}8")
    #expect(terminal.closing() == "\u{1B}7\u{1B}[r\u{1B}8")
    #expect(TerminalPicture(picture: BoardPicture(lampIsLit: nil, segments: [0]), isTerminal: false).opening() == nil)
  }

  @Test func boardTellsItsPictures() throws {
    let text = """
      board: Test
      chip: simulated
      lamp: { line: LAMP, active: low }
      display: { type: tm1637, digits: 4, clock: CLK, data: DIO }
      """
    let description = try BoardDescription(YAMLDocument.parse(Array(text.utf8), file: "test.yaml"))
    let pictures = Mutex<[BoardPicture]>([])
    let clock = SimulatedClock()
    let board = SimulatedBoard(description: description, clock: clock) { picture in
      pictures.withLock { $0.append(picture) }
    }
    let lamp = try board.open(LineRequest(chip: "simulated", lines: [.label("LAMP")], initialLevels: 1))
    let display = try board.open(
      LineRequest(chip: "simulated", lines: [.label("CLK"), .label("DIO")], drive: .openDrain, initialLevels: 0b11))
    try lamp.set(mask: 1, levels: 0)
    let driver = TM1637(digits: 4)
    for segments: [UInt8] in [[0, 0, 0x06, 0x5B], [0, 0, 0x06, 0x5B], []] {
      _ = try ProgramPlayer(clock: clock).play(driver.program(showing: segments, brightness: 4), on: display)
    }
    #expect(pictures.withLock { $0.map(\.digits) } == ["    ", "  12", "    "])
    #expect(pictures.withLock { $0.map(\.lampIsLit) } == [true, true, true])
    #expect(board.violations == [])
  }
}
