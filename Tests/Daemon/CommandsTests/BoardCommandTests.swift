import FoundationEssentials
import StrictYAML
import Testing

@testable import CommandSupport
@testable import Commands
@testable import Installation

@Suite("board new") struct BoardCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID())").path
  private var file: String { "\(folder)/desk.yaml" }

  /// A user who gives answers in order, and records the questions.
  private final class Person {
    var answers: [String]
    var heard: [String] = []

    init(_ answers: [String]) { self.answers = answers }

    func draft(machine: String?) throws -> BoardDraft {
      let questions = Questions(
        command: "board new", answer: { self.answers.isEmpty ? nil : self.answers.removeFirst() },
        say: { self.heard.append($0) }, prompt: { self.heard.append($0) })
      return try BoardQuestions(questions: questions, machine: machine).draft()
    }
  }

  private func written(_ draft: BoardDraft) throws -> (board: NewBoard, text: String, drawing: String?) {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let board = try BoardCommand.New.write(draft, to: file)
    let text = { (path: String) throws in
      try String(decoding: #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }
    return (board, try text(file), try board.drawing.map(text))
  }

  private func number(of choice: String, in heard: [String]) -> String? {
    heard.first { $0.contains(choice) }?.split(separator: " ").first.map(String.init)
  }

  @Test("The detected board with Enter, its usual display pins, and a lamp and a button")
  func likeThisMachine() throws {
    // The numbers of the display are in the questions themselves.
    let first = Person(["", "Desk"])
    #expect(throws: Failure("board new was cancelled", hint: "nothing was written; run it again at any time")) {
      try first.draft(machine: "Raspberry Pi 4 Model B Rev 1.4")
    }
    let tm1637 = try #require(number(of: "(tm1637)", in: first.heard))
    let person = Person(["", "Desk", tm1637, "", "", "41", "11", "n", "", "", "32", "", "", "", ""])
    let draft = try person.draft(machine: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(person.heard.contains("Is it on the pins of docs/wiring: clock 16, data 18? [Y/n] "))
    let pins = "3, 5, 7, 8, 10, 11, 12, 13, 15, 16, 18, 19, 21, 22, 23, 24, 26, 29, 31, 32, 33, 35, 36, 37, 38, 40"
    #expect(person.heard.contains("'41' is no pin with a line on the 40-pin header; there are: \(pins)"))
    let (board, text, drawing) = try written(draft)
    #expect(
      text == """
        # Written by deskbell board new, like raspberry-pi-4. Not tested: setup tests each wire.
        board: Desk
        models: [] # setup proposes it for no machine
        chip: pinctrl-bcm2711
        header: raspberry-pi
        lamp: { line: GPIO17, active: low }
        buttons: { view: { line: GPIO12, active: low, bias: pull-up } }
        display: tm1637

        """)
    #expect(
      board.wires == [
        BoardPin(device: .lamp, terminal: "line", line: "GPIO17", pin: "11"),
        BoardPin(device: .view, terminal: "line", line: "GPIO12", pin: "32"),
        BoardPin(device: .display, terminal: "clock", line: "GPIO23", pin: "16"),
        BoardPin(device: .display, terminal: "data", line: "GPIO24", pin: "18"),
      ])
    #expect(board.supplies["3.3V"] == ["1", "17"])
    let words = BoardCommand.New.words(board)
    #expect(words.contains("view button  line      GPIO12  32\n"))
    #expect(words.hasSuffix("  sudo deskbell setup --board \(file)"))
    #expect(drawing?.contains(">display clock · GPIO23<") == true)
    #expect(drawing?.contains(">lamp · GPIO17<") == true)
    // The two pins for the EEPROM of an add-on board have neither line nor supply.
    #expect(drawing?.split(separator: "\n").count { $0.contains("<circle ") } == 38)
  }

  @Test("A board that is like none: chip, and lines by number or label; no drawing")
  func ofItsOwn() throws {
    let first = Person([])
    _ = try? first.draft(machine: nil)
    let none = try #require(number(of: "none of these", in: first.heard))
    let second = Person([none, "Shop: 2", "gpiochip0"])
    _ = try? second.draft(machine: nil)
    let tm1637 = try #require(number(of: "(tm1637)", in: second.heard))
    let person = Person([
      none, "Shop: 2", "gpiochip0", tm1637, "23", "PIN_24", "1", "17", "", "", "5", "", "", "", "6", "", "7",
    ])
    let (board, text, _) = try written(person.draft(machine: nil))
    #expect(
      text.contains("board: \"Shop: 2\"\n") && text.contains("chip: gpiochip0\nlamp: { line: 17, active: high }\n"))
    #expect(text.hasSuffix("  brightness: 4\n  clock: 23\n  data: PIN_24\n"))
    #expect(text.contains("buzzer: { line: 5, active: high }\n"))
    #expect(text.contains("buttons: { dim: { line: 6, active: low, bias: pull-up } }\n"))
    #expect(text.contains("light-sensor: { line: 7, active: high, bias: none }\n"))
    #expect(board.drawing == nil && board.supplies.isEmpty)
    #expect(board.wires.map(\.line) == ["17", "5", "6", "7", "23", "PIN_24"])
  }

  @Test("One line of YAML answers all questions; other headers are written out")
  func yaml() throws {
    let draft = try BoardDraft(
      yaml:
        "{ like: odroid-c4, board: C4, lamp: 11, display: tm1637, display-pins: { clock: 29, data: 31 }, motor: 13 }")
    let (board, text, drawing) = try written(draft)
    #expect(text.contains("header: { name: 40-pin header, supplies: { 3.3V: [1, 17], "))
    #expect(
      text.contains("motor: { line: PIN_13, active: high }\n") && text.hasSuffix("  clock: PIN_29\n  data: PIN_31\n"))
    #expect(board.wires.map(\.pin) == ["11", "13", "29", "31"])
    #expect(drawing?.contains(">display clock · PIN_29<") == true)
  }

  /// Returns the number of "no display" among the displays that are asked for.
  private func noDisplay() throws -> String {
    let person = Person(["", "Board"])
    _ = try? person.draft(machine: "Raspberry Pi 4 Model B Rev 1.4")
    return try #require(number(of: "no display", in: person.heard))
  }

  @Test("Three colours, a buzzer that needs a tone, and pins of a bus that is switched off")
  func lights() throws {
    let none = try noDisplay()
    // The pins of red, green and blue: one of I2C, which is in use, then switched off.
    let person = Person(
      ["", "Lights", none, "2", "3", "n", "3", "y", "5", "15", "n", "", "12", "n", "9000", "", "", "", "", "", ""])
    let draft = try person.draft(machine: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(
      person.heard.count { $0 == "Pin 3 belongs to the board's I2C. Is I2C switched off? [y/N] " } == 2
        && person.heard.contains("Please give a number from 200 to 4000."))
    #expect(!person.heard.contains { $0.hasPrefix("Pin 5 belongs") } && person.answers.isEmpty)
    let (board, text, drawing) = try written(draft)
    #expect(
      text.hasSuffix(
        """
        chip: pinctrl-bcm2711
        header: raspberry-pi
        buses-off: [I2C]
        lamp: { type: rgb, red: GPIO2, green: GPIO3, blue: GPIO22, active: low }
        buzzer: { line: GPIO18, active: high, frequency: 2000 }

        """))
    #expect(board.wires.map(\.terminal) == ["red", "green", "blue", "line"])
    #expect(drawing?.contains(">lamp green · GPIO3<") == true && drawing?.contains(">buzzer · GPIO18<") == true)
    #expect(drawing?.contains("Resistors, transistors and level shifters between pin and device are not drawn") == true)
  }

  @Test("A row of APA102: its number, and no level")
  func row() throws {
    let none = try noDisplay()
    let person = Person(["", "Row", none, "3", "16 18", "16", "18", "65", "", "", "", "", "", "", "", ""])
    let (board, text, _) = try written(person.draft(machine: "Raspberry Pi 4 Model B Rev 1.4"))
    #expect(text.hasSuffix("lamp: { type: apa102, data: GPIO23, clock: GPIO24, lamps: 8 }\n"))
    #expect(board.wires.map(\.pin) == ["16", "18"])
    let none4 = Person(["", "Row", none, "4", "", "", "", "", "", "", ""])
    #expect(try none4.draft(machine: "Raspberry Pi 4 Model B Rev 1.4").lamp == nil)
  }

  @Test(
    "The lamp, the tone and the buses in one line of YAML",
    arguments: [
      ("lamp: 11", "lamp: { line: GPIO17, active: high }\n"),
      ("lamp: 11, lamp-active: low", "lamp: { line: GPIO17, active: low }\n"),
      ("lamp: { line: 11, active: low }", "lamp: { line: GPIO17, active: low }\n"),
      (
        "lamp: { type: rgb, red: 11, green: 13, blue: 15 }",
        "lamp: { type: rgb, red: GPIO17, green: GPIO27, blue: GPIO22, active: high }\n"
      ),
      (
        "lamp: { type: apa102, data: 16, clock: 18, lamps: 8 }",
        "lamp: { type: apa102, data: GPIO23, clock: GPIO24, lamps: 8 }\n"
      ),
      ("buzzer: 12, buzzer-frequency: 2000", "buzzer: { line: GPIO18, active: high, frequency: 2000 }\n"),
      (
        "display: ht16k33, display-pins: { clock: 5, data: 3 }, buses-off: [I2C], dim: 32, light-sensor: 37",
        "buses-off: [I2C]\nbuttons: { dim: { line: GPIO12, active: low, bias: pull-up } }\n"
          + "light-sensor: { line: GPIO26, active: high, bias: none }\ndisplay:\n"
      ),
    ])
  func yamlOfLights(yaml: String, lines: String) throws {
    let (board, text, drawing) = try written(BoardDraft(yaml: "{ like: raspberry-pi-4, board: X, \(yaml) }"))
    #expect(text.contains(lines))
    #expect(drawing?.split(separator: "\n").count { $0.contains(" · GPIO") } == board.wires.count)
  }

  @Test(arguments: [
    (
      "lamp: { type: rgb, red: 11, blue: 15 }", "--with:1:41: error: required key 'green' is missing from 'lamp'"
    ),
    (
      "lamp: { type: apa102, data: 16, clock: 18, lamps: 65 }",
      "--with:1:85: error: 'lamps' must be an integer from 1 to 64, not 65"
    ),
    (
      "lamp: { type: apa102, data: 16, clock: 18, lamps: 8 }, lamp-active: low",
      "--with:1:1: error: 'lamp-active' is not for an apa102, which takes numbers"
    ),
    ("buzzer-frequency: 2000", "--with:1:1: error: 'buzzer-frequency' needs 'buzzer', the pin of the buzzer"),
    (
      "buzzer: 12, buzzer-frequency: 20",
      "--with:1:65: error: 'buzzer-frequency' must be an integer from 200 to 4000, not 20"
    ),
  ])
  func wrongLights(yaml: String, error: String) {
    #expect {
      try BoardDraft(yaml: "{ like: raspberry-pi-4, board: X, \(yaml) }")
    } throws: {
      ($0 as? StrictYAMLError)?.diagnostics.map(\.description) == [error]
    }
  }

  @Test(arguments: [
    (
      "{ board: X }",
      "--with:1:1: error: needs 'like', a shipped board, or 'chip', the label of the chip of another one"
    ),
    ("{ like: odroid-c4, board: X, lamb: 11 }", "--with:1:30: error: unknown key 'lamb', did you mean 'lamp'?"),
  ])
  func wrongAnswers(yaml: String, error: String) {
    #expect {
      try BoardDraft(yaml: yaml)
    } throws: {
      ($0 as? StrictYAMLError)?.diagnostics.map(\.description).contains(error) == true
    }
  }

  @Test("What the daemon would refuse is not written, and the error names the file's line")
  func refused() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let twice = try BoardDraft(yaml: "{ like: raspberry-pi-4, board: X, lamp: 16, display: tm1637 }")
    let bus = try BoardDraft(yaml: "{ like: raspberry-pi-4, board: X, lamp: 3 }")
    #expect {
      try BoardCommand.New.write(twice, to: file)
    } throws: {
      let failure = $0 as? Failure
      return failure?.message.contains("line 'GPIO23', pin 16, is used twice, first by the lamp at \(file):6:15")
        == true
    }
    #expect {
      try BoardCommand.New.write(bus, to: file)
    } throws: {
      ($0 as? Failure)?.message.hasPrefix(
        "this board cannot be used\n\(file):6:15: error: 'line' of the lamp: line 'GPIO2', pin 3, belongs to the board's I2C"
      ) == true
    }
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(throws: InstallationError("display 'tm1637' has no line 'latch'; its lines: clock, data")) {
      try BoardDraft(yaml: "{ like: raspberry-pi-4, board: X, display: tm1637, display-pins: { latch: 3 } }").text()
    }
  }

  @Test("A replaced file is kept with ~")
  func replaced() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["First", "Second"] {
      _ = try BoardCommand.New.write(BoardDraft(base: "raspberry-pi-4", board: name), to: file)
    }
    let old = try #require(FileManager.default.contents(atPath: "\(file)~"))
    #expect(String(decoding: old, as: UTF8.self).contains("board: First\n"))
  }
}
