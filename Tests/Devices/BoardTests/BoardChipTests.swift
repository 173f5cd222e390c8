// The chips that the devices of a board may be on.

import Testing

@testable import Board

extension BoardDescriptionTests {
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
    #expect(board.display?.chip == "gpio3")
    #expect(
      complaints(
        """
        board: Own
        chip: gpio3
        lamp: { chip: gpio0, line: 9 }
        display: { type: tm1637, chip: gpio0, digits: 4, clock: 9, data: 10 }
        """) == [
          "board.yaml:4:57: error: 'clock' of the display: line '9' is used twice, first by the lamp at board.yaml:3:28"
        ])
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
        "board.yaml:3:15: error: 'line' must be a label where 'chip' is 'any': a number needs its chip"
      ])
    #expect(complaints("board: B\nchip: c\nlamp: { chip: any, line: 9 }\n").count == 1)
  }
}
