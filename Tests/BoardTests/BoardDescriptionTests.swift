// What a person reads who mistyped a board file: verbatim, because editors and people both go by it.

import FoundationEssentials
import Testing

@testable import Board

@Suite struct BoardDescriptionTests {
  private func complaints(_ text: String) -> [String] {
    BoardDescription.check(text: text, file: "board.yaml").map(\.description)
  }

  @Test func readsEverythingOfATM1637() throws {
    let board = try BoardDescription(
      text: """
        board: Raspberry Pi 4
        chip: pinctrl-bcm2711
        lamp: { line: GPIO17, active: low }
        display:
          type: tm1637
          digits: 6
          decimal-points: true
          clock: 23
          data: GPIO24
          brightness: 7
        """, file: "board.yaml")
    #expect(board.board == "Raspberry Pi 4")
    #expect(board.chip == "pinctrl-bcm2711")
    #expect(!board.isSimulated)
    #expect(board.lamp?.line == .label("GPIO17"))
    #expect(board.lamp?.driver == LampDriver(activeHigh: false))
    #expect(board.display?.driver as? TM1637 == TM1637(digits: 6, brightness: 7))
    #expect(board.display?.lines == [.offset(23), .label("GPIO24")])
    #expect(board.display?.hasDecimalPoints == true)
  }

