// The messages about a mistyped board file: verbatim, because editors and users depend on them.

import FoundationEssentials
import StrictYAML
import Testing

@testable import Board

@Suite struct BoardDescriptionTests {
  func complaints(_ text: String) -> [String] {
    do {
      _ = try BoardDescription(text: text, file: "board.yaml")
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
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
    #expect(board.lamp?.activeHigh == false)
    #expect(board.display?.driver as? TM1637 == TM1637(digits: 6))
    #expect(board.display?.brightness == Brightness(day: 7, night: 0))
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
    #expect(board.display?.brightness == Brightness(day: 7, night: 0))
    #expect(board.display?.lines == (1...10).map { LineName.offset($0) })
  }

  @Test func readsEverythingOfAMAX7219() throws {
    let board = try BoardDescription(
      text: """
        board: Own
        chip: gpiochip0
        display:
          type: max7219
          digits: 8
          first-digit: leftmost
          decimal-points: false
          data: 10
          clock: 11
          select: 8
          brightness: { day: 15, night: 1 }
        """, file: "board.yaml")
    #expect(board.display?.driver as? MAX7219 == MAX7219(digits: 8, firstDigit: .leftmost))
    #expect(board.display?.lines == [.offset(10), .offset(11), .offset(8)])
    #expect(board.display?.hasDecimalPoints == false)
    #expect(board.display?.brightness == Brightness(day: 15, night: 1))
    let usual = try Fixture.description(
      "board: B\nchip: c\ndisplay: { type: max7219, digits: 1, data: D, clock: C, select: L }"
    ).display
    #expect(usual?.driver as? MAX7219 == MAX7219(digits: 1, firstDigit: .rightmost))
    #expect(usual?.hasDecimalPoints == true)
    #expect(usual?.brightness == Brightness(day: 4, night: 0))
  }

  @Test func readsEverythingOfShiftRegisters() throws {
    let chain = try Fixture.description(Fixture.static74HC595(digits: 3, active: "low", first: "rightmost")).display
    #expect(
      chain?.driver as? Static74HC595
        == Static74HC595(digits: 3, segmentsActiveHigh: false, firstDigit: .rightmost))
    #expect(chain?.lines == [.label("DS"), .label("SHCP"), .label("STCP")])
    #expect(chain?.hasDecimalPoints == true)
    let scanned = try Fixture.description(
      Fixture.multiplexed74HC595(
        digits: 5, points: false, segmentsActive: "high", digitsActive: "low", firstRegister: "segments",
        first: "leftmost") + "\n  frames-per-second: 200\n  brightness: { day: 6, night: 2 }"
    ).display
    #expect(
      scanned?.driver as? Multiplexed74HC595
        == Multiplexed74HC595(
          digits: 5, segmentsActiveHigh: true, digitsActiveHigh: false, firstRegister: .segments,
          firstDigit: .leftmost, framesPerSecond: 200))
    #expect(scanned?.hasDecimalPoints == false)
    #expect(scanned?.brightness == Brightness(day: 6, night: 2))
  }

  @Test func readsEverythingOfMotorButtonsAndSwitch() throws {
    let board = try BoardDescription(
      text: """
        board: Own
        chip: gpiochip0
        motor: { line: 5, active: low, chip: gpiochip1 }
        buttons:
          view: { line: GPIO5 }
          close: { line: 6, active: high, bias: none, chip: gpiochip2 }
        switch:
          ring-silent: { line: 13, active: high }
        """, file: "board.yaml")
    #expect(board.motor?.line == .offset(5) && board.motor?.chip == "gpiochip1")
    #expect(board.motor?.activeHigh == false)
    let (view, close, silent) = (board.viewButton, board.closeButton, board.silentSwitch)
    #expect(view?.line == .label("GPIO5") && view?.activeLow == true && view?.bias == .pullUp)
    #expect(view?.chip == "gpiochip0")
    #expect(close?.line == .offset(6) && close?.activeLow == false && close?.bias == InputRequest.Bias.none)
    #expect(close?.chip == "gpiochip2")
    #expect(silent?.line == .offset(13) && silent?.activeLow == false && silent?.bias == .pullDown)
  }

  @Test func mistakesInButtonsAreNamed() {
    #expect(
      complaints(
        """
        board: B
        chip: c
        lamp: { line: 4 }
        buttons: { veiw: { line: 3 }, close: { line: 4, bias: pull_up } }
        switch: {}
        """) == [
          "board.yaml:4:12: error: unknown key 'veiw', did you mean 'view'?",
          "board.yaml:4:46: error: 'line' of the close button: line '4' is used twice, first by the lamp at board.yaml:3:15",
          "board.yaml:4:55: error: 'bias' cannot be 'pull_up', did you mean 'pull-up'?",
          "board.yaml:5:9: error: required key 'ring-silent' is missing from 'switch'",
        ])
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
        "board.yaml:3:18: error: 'type' must be one of 'multiplexed', 'tm1637', 'max7219', '74hc595-static', "
          + "'74hc595-multiplexed', not 'nixie'"
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
          "board.yaml:4:15: error: 'line' of the lamp: line 'GPIO24' is used twice, first by the display at board.yaml:3:58"
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
          "board.yaml:6:18: error: item 3 of 'digits' of the display: line '3' is used twice, first by the display at board.yaml:5:20"
        ])
  }

  @Test func supplyAndClockOfATM1637ThatDoNotFit() {
    #expect(
      complaints(Fixture.tm1637().replacing("digits: 4", with: "digits: 4, supply: 5 V, clock-hertz: 499")) == [
        "board.yaml:4:45: error: 'supply' cannot be '5 V', did you mean '5V'?",
        "board.yaml:4:63: error: 'clock-hertz' must be an integer from 500 to 100000, not 499",
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

  /// Returns a fixture's complaint, at its line and column.
  private func complaint(_ text: String, _ old: String, _ new: String) -> [String] {
    #expect(text.contains(old))
    return complaints(text.replacing(old, with: new))
  }

  @Test("Each key of a MAX7219, one past what it can be")
  func max7219Keys() {
    let board = Fixture.max7219()
    #expect(complaints(board) == [])
    for digits in [0, 9] {
      #expect(
        complaint(board, "digits: 4", "digits: \(digits)") == [
          "board.yaml:6:11: error: 'digits' must be an integer from 1 to 8, not \(digits)"
        ])
    }
    #expect(
      complaint(board, "first-digit: rightmost", "first-digit: right") == [
        "board.yaml:7:16: error: 'first-digit' must be one of 'leftmost', 'rightmost', not 'right'"
      ])
    #expect(
      complaint(board, "select: LOAD", "latch: LOAD") == [
        "board.yaml:5:3: error: required key 'select' is missing from 'display'",
        "board.yaml:11:3: error: unknown key 'latch'; valid here: 'chip', 'name', 'type', 'digits', 'first-digit', "
          + "'decimal-points', 'data', 'clock', 'select', 'brightness'",
      ])
    #expect(
      complaint(board, "select: LOAD", "select: CLK") == [
        "board.yaml:11:11: error: 'select' of the display: line 'CLK' is used twice, first by the display at board.yaml:10:10"
      ])
    #expect(
      complaints(board + "\n  brightness: 16") == [
        "board.yaml:12:15: error: 'brightness' must be an integer from 0 to 15, not 16"
      ])
    #expect(
      complaints(board + "\n  brightness: { day: 16, nigth: -1 }") == [
        "board.yaml:12:22: error: 'day' must be an integer from 0 to 15, not 16",
        "board.yaml:12:26: error: unknown key 'nigth', did you mean 'night'?",
      ])
    #expect(
      complaints(board + "\n  brightness: { day: 3 }") == [
        "board.yaml:12:15: error: required key 'night' is missing from 'brightness'"
      ])
    #expect(
      complaints(board + "\n  brightness: [1, 2]") == [
        "board.yaml:12:15: error: 'brightness' must be an integer from 0 to 15, not a sequence"
      ])
  }

  @Test("Each key of shift registers, one past what it can be")
  func shiftRegisterKeys() {
    let board = Fixture.multiplexed74HC595()
    #expect(complaints(board) == [])
    #expect(complaints(Fixture.static74HC595()) == [])
    #expect(
      complaint(board, "digits: 4", "digits: 9") == [
        "board.yaml:5:11: error: 'digits' must be an integer from 1 to 8, not 9"
      ])
    #expect(
      complaint(board, "first-register: digits", "first-register: segment") == [
        "board.yaml:7:19: error: 'first-register' cannot be 'segment', did you mean 'segments'?"
      ])
    #expect(
      complaint(board, "digits-active: high", "digits-active: on") == [
        "board.yaml:9:18: error: 'digits-active' must be one of 'high', 'low', not 'on'"
      ])
    #expect(
      complaints(board + "\n  brightness: 8") == [
        "board.yaml:14:15: error: 'brightness' must be an integer from 0 to 7, not 8"
      ])
    #expect(
      complaints(Fixture.multiplexed() + "\n  brightness: -1") == [
        "board.yaml:9:15: error: 'brightness' must be an integer from 0 to 7, not -1"
      ])
    // A chain that is not scanned has one brightness and no frames.
    for key in ["brightness: 4", "frames-per-second: 125", "digits-active: high", "first-register: digits"] {
      let found = complaints(Fixture.static74HC595() + "\n  \(key)")
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("board.yaml:12:3: error: unknown key '\(key.prefix { $0 != ":" })'") == true)
    }
  }

  @Test("No more turns behind shift registers than lines can be set for", arguments: [(8, 125), (4, 250), (2, 500)])
  func shiftedTurns(digits: Int, most: Int) {
    let board = Fixture.multiplexed74HC595(digits: digits) + "\n  frames-per-second: "
    #expect(complaints(board + "\(most)") == [])
    #expect(
      complaints(board + "\(most + 1)") == [
        most == 500
          ? "board.yaml:14:22: error: 'frames-per-second' must be an integer from 100 to 500, not 501"
          : "board.yaml:14:22: error: 'frames-per-second' must be at most \(most) for \(digits) digits behind shift "
            + "registers, not \(most + 1)"
      ])
  }

  @Test func decimalPointsNeedTheirLine() {
    #expect(
      complaints(Fixture.multiplexed() + "\n  decimal-points: true\n") == [
        "board.yaml:9:19: error: 'decimal-points' is true, but 'segments' names 7 lines: add the line of the decimal "
          + "points as the eighth, or write false"
      ])
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
    let error = #expect(throws: StrictYAMLError.self) {
      try BoardDocument(contentsOf: "no/such/board.yaml", parts: BoardParts())
    }
    #expect(error?.description == "no/such/board.yaml:1:1: error: cannot be read: No such file or directory")
  }

  /// Returns the paths of the files in board-configs/ or a folder in it, by their names.
  static func shipped(_ subfolder: String = ".") throws -> [String: String] {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("board-configs")
      .appendingPathComponent(subfolder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    return Dictionary(
      uniqueKeysWithValues: names.map { (String($0.dropLast(5)), folder.appendingPathComponent($0).path) })
  }

  static func parts() throws -> BoardParts {
    BoardParts(headers: try shipped("headers"), displays: try shipped("displays"))
  }
}
