// What setup asks, what it makes of the answers, and the file that it writes.

import Testing

@testable import Commands
@testable import DeskbellDaemon
@testable import Installation

@Suite("Setup")
struct SetupTests {
  /// Answers in order, and notes what is asked.
  private final class Person {
    var answers: [String]
    var heard: [String] = []

    init(_ answers: String...) { self.answers = answers }

    var questions: Questions {
      Questions(
        answer: { self.answers.isEmpty ? nil : self.answers.removeFirst() }, say: { self.heard.append($0) },
        prompt: { self.heard.append($0) })
    }
  }

  @Test("Enter is the standard answer, and what is no answer is asked again")
  func yesOrNo() throws {
    let person = Person("", "perhaps", " N ")
    #expect(try person.questions.yes("Is it lit?", standard: true))
    #expect(try !person.questions.yes("Is it lit?", standard: true))
    #expect(person.heard == ["Is it lit? [Y/n] ", "Is it lit? [Y/n] ", "Please answer y or n.", "Is it lit? [Y/n] "])
  }

  @Test("The end of input ends setup instead of asking for ever")
  func endOfInput() {
    #expect(
      throws: Failure("setup was given up", hint: "nothing was written; run it again when it suits you")
    ) { try Person("0", "13", "x").questions.choice("Which?", among: ["a", "b"], standard: nil) }
  }

  private let shipped = [
    ShippedBoard(name: "pi-3", board: "Raspberry Pi 3", models: ["Raspberry Pi 3"], display: "max7219"),
    ShippedBoard(name: "pi-4", board: "Raspberry Pi 4 Model B", models: ["Raspberry Pi 4 Model B"], display: "tm1637"),
    ShippedBoard(name: "pi-400", board: "Raspberry Pi 400", models: ["Raspberry Pi 400"], display: "tm1637"),
  ]
  private let displays = [
    ShippedDisplay(name: "max7219", title: "MAX7219 module"), ShippedDisplay(name: "tm1637", title: "TM1637 module"),
  ]

  @Test("The machine's board and the board's own display are what Enter chooses")
  func board() throws {
    let person = Person("", "")
    let asked = BoardQuestions(
      questions: person.questions, shipped: shipped, machine: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(try asked.choice { $0 == "pi-4" ? displays : [] } == BoardChoice(board: "pi-4", display: "tm1637"))
    #expect(
      person.heard == [
        "This machine is: Raspberry Pi 4 Model B Rev 1.4",
        "  1  Raspberry Pi 3", "  2  Raspberry Pi 4 Model B", "  3  Raspberry Pi 400", "Which board? [2] ",
        "  1  MAX7219 module (max7219)", "  2  TM1637 module (tm1637)", "  3  no display", "Which display? [2] ",
      ])
  }

  @Test("Another display, or none; a board without displays to choose from keeps its own")
  func display() throws {
    func chosen(_ answers: String...) throws -> BoardChoice {
      let person = Person()
      person.answers = answers
      let asked = BoardQuestions(questions: person.questions, shipped: shipped, machine: "Raspberry Pi 400 Rev 1.0")
      return try asked.choice { $0 == "pi-3" ? [] : displays }
    }
    #expect(try chosen("", "1") == BoardChoice(board: "pi-400", display: "max7219"))
    #expect(try chosen("", "3") == BoardChoice(board: "pi-400", display: "none"))
    #expect(try chosen("1") == BoardChoice(board: "pi-3", display: nil))
  }

  @Test("An unknown machine offers no board")
  func unknownMachine() throws {
    let person = Person("", "1", "1")
    let asked = BoardQuestions(questions: person.questions, shipped: shipped, machine: nil)
    #expect(try asked.choice { _ in displays } == BoardChoice(board: "pi-3", display: "max7219"))
    #expect(
      person.heard.filter { $0.hasPrefix("Which board") } == ["Which board? (1 to 3) ", "Which board? (1 to 3) "])
  }

  @Test("What is seen on the digits says which wires are exchanged")
  func digits() {
    #expect(
      BoardQuestions.advice(seen: "4321", expected: "1234")
        == "it shows 4321 for 1234: its digits are wired in another order, and so must 'digits' list them")
    #expect(
      BoardQuestions.advice(seen: "7234", expected: "1234")
        == "it shows 7234 for 1234: two segment lines are exchanged, or the board file is for another display")
  }

  @Test("The file is what the daemon reads, whatever is in a name; the one before it stays beside it")
  func file() throws {
    let folder = try Folder()
    let path = "\(folder.path)/new/desk.yaml"
    var settings = SettingsFile(
      board: "simulated", display: "tm1637-5v", pcm: "plug:\"a\\b\"", listen: "*:0", names: ["bell.local", "10.0.0.2"],
      state: nil,
      control: nil)
    try settings.write(to: path)
    #expect(DeskbellDaemon.check(path: path).errors == [])
    #expect(
      try folder.text("new/desk.yaml") == """
        # Written by deskbell setup. 'deskbell check' reads it as the daemon does; docs/reference/settings.md has all keys.
        board: "simulated" # a shipped board, or the path of a file
        display: "tm1637-5v" # a shipped display, or the path of a file
        speaker: { pcm: "plug:\\"a\\\\b\\"" } # the ALSA PCM that sounds play on
        listen: "*:0" # where providers send to
        tls-names: ["bell.local", "10.0.0.2"] # further names in the server's certificate

        """)
    settings.listen = "nowhere"
    #expect(throws: Failure.self) { try settings.write(to: path) }
    #expect(folder.names("new") == ["desk.yaml"])
    settings.listen = nil
    try settings.write(to: path)
    #expect(folder.names("new") == ["desk.yaml", "desk.yaml~"])
  }
}

@Suite("Doctor")
struct DoctorTests {
  @Test("What is broken stands out, and what to do stands below it")
  func words() {
    let findings = [
      Finding("clock", .fine, "plausible"),
      Finding("push port", .broken, "nobody\nanswers", advice: "start it"),
      Finding("sound", .notable, "no card"),
    ]
    #expect(
      DoctorWords.text(findings) == """
        ok    clock      plausible
        FAIL  push port  nobody answers
                         start it
        note  sound      no card
        1 thing is broken.
        """)
  }

  @Test("A configuration that is wrong is broken, line by line")
  func configuration() throws {
    let folder = try Folder()
    try folder.write("desk.yaml", "board: simulated\nlisen: \"*:1\"\n")
    let path = "\(folder.path)/desk.yaml"
    #expect(
      Machine.configuration(at: path) == [
        Finding(
          "configuration", .broken, "\(path):2:1: error: unknown key 'lisen', did you mean 'listen'?",
          advice: "fix that line, then: deskbell check \(path)")
      ])
  }
}