  @Test func readsEverythingOfAMultiplexedDisplay() throws {
    let board = try BoardDescription(
      text: """
        board: Own
        chip: gpiochip0
        display:
          type: multiplexed
          segments: [1, 2, 3, 4, 5, 6, 7, 8]
          digits: [9, 10]
          segments-active: low
          digits-active: high
          frames-per-second: 200
        """, file: "board.yaml")
    #expect(board.lamp == nil)
    #expect(
      board.display?.driver as? Multiplexed
        == Multiplexed(
          segmentLines: 8, digits: 2, segmentsActiveHigh: false, digitsActiveHigh: true, framesPerSecond: 200))
    #expect(board.display?.hasDecimalPoints == true)
    #expect(board.display?.lines == (1...10).map { LineName.offset($0) })
  }

  @Test func unknownKeyNamesTheNearest() {
    #expect(
      complaints("board: B\nchip: c\nlamp: { lien: GPIO17 }\n") == [
        "board.yaml:3:9: error: unknown key 'lien', did you mean 'line'?"
      ])
    #expect(
      complaints(Fixture.tm1637().replacing("clock:", with: "clok:")) == [
        "board.yaml:4:60: error: unknown key 'clok', did you mean 'clock'?"
      ])
  }

  @Test func unknownTypeNamesTheNearest() {
    #expect(
      complaints("board: B\nchip: c\ndisplay: { type: tm1673, clock: 1 }\n") == [
        "board.yaml:3:18: error: 'type' cannot be 'tm1673', did you mean 'tm1637'?"
      ])
    #expect(
      complaints("board: B\nchip: c\ndisplay: { type: nixie }\n") == [
        "board.yaml:3:18: error: 'type' must be one of 'multiplexed', 'tm1637', not 'nixie'"
      ])
  }

  @Test func lineUsedTwiceNamesTheFirst() {
    #expect(
      complaints(
        """
        board: B
        chip: c
        display: { type: tm1637, digits: 4, clock: GPIO23, data: GPIO24 }
        lamp: { line: GPIO24 }
        """) == [
          "board.yaml:4:15: error: 'line': line 'GPIO24' is used twice, first at board.yaml:3:58"
        ])
    #expect(
      complaints(
        """
        board: B
        chip: c
        display:
          type: multiplexed
          segments: [1, 2, 3, 4, 5, 6, 7]
          digits: [8, 9, 3]
          segments-active: high
          digits-active: low
        """) == [
          "board.yaml:6:18: error: item 3 of 'digits': line '3' is used twice, first at board.yaml:5:20"
        ])
  }

  @Test func digitCountsThatDoNotFit() {
    #expect(
      complaints(Fixture.tm1637(digits: 5)) == [
        "board.yaml:4:34: error: 'digits' must be 4 or 6 for a tm1637, not 5"
      ])
    #expect(
      complaints(Fixture.multiplexed(digits: 9)) == [
        "board.yaml:6:11: error: 'digits' must have 1 to 8 items, not 9"
      ])
    #expect(
      complaints(Fixture.multiplexed().replacing("[D1, D2, D3, D4]", with: "4")) == [
        "board.yaml:6:11: error: 'digits' must be a sequence, not '4'"
      ])
  }

  @Test func decimalPointsNeedTheirLine() {
    #expect(
      complaints(Fixture.multiplexed() + "\n  decimal-points: true\n") == [
        "board.yaml:9:19: error: 'decimal-points' is true, but 'segments' names 7 lines: add the line of the decimal "
          + "points as the eighth, or write false"
      ])
  }

  @Test("A device may be on a chip of its own; the same number on two chips is two lines")
  func devicesOnSeveralChips() throws {
    let board = try BoardDescription(
      text: """
        board: Own
        chip: gpio3
        lamp: { chip: gpio0, line: 9 }
        display: { type: tm1637, digits: 4, clock: 9, data: 10 }
        """, file: "board.yaml")
    #expect(board.chip == "gpio3")
    #expect(board.lamp?.chip == "gpio0")
    #expect(board.display?.chip == nil)
    #expect(
      complaints(
        """
        board: Own
        chip: gpio3
        lamp: { chip: gpio0, line: 9 }
        display: { type: tm1637, chip: gpio0, digits: 4, clock: 9, data: 10 }
        """) == ["board.yaml:4:57: error: 'clock': line '9' is used twice, first at board.yaml:3:28"])
  }

  @Test("A simulated board has no other chips, a real one no simulated ones")
  func simulatedChipsAreNotMixed() {
    #expect(
      complaints("board: B\nchip: simulated\nlamp: { chip: gpio0, line: 9 }\n") == [
        "board.yaml:3:15: error: 'chip' cannot be 'gpio0' on a board whose chip is 'simulated': leave it out"
      ])
    #expect(
      complaints("board: B\nchip: gpio0\nlamp: { chip: simulated, line: LAMP }\n") == [
        "board.yaml:3:15: error: 'chip' cannot be 'simulated' on a board whose chip is 'gpio0': leave it out"
      ])
  }

  @Test("Whichever chip has the lines: numbers say nothing there")
  func anyChipNeedsLabels() {
    #expect(complaints("board: B\nchip: any\nlamp: { line: P9_12 }\n") == [])
    #expect(complaints("board: B\nchip: any\nlamp: { chip: gpio0, line: 9 }\n") == [])
    #expect(
      complaints("board: B\nchip: any\nlamp: { line: 9 }\n") == [
        "board.yaml:3:15: error: 'line' must be a label where 'chip' is 'any': a number says nothing without its chip"
      ])
    #expect(complaints("board: B\nchip: c\nlamp: { chip: any, line: 9 }\n").count == 1)
  }

  @Test("Each limit, one past it")
  func limits() {
    #expect(
      complaints(Fixture.multiplexed() + "\n  frames-per-second: 99\n") == [
        "board.yaml:9:22: error: 'frames-per-second' must be an integer from 100 to 500, not 99"
      ])
    #expect(complaints(Fixture.multiplexed() + "\n  frames-per-second: 501\n").count == 1)
    #expect(complaints(Fixture.multiplexed() + "\n  frames-per-second: 500\n") == [])
    #expect(
      complaints(Fixture.tm1637().replacing("digits: 4", with: "digits: 4, brightness: 8")) == [
        "board.yaml:4:49: error: 'brightness' must be an integer from 0 to 7, not 8"
      ])
    #expect(
      complaints("board: B\nchip: c\nlamp: { line: 1024 }\n") == [
        "board.yaml:3:15: error: 'line' must be an integer from 0 to 1023, not 1024"
      ])
    #expect(
      complaints("board: B\nchip: \(String(repeating: "x", count: 32))\n") == [
        "board.yaml:2:7: error: 'chip' must have at most 31 bytes, not 32"
      ])
    #expect(complaints("board: B\nchip: \(String(repeating: "x", count: 31))\n") == [])
    let padding = String(repeating: "#", count: BoardLimits.descriptionBytes)
    #expect(
      complaints("board: B\nchip: c\n\(padding)") == ["board.yaml:1:1: error: the file is larger than 65536 bytes"])
  }

  @Test func missingKeysAreNamed() {
    #expect(
      complaints("lamp: { active: high }\n") == [
        "board.yaml:1:1: error: required key 'board' is missing from the document",
        "board.yaml:1:1: error: required key 'chip' is missing from the document",
        "board.yaml:1:7: error: required key 'line' is missing from 'lamp'",
      ])
  }

  @Test func fileThatCannotBeRead() {
    #expect(
      BoardDescription.check(contentsOf: "no/such/board.yaml").map(\.description) == [
        "no/such/board.yaml:1:1: error: cannot be read: No such file or directory"
      ])
  }

  @Test("Every board in board-configs/ can be used")
  func shippedBoards() throws {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("board-configs")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(names.count == 12)
    for name in names {
      #expect(BoardDescription.check(contentsOf: folder.appendingPathComponent(name).path) == [])
      let board = try BoardDescription(contentsOf: folder.appendingPathComponent(name).path)
      #expect(board.lamp != nil && board.display?.driver.digits == 4, "\(name)")
      #expect(board.isSimulated == (name == "simulated.yaml"))
    }
  }
}
