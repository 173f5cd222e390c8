// The messages about a mistyped board file: verbatim, because editors and users depend on them.

import FoundationEssentials
import StrictYAML
import Testing

@testable import Board

@Suite struct BoardDescriptionTests {
  func complaints(_ text: String) -> [String] {
    do {
      let limits = YAMLLimits(bytes: BoardLimits.descriptionBytes)
      _ = try BoardDescription(YAMLDocument.parse(Array(text.utf8), file: "board.yaml", limits: limits))
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
  }

  @Test func readsEverythingOfATM1637() throws {
    let board = try described(
      """
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
      """)
    #expect(board.board == "Raspberry Pi 4")
    #expect(board.chip == "pinctrl-bcm2711")
    #expect(!board.isSimulated)
    #expect(board.lamp?.lines == [.label("GPIO17")])
    #expect(board.lamp?.driver as? DirectLamp == DirectLamp(lineCount: 1, activeHigh: false))
    #expect(board.display?.driver as? TM1637 == TM1637(digits: 6))
    #expect(board.display?.brightness == Brightness(day: 7, night: 0))
    #expect(board.display?.lines == [.offset(23), .label("GPIO24")])
    #expect(board.display?.hasDecimalPoints == true)
  }

  @Test func readsEverythingOfAMultiplexedDisplay() throws {
    let board = try described(
      """
      board: Own
      chip: gpiochip0
      display:
        type: multiplexed
        segments: [1, 2, 3, 4, 5, 6, 7, 8]
        digits: [9, 10]
        segments-active: low
        digits-active: high
        frames-per-second: 200
      """)
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
    let board = try described(
      """
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
      """)
    #expect(board.display?.driver as? MAX7219 == MAX7219(digits: 8, firstDigit: .leftmost))
    #expect(board.display?.lines == [.offset(10), .offset(11), .offset(8)])
    #expect(board.display?.hasDecimalPoints == false)
    #expect(board.display?.brightness == Brightness(day: 15, night: 1))
    let usual = try described(
      "board: B\nchip: c\ndisplay: { type: max7219, digits: 1, data: D, clock: C, select: L }"
    ).display
    #expect(usual?.driver as? MAX7219 == MAX7219(digits: 1, firstDigit: .rightmost))
    #expect(usual?.hasDecimalPoints == true)
    #expect(usual?.brightness == Brightness(day: 4, night: 0))
  }

  @Test func readsEverythingOfShiftRegisters() throws {
    let chain = try described(Wiring.static74HC595(digits: 3, active: "low", first: "rightmost")).display
    #expect(
      chain?.driver as? Static74HC595
        == Static74HC595(digits: 3, segmentsActiveHigh: false, firstDigit: .rightmost))
    #expect(chain?.lines == [.label("DS"), .label("SHCP"), .label("STCP")])
    #expect(chain?.hasDecimalPoints == true)
    let scanned = try described(
      Wiring.multiplexed74HC595(
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

  @Test func readsEverythingOfMotorBuzzerButtonsSwitchAndSensor() throws {
    let board = try described(
      """
      board: Own
      chip: gpiochip0
      motor: { line: 5, active: low, chip: gpiochip1 }
      buzzer: { line: 12, frequency: 2300 }
      buttons:
        view: { line: GPIO5 }
        close: { line: 6, active: high, bias: none, chip: gpiochip2 }
        dim: { line: 7 }
      switch:
        ring-silent: { line: 13, active: high }
      light-sensor: { line: 8, active: high, bias: none }
      """)
    #expect(board.motor?.line == .offset(5) && board.motor?.chip == "gpiochip1")
    #expect(board.motor?.activeHigh == false)
    #expect(board.buzzer?.line == .offset(12) && board.buzzer?.frequency == 2_300)
    #expect(board.dimButton?.line == .offset(7) && board.dimButton?.bias == .pullUp)
    #expect(board.lightSensor?.line == .offset(8) && board.lightSensor?.activeLow == false)
    let (view, close, silent) = (board.viewButton, board.closeButton, board.silentSwitch)
    #expect(view?.line == .label("GPIO5") && view?.activeLow == true && view?.bias == .pullUp)
    #expect(view?.chip == "gpiochip0")
    #expect(close?.line == .offset(6) && close?.activeLow == false && close?.bias == InputRequest.Bias.none)
    #expect(close?.chip == "gpiochip2")
    #expect(silent?.line == .offset(13) && silent?.activeLow == false && silent?.bias == .pullDown)
  }

  /// Compares the errors of changed board files with a table: a change, `old → new` or `+ line` or the whole file on one
  /// line, then its errors without the file's name, indented.
  private func expect(_ table: String, in board: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    var cases: [(text: String, errors: [String])] = []
    for line in table.split(separator: "\n").map(String.init) {
      if line.hasPrefix("  ") {
        cases[cases.count - 1].errors.append("board.yaml:\(line.dropFirst(2))")
      } else if let arrow = line.firstRange(of: " → ") {
        let old = String(line[..<arrow.lowerBound])
        #expect(board.contains(old), sourceLocation: sourceLocation)
        cases.append((board.replacing(old, with: line[arrow.upperBound...]), []))
      } else if line.hasPrefix("+ ") {
        cases.append(("\(board)\n  \(line.dropFirst(2))", []))
      } else {
        cases.append((line.replacing("; ", with: "\n"), []))
      }
    }
    for (text, errors) in cases { #expect(complaints(text) == errors, sourceLocation: sourceLocation) }
  }

  @Test("Mistyped keys and words, wrong lines: each with the nearest, or with its first use")
  func mistakes() {
    expect(
      """
      board: B; chip: c; lamp: { lien: GPIO17 }
        3:9: error: unknown key 'lien', did you mean 'line'?
      board: B; chip: c; lamp: { line: 4 }; buttons: { veiw: { line: 3 }, close: { line: 4, bias: pull_up } }; switch: {}
        4:12: error: unknown key 'veiw', did you mean 'view'?
        4:46: error: 'line' of the close button: line '4' is used twice, first by the lamp at board.yaml:3:15
        4:55: error: 'bias' cannot be 'pull_up', did you mean 'pull-up'?
        5:9: error: required key 'ring-silent' is missing from 'switch'
      board: B; chip: c; display: { type: tm1673, clock: 1 }
        3:18: error: 'type' cannot be 'tm1673', did you mean 'tm1637'?
      board: B; chip: c; display: { type: nixie }
        3:18: error: 'type' must be one of \(DriverCatalog.displays.map { "'\($0.type)'" }.joined(separator: ", ")), not 'nixie'
      board: B; chip: c; display: { type: tm1637, digits: 4, clock: GPIO23, data: GPIO24 }; lamp: { line: GPIO24 }
        4:15: error: 'line' of the lamp: line 'GPIO24' is used twice, first by the display at board.yaml:3:58
      lamp: { active: high }
        1:1: error: required key 'board' is missing from the document
        1:1: error: required key 'chip' is missing from the document
        1:7: error: required key 'line' is missing from 'lamp'
      """)
  }

  @Test("A device may be on a chip of its own; the same number on two chips is two lines")
  func devicesOnSeveralChips() throws {
    let text =
      "board: Own\nchip: gpio3\nlamp: { chip: gpio0, line: 9 }\ndisplay: { type: tm1637, digits: 4, clock: 9, data: 10 }"
    let board = try described(text)
    #expect(board.chip == "gpio3" && board.lamp?.chip == "gpio0" && board.display?.chip == "gpio3")
    expect(
      """
      type: tm1637, → type: tm1637, chip: gpio0,
        4:57: error: 'clock' of the display: line '9' is used twice, first by the lamp at board.yaml:3:28
      """, in: text)
  }

  @Test(
    "A simulated board has no other chips, a real one no simulated ones; where any chip will do, numbers say nothing")
  func chips() {
    expect(
      """
      board: B; chip: simulated; lamp: { chip: gpio0, line: 9 }
        3:15: error: 'chip' cannot be 'gpio0' on a board whose chip is 'simulated': leave it out
      board: B; chip: gpio0; lamp: { chip: simulated, line: LAMP }
        3:15: error: 'chip' cannot be 'simulated' on a board whose chip is 'gpio0': leave it out
      board: B; chip: any; lamp: { line: P9_12 }
      board: B; chip: any; lamp: { chip: gpio0, line: 9 }
      board: B; chip: any; lamp: { line: 9 }
        3:15: error: 'line' must be a label where 'chip' is 'any': a number needs its chip
      board: B; chip: c; lamp: { chip: any, line: 9 }
        3:26: error: 'line' must be a label where 'chip' is 'any': a number needs its chip
      """)
  }

  @Test("Each key of a TM1637, one past what it can be")
  func tm1637Keys() {
    expect(
      """
      clock: → clok:
        4:60: error: unknown key 'clok', did you mean 'clock'?
      digits: 4 → digits: 5
        4:34: error: 'digits' must be 4 or 6 for a tm1637, not 5
      digits: 4 → digits: 4, supply: 5 V, clock-hertz: 499
        4:45: error: 'supply' cannot be '5 V', did you mean '5V'?
        4:63: error: 'clock-hertz' must be an integer from 500 to 100000, not 499
      digits: 4 → digits: 4, brightness: 8
        4:49: error: 'brightness' must be an integer from 0 to 7, not 8
      digits: 4 → digits: 4, digit-order: [4, 3, 2, 1]
      digits: 4 → digits: 4, digit-order: [1, 2, 3]
        4:50: error: 'digit-order' must have 4 items, not 3
      digits: 4 → digits: 4, digit-order: [1, 2, 3, 5]
        4:60: error: item 4 of 'digit-order' must be an integer from 1 to 4, not 5
      digits: 4 → digits: 4, digit-order: [1, 2, 3, 2]
        4:60: error: item 4 of 'digit-order' is digit 2, which is on the list already
      """, in: Wiring.tm1637())
    expect(
      """
      digits: 4 → digits: 5
        4:34: error: 'digits' must be an integer from 1 to 4, not 5
      digits: 4 → digits: 2, digit-order: [2, 1], brightness: 8
        4:70: error: 'brightness' must be an integer from 0 to 7, not 8
      """, in: Wiring.tm1650())
  }

  @Test("Each key of a TM1638, one past what it can be")
  func tm1638Keys() throws {
    #expect(complaints(Wiring.tm1638()) == [])
    let board = try described(Wiring.tm1638(keys: "{ 1: view, 2: close, 3: snooze, 8: OPEN-GATE }"))
    #expect(board.display?.keys == [1: .view, 2: .close, 3: .snooze, 8: .action("OPEN-GATE")])
    expect(
      """
      digits: 8 → digits: 9
        5:11: error: 'digits' must be an integer from 1 to 8, not 9
      {} → { 9: view }
        9:11: error: '9' is no key of a TM1638: they are 1 to 8
      {} → { 01: view }
        9:11: error: '01' is no key of a TM1638: they are 1 to 8
      {} → { 1: "" }
        9:14: error: '1' must not be empty
      {} → view
        9:9: error: 'keys' must be a mapping (key: value), not 'view'
      """, in: Wiring.tm1638())
  }

  @Test("Each key of HT16K33 backpacks, one past what it can be")
  func ht16k33Keys() throws {
    #expect(complaints(Wiring.ht16k33()) == [])
    let row = try described(
      Wiring.ht16k33(digits: 8).replacing("digits: 8", with: "digits: 8, addresses: [0x73, 0x70]"))
    #expect((row.display?.driver as? HT16K33)?.addresses == [0x73, 0x70])
    #expect(row.display?.hasDecimalPoints == false)
    expect(
      """
      digits: 4 → digits: 36
        4:58: error: 'digits' must be an integer from 4 to 32, not 36
      digits: 4 → digits: 6
        4:58: error: 'digits' must be 4 for each backpack: 4, 8, 12 and so on, not 6
      digits: 4 → digits: 4, addresses: [0x70, 0x71]
        4:72: error: 'addresses' must have 1 item, not 2
      digits: 4 → digits: 8, addresses: [0x70, 0x70]
        4:79: error: item 2 of 'addresses' is 0x70, which is on the list already: each backpack needs its own address
      digits: 4 → digits: 4, addresses: [112]
        4:73: error: item 1 of 'addresses' must be one of '0x70', '0x71', '0x72', '0x73', '0x74', '0x75', '0x76', '0x77', not '112'
      segments-per-digit: 7 → segments-per-digit: 16
        4:47: error: 'segments-per-digit' must be 7 or 14, not 16
      digits: 4 → digits: 4, clock-hertz: 9999
        4:74: error: 'clock-hertz' must be an integer from 10000 to 100000, not 9999
      digits: 4 → digits: 4, brightness: 16
        4:73: error: 'brightness' must be an integer from 0 to 15, not 16
      """, in: Wiring.ht16k33())
  }

  @Test("Each key of bare digits, one past what it can be")
  func multiplexedKeys() {
    expect(
      """
      [D1, D2, D3, D4] → [D1, D2, D3, D4, D5, D6, D7, D8, D9]
        6:11: error: 'digits' must have 1 to 8 items, not 9
      [D1, D2, D3, D4] → 4
        6:11: error: 'digits' must be a sequence, not '4'
      [D1, D2, D3, D4] → [D1, D2, C]
        6:20: error: item 3 of 'digits' of the display: line 'C' is used twice, first by the display at board.yaml:5:20
      + decimal-points: true
        9:19: error: 'decimal-points' is true, but 'segments' names 7 lines: add the line of the decimal points as the eighth, or write false
      + frames-per-second: 99
        9:22: error: 'frames-per-second' must be an integer from 100 to 500, not 99
      + frames-per-second: 500
      + frames-per-second: 501
        9:22: error: 'frames-per-second' must be an integer from 100 to 500, not 501
      + brightness: -1
        9:15: error: 'brightness' must be an integer from 0 to 7, not -1
      """, in: Wiring.multiplexed())
  }

  @Test("Each key of a MAX7219, one past what it can be")
  func max7219Keys() {
    #expect(complaints(Wiring.max7219()) == [])
    expect(
      """
      digits: 4 → digits: 0
        6:11: error: 'digits' must be an integer from 1 to 8, not 0
      digits: 4 → digits: 9
        6:11: error: 'digits' must be an integer from 1 to 8, not 9
      first-digit: rightmost → first-digit: right
        7:16: error: 'first-digit' must be one of 'leftmost', 'rightmost', not 'right'
      select: LOAD → latch: LOAD
        5:3: error: required key 'select' is missing from 'display'
        11:3: error: unknown key 'latch'; valid here: 'chip', 'name', 'type', 'digits', 'first-digit', 'decimal-points', 'data', 'clock', 'select', 'brightness'
      select: LOAD → select: CLK
        11:11: error: 'select' of the display: line 'CLK' is used twice, first by the display at board.yaml:10:10
      + brightness: 16
        12:15: error: 'brightness' must be an integer from 0 to 15, not 16
      + brightness: { day: 16, nigth: -1 }
        12:22: error: 'day' must be an integer from 0 to 15, not 16
        12:26: error: unknown key 'nigth', did you mean 'night'?
      + brightness: { day: 3 }
        12:15: error: required key 'night' is missing from 'brightness'
      + brightness: [1, 2]
        12:15: error: 'brightness' must be an integer from 0 to 15, not a sequence
      """, in: Wiring.max7219())
  }

  @Test("Each key of shift registers, one past what it can be")
  func shiftRegisterKeys() {
    #expect(complaints(Wiring.multiplexed74HC595()) == [])
    #expect(complaints(Wiring.static74HC595()) == [])
    expect(
      """
      digits: 4 → digits: 9
        5:11: error: 'digits' must be an integer from 1 to 8, not 9
      first-register: digits → first-register: segment
        7:19: error: 'first-register' cannot be 'segment', did you mean 'segments'?
      digits-active: high → digits-active: on
        9:18: error: 'digits-active' must be one of 'high', 'low', not 'on'
      + brightness: 8
        14:15: error: 'brightness' must be an integer from 0 to 7, not 8
      """, in: Wiring.multiplexed74HC595())
    // A chain that is not scanned has one brightness and no frames.
    for key in ["brightness: 4", "frames-per-second: 125", "digits-active: high", "first-register: digits"] {
      let found = complaints(Wiring.static74HC595() + "\n  \(key)")
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("board.yaml:12:3: error: unknown key '\(key.prefix { $0 != ":" })'") == true)
    }
  }

  @Test("No more turns behind shift registers than lines can be set for", arguments: [(8, 125), (4, 250), (2, 500)])
  func shiftedTurns(digits: Int, most: Int) {
    let board = Wiring.multiplexed74HC595(digits: digits) + "\n  frames-per-second: "
    #expect(complaints(board + "\(most)") == [])
    #expect(
      complaints(board + "\(most + 1)") == [
        most == 500
          ? "board.yaml:14:22: error: 'frames-per-second' must be an integer from 100 to 500, not 501"
          : "board.yaml:14:22: error: 'frames-per-second' must be at most \(most) for \(digits) digits behind shift "
            + "registers, not \(most + 1)"
      ])
  }

  @Test("Each limit of a file, one past it")
  func limits() {
    let longest = String(repeating: "x", count: BoardLimits.labelBytes)
    expect(
      """
      board: B; chip: c; lamp: { line: 1024 }
        3:15: error: 'line' must be an integer from 0 to 1023, not 1024
      board: B; chip: \(longest)
      board: B; chip: \(longest)x
        2:7: error: 'chip' must have at most 31 bytes, not 32
      """)
    let padding = String(repeating: "#", count: BoardLimits.descriptionBytes)
    #expect(
      complaints("board: B\nchip: c\n\(padding)") == ["board.yaml:1:1: error: the file is larger than 65536 bytes"])
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
