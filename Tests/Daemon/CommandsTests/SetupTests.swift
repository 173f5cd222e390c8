import Board
import BoardSimulator
import Glibc
import StrictYAML
import Testing

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon
@testable import Installation

@Suite("Setup", .timeLimit(.minutes(10)))
struct SetupTests {
  private let folder = try! Folder()

  /// A user who gives answers in order, and records the questions.
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

  @Test("Enter is the standard answer, and an invalid answer is asked for again")
  func yesOrNo() throws {
    let person = Person("", "perhaps", " N ")
    #expect(try person.questions.yes("Is it lit?", standard: true))
    #expect(try !person.questions.yes("Is it lit?", standard: true))
    #expect(person.heard == ["Is it lit? [Y/n] ", "Is it lit? [Y/n] ", "Please answer y or n.", "Is it lit? [Y/n] "])
  }

  @Test("The end of input ends setup")
  func endOfInput() {
    #expect(
      throws: Failure("setup was cancelled", hint: "nothing was written; run it again at any time")
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

  @Test("Enter chooses the machine's board and the board's own display")
  func board() throws {
    let person = Person("", "")
    let asked = DeviceQuestions(
      questions: person.questions, shipped: shipped, machine: "Raspberry Pi 4 Model B Rev 1.4")
    #expect(try asked.choice { $0 == "pi-4" ? displays : [] } == BoardChoice(board: "pi-4", display: "tm1637"))
    #expect(
      person.heard == [
        "This machine is: Raspberry Pi 4 Model B Rev 1.4",
        "  1  Raspberry Pi 3", "  2  Raspberry Pi 4 Model B", "  3  Raspberry Pi 400", "Which board? [2] ",
        "  1  MAX7219 module (max7219)", "  2  TM1637 module (tm1637)", "  3  no display", "Which display? [2] ",
      ])
  }

  @Test("Another display, or none; a board without other displays keeps its own")
  func display() throws {
    func chosen(_ answers: String...) throws -> BoardChoice {
      let person = Person()
      person.answers = answers
      let asked = DeviceQuestions(questions: person.questions, shipped: shipped, machine: "Raspberry Pi 400 Rev 1.0")
      return try asked.choice { $0 == "pi-3" ? [] : displays }
    }
    #expect(try chosen("", "1") == BoardChoice(board: "pi-400", display: "max7219"))
    #expect(try chosen("", "3") == BoardChoice(board: "pi-400", display: "none"))
    #expect(try chosen("1") == BoardChoice(board: "pi-3", display: nil))
  }

  @Test("An unknown machine offers no board")
  func unknownMachine() throws {
    let person = Person("", "1", "1")
    let asked = DeviceQuestions(questions: person.questions, shipped: shipped, machine: nil)
    #expect(try asked.choice { _ in displays } == BoardChoice(board: "pi-3", display: "max7219"))
    #expect(
      person.heard.filter { $0.hasPrefix("Which board") } == ["Which board? (1 to 3) ", "Which board? (1 to 3) "])
  }

  @Test("The digits that the user sees tell which wires are exchanged")
  func digits() {
    #expect(
      DeviceQuestions.advice(seen: "4321", expected: "1234", wired: nil)
        == "it shows 4321 for 1234: its digits are wired in another order, and so must 'digits' list them")
    #expect(
      DeviceQuestions.advice(seen: "2341", expected: "1234", wired: DigitOrder([0, 1, 2, 3]))
        == "it shows 2341 for 1234: its digits are wired in another order; copy the display's file, write 'digit-order: "
        + "[4, 1, 2, 3]', and give its path")
    #expect(
      DeviceQuestions.advice(seen: "7234", expected: "1234", wired: DigitOrder([0, 1, 2, 3]))
        == "it shows 7234 for 1234: two segment lines are exchanged, or the board file is for another display")
  }

  private let wired = """
    board: Test
    chip: simulated
    motor: { line: 1, active: high }
    buttons: { view: { line: 2, active: low, bias: pull-up }, close: { line: 3, active: low, bias: pull-up } }
    switch: { ring-silent: { line: 4, active: low, bias: pull-up } }
    """

  @Test("Wired motors, buttons and switches are tested; exchanged wires are named")
  func otherWires() async throws {
    let description = try BoardDescription(YAMLDocument.parse(Array(wired.utf8), file: "test.yaml"))
    let board = SimulatedBoard(description: description)
    let trial = try BoardTrial(description, bank: board)
    defer { trial.end() }
    let (view, ring) = try (#require(description.viewButton?.line), #require(description.silentSwitch?.line))
    var prompts: [String] = []
    func move(_ line: LineName, until device: BoardDevice) {
      // Longer ago than the bounce of a contact.
      let now = MonotonicClock().now()
      board.drive(line, through: [(false, now - .milliseconds(400)), (true, now - .milliseconds(200))])
      while !trial.contacts.state.withLock({ $0.moved.contains(device) }) { sched_yield() }
    }
    var questions = Person().questions
    questions.prompt = { prompts.append($0) }
    questions.answer = {
      switch prompts.last ?? "" {
      case let text where text.contains("Press the view button"): move(view, until: .viewButton)
      case let text where text.contains("Press the close button"): move(view, until: .viewButton)
      case let text where text.contains("Move the ring/silent switch"): move(ring, until: .silentSwitch)
      default: return "y"
      }
      return ""
    }
    let findings = try await DeviceQuestions(questions: questions, cards: []).tryOthers(trial)
    #expect(
      findings == [
        DeviceFinding(name: "motor", problem: nil), DeviceFinding(name: "view button", problem: nil),
        DeviceFinding(
          name: "close button", problem: "the view button answered in its place: their two wires are exchanged"),
        DeviceFinding(name: "ring/silent switch", problem: nil),
      ])
    #expect(
      prompts.first
        == "The board file also has: motor, view button, close button, ring/silent switch. Are they wired? [y/N] ")
  }

  @Test("Devices that are not wired are not tested, and a board without them causes no question")
  func notWired() async throws {
    let description = try BoardDescription(YAMLDocument.parse(Array(wired.utf8), file: "test.yaml"))
    let trial = try BoardTrial(description, bank: SimulatedBoard(description: description))
    defer { trial.end() }
    let person = Person("")
    #expect(try await DeviceQuestions(questions: person.questions, cards: []).tryOthers(trial) == [])
    #expect(person.heard.count == 1)
    let bare = try BoardDescription(
      YAMLDocument.parse(Array("board: Test\nchip: simulated\n".utf8), file: "bare.yaml"))
    let other = try BoardTrial(bare, bank: SimulatedBoard(description: bare))
    defer { other.end() }
    #expect(try await DeviceQuestions(questions: Person().questions, cards: []).tryOthers(other) == [])
  }

  /// Asks for the colours of a lamp, on a simulated board whose lamp is seen as the board file says.
  private func colours(_ lamp: String, _ answers: String...) async throws -> (problem: String?, heard: [String]) {
    let text = "board: Test\nchip: simulated\nlamp: { \(lamp) }\n"
    let description = try BoardDescription(YAMLDocument.parse(Array(text.utf8), file: "test.yaml"))
    let trial = try BoardTrial(description, bank: SimulatedBoard(description: description))
    defer { trial.end() }
    let person = Person()
    person.answers = answers
    let asked = DeviceQuestions(questions: person.questions, cards: [])
    return (try await asked.tryColours(#require(trial.lamp), trial), person.heard)
  }

  @Test("A lamp with colours is lit in each of them, and what is seen tells what is wrong")
  func lampColours() async throws {
    let rgb = "type: rgb, red: R, green: G, blue: B"
    let right = try await colours(rgb, "", "mauve", "green", "", "")
    #expect(right.problem == nil)
    #expect(
      right.heard == [
        "The lamp should be red now. Which colour do you see? [red] ",
        "The lamp should be green now. Which colour do you see? [green] ",
        "Please give the nearest of these: red, orange, yellow, green, cyan, blue, purple, white, dark.",
        "The lamp should be green now. Which colour do you see? [green] ",
        "The lamp should be blue now. Which colour do you see? [blue] ", "And now it should be dark. Is it? [Y/n] ",
      ])
    #expect(
      try await colours(rgb, "green", "blue", "red", "").problem
        == "it shows green for red, blue for green, red for blue: its lines are exchanged; copy the board file, write "
        + "'green: R, blue: G, red: B' under lamp, and give its path")
    #expect(
      try await colours(rgb, "cyan", "purple", "yellow", "n").problem
        == "it shows cyan for red, purple for green, yellow for blue, and is lit when it should be dark: copy the board "
        + "file, write 'active: low' under lamp, and give its path")
    #expect(
      try await colours(rgb + ", active: low", "cyan", "purple", "yellow", "n").problem?.contains("'active: high'")
        == true)
    #expect(
      try await colours(rgb, "", "dark", "", "").problem
        == "it shows nothing for green: look at the wire and the resistor of each colour, and the pins that docs/wiring names"
    )
    #expect(try await colours(rgb, "dark", "off", "none", "").problem?.contains("its longest leg") == true)
    #expect(try await colours(rgb, "", "", "", "n").problem?.hasPrefix("it stays lit: its lines") == true)
  }

  @Test("An APA102 gets no advice on levels")
  func rowOfLamps() async throws {
    let row = "type: apa102, data: D, clock: C, lamps: 8"
    let right = try await colours(row, "", "", "", "")
    #expect(
      right.problem == nil && right.heard.first == "All 8 lamps should be red now. Which colour do you see? [red] ")
    for answers in [["dark", "dark", "dark", ""], ["green", "red", "blue", ""], ["cyan", "purple", "yellow", "n"]] {
      let problem = try await colours(row, answers[0], answers[1], answers[2], answers[3]).problem
      #expect(problem != nil && problem?.contains("active") == false && problem?.contains("resistor") == false)
    }
  }

  private let cards = [
    SoundCard(pcm: "plughw:CARD=vc4hdmi0,DEV=0", title: "HDMI"),
    SoundCard(pcm: "plughw:CARD=UACDemo,DEV=0", title: "USB"),
  ]

  @Test("Each sound card is tried until one is heard, which is then written to the settings")
  func soundCards() async throws {
    var played: [String] = []
    let person = Person("n", "y")
    let asked = DeviceQuestions(
      questions: person.questions,
      play: { pcm in
        played.append(pcm)
        return pcm.contains("vc4hdmi0") ? "no monitor" : nil
      }, cards: cards)
    let (finding, pcm) = try await asked.trySound(on: nil)
    #expect(finding == DeviceFinding(name: "speaker", problem: nil) && pcm == "plughw:CARD=UACDemo,DEV=0")
    #expect(played == ["default", "plughw:CARD=vc4hdmi0,DEV=0", "plughw:CARD=UACDemo,DEV=0"])
    #expect(
      person.heard == [
        "Sound cards: HDMI, USB", "A sound was played on default. Was it heard? [Y/n] ", "  sound: no monitor",
        "A sound was played on USB. Was it heard? [Y/n] ",
      ])
    let one = DeviceQuestions(questions: Person("", "").questions, play: { _ in nil }, cards: cards)
    #expect(try await one.trySound(on: nil).pcm == nil)
    #expect(try await one.trySound(on: nil).0.problem?.hasPrefix("no sound was heard") == nil)
  }

  @Test("The kernel's list of cards: those that play, by their stable names")
  func listOfCards() throws {
    try folder.write(
      "proc/asound/cards",
      """
       0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones
                            bcm2835 Headphones
       2 [UACDemo        ]: USB-Audio - UACDemoV1.0
                            Jieli Technology UACDemoV1.0 at usb-1, full speed
      """)
    try folder.write(
      "proc/asound/pcm",
      """
      00-00: bcm2835 Headphones : bcm2835 Headphones : playback 8
      02-00: USB Audio : USB Audio : playback 1 : capture 1
      02-01: USB Audio : USB Audio #1 : capture 1
      """)
    #expect(
      SoundCard.all(below: folder.path) == [
        SoundCard(pcm: "plughw:CARD=Headphones,DEV=0", title: "bcm2835 Headphones"),
        SoundCard(pcm: "plughw:CARD=UACDemo,DEV=0", title: "USB Audio"),
      ])
    #expect(SoundCard.all(below: "/nowhere") == [])
  }

  @Test("The settings file of a service is in systemd's folder, else this user's")
  func standingSettings() throws {
    let service = Environment(["CONFIGURATION_DIRECTORY": "\(folder.path)/etc:/elsewhere", "HOME": folder.path])
    #expect(SettingsFile.standing(service) == nil)
    try folder.write("etc/deskbell.yaml", "board: simulated\n")
    #expect(SettingsFile.standing(service) == "\(folder.path)/etc/deskbell.yaml")
    #expect(SettingsFile.installed(service) == "\(folder.path)/etc/deskbell.yaml")
    guard geteuid() != 0 else { return }
    try folder.write("own/deskbell/deskbell.yaml", "")
    #expect(
      SettingsFile.standing(Environment(["XDG_CONFIG_HOME": "\(folder.path)/own"]))
        == "\(folder.path)/own/deskbell/deskbell.yaml")
  }

  @Test("Setup ends with a line of curl, and with the provider's folder")
  func lastWords() {
    let card = ProviderFolder.Card(
      host: "bell.local", port: 2197, topic: "com.example.mailroom", deviceToken: "00ff", teamID: "DESKBELL00",
      keyID: "ABCDEFGHIJ", key: "AuthKey_ABCDEFGHIJ.p8", certificateAuthority: "ca.pem")
    var topic = KeyReport(name: "bell", app: "com.example.mailroom", handset: nil, template: nil, key: "tk_x")
    (topic.url, topic.pin) = ("https://bell.local:2197/bell", "sha256//p")
    var report = SetupReport(
      config: "/etc/deskbell/deskbell.yaml", board: "raspberry-pi-4", devices: [], provider: card,
      providerFolder: "deskbell-provider/", topic: topic, isRunning: true, joined: "pi")
    #expect(
      SetupCommand.next(report) == """

        pi joined the group deskbell: log in again, and commands need no sudo.
        Ring it from here:
          deskbell push com.example.mailroom --title Hello --badge 1
        From any machine on the network, with curl:
          curl -k --pinnedpubkey 'sha256//p' -H 'Authorization: Bearer tk_x' -d 'A parcel' https://bell.local:2197/bell
        From a program, with any APNs client library (docs/clients.md): deskbell-provider/ has what it reads:
          server  bell.local:2197        trust ca.pem
          key     AuthKey_ABCDEFGHIJ.p8  team DESKBELL00, key ABCDEFGHIJ
          topic   com.example.mailroom
          device  token                  00ff
        """)
    report.topic.key = nil
    #expect(SetupCommand.next(report).contains("\n  deskbell topic key bell\n"))
  }

  @Test("The user who ran sudo joins the group once")
  func membership() {
    let member = { (variables: [String: String], isMember: Bool) in
      Membership.newMember(Environment(variables)) { _, _ in isMember }
    }
    #expect(member(["SUDO_USER": "pi"], false) == "pi")
    #expect(member(["SUDO_USER": "pi"], true) == nil)
    #expect(member(["SUDO_USER": "root"], false) == nil)
    #expect(member([:], false) == nil)
  }

  @Test("The daemon reads the written file, with any characters in names; the previous file is kept beside it")
  func file() throws {
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
    // A killed process with this number left half of a draft.
    try folder.write("new/desk.yaml.\(getpid()).new", "half of")
    try settings.write(to: path)
    #expect(folder.names("new") == ["desk.yaml", "desk.yaml~"])
    #expect(try folder.text("new/desk.yaml") == settings.text)
    #expect(try folder.text("new/desk.yaml~").contains("listen: \"*:0\""))
  }

  @Test("Only what the service cannot read is copied, beside the settings file and never over it")
  func copies() throws {
    let settings = "\(folder.path)/etc/deskbell.yaml"
    for name in ["home/x/desk.yaml", "home/x/deskbell.yaml", "home/y/desk.yaml", "srv/desk.yaml"] {
      try folder.write(name, "board: Desk\n")
    }
    let home = "\(folder.path)/home"
    func planned(_ board: String, _ display: String? = nil) throws -> (BoardChoice, [ServiceCopy]) {
      try ServiceCopy.all(
        for: BoardChoice(board: board, display: display), beside: settings, hiddenFolders: [home])
    }
    let etc = "\(folder.path)/etc"
    for (board, display) in [("raspberry-pi-4", nil), ("\(folder.path)/srv/desk.yaml", "none"), ("\(home)work", nil)] {
      let (choice, copies) = try planned(board, display)
      #expect(choice == BoardChoice(board: board, display: display) && copies == [])
    }
    let (both, copies) = try planned("\(home)/x/desk.yaml", "\(home)/y/desk.yaml")
    #expect(both == BoardChoice(board: "\(etc)/desk.yaml", display: "\(etc)/display-desk.yaml"))
    #expect(
      copies == [
        ServiceCopy(from: "\(home)/x/desk.yaml", to: "\(etc)/desk.yaml"),
        ServiceCopy(from: "\(home)/y/desk.yaml", to: "\(etc)/display-desk.yaml"),
      ])
    #expect(copies[0].words == "Copied \(home)/x/desk.yaml to \(etc)/desk.yaml, where the service can read it.")
    #expect(try planned("\(home)/x/deskbell.yaml").0.board == "\(etc)/board-deskbell.yaml")
    try folder.write("home/x/two.yaml", "board: Desk\ndisplay: ./mine.yaml\n")
    #expect(
      throws: Failure(
        "the service cannot read \(home)/x/two.yaml, and setup does not copy it, because it names another file: "
          + "./mine.yaml", hint: "put both into \(etc), and give the path there")
    ) { try planned("\(home)/x/two.yaml") }
  }

  @Test("A copy is for all users to read, replaces another file, and the other file can be put back")
  func copyAndUndo() throws {
    let copy = ServiceCopy(from: "\(folder.path)/home/desk.yaml", to: "\(folder.path)/etc/desk.yaml")
    try folder.write("home/desk.yaml", "board: New\n")
    let first = try #require(try copy.make { _ in [] })
    #expect(first == FileReplacement(path: copy.to, hasOld: false))
    var status = stat()
    #expect(stat(copy.to, &status) == 0 && status.st_mode & 0o7777 == 0o644)
    #expect(try copy.make { _ in ["is not asked"] } == nil)
    try first.undo()
    #expect(folder.names("etc") == [])

    try folder.write("etc/desk.yaml", "board: Old\n")
    let second = try #require(try copy.make { _ in [] })
    #expect(try folder.text("etc/desk.yaml") == "board: New\n" && folder.text("etc/desk.yaml~") == "board: Old\n")
    try second.undo()
    #expect(try folder.text("etc/desk.yaml") == "board: Old\n" && folder.names("etc") == ["desk.yaml"])
    #expect(throws: Failure("\(copy.from) cannot be used\n\(copy.from):1:1: error: wrong")) {
      try copy.make { ["\($0):1:1: error: wrong"] }
    }
    #expect(folder.names("etc") == ["desk.yaml"])
  }

  @Test("Setup says which files it copied")
  func copiesInTheLastWords() {
    let card = ProviderFolder.Card(
      host: "b", port: 1, topic: "t", deviceToken: "0", teamID: "T", keyID: "K", key: "k", certificateAuthority: nil)
    let report = SetupReport(
      config: "c", board: "/etc/deskbell/desk.yaml",
      copies: [ServiceCopy(from: "/home/x/desk.yaml", to: "/etc/deskbell/desk.yaml")], devices: [], provider: card,
      providerFolder: "p", topic: KeyReport(name: "bell", app: "t", handset: nil, template: nil, key: nil),
      isRunning: true)
    #expect(
      SetupCommand.next(report).hasPrefix(
        "Copied /home/x/desk.yaml to /etc/deskbell/desk.yaml, where the service can read it.\n\n"))
  }
}

@Suite("Doctor")
struct DoctorTests {
  @Test("Broken findings stand out, with the advice below")
  func words() {
    let findings = [
      Finding("clock", .fine, "plausible"),
      Finding("push port", .broken, "nobody\nanswers", advice: "start it"),
      Finding("sound", .notable, "no card"),
    ]
    #expect(
      DoctorCommand.text(findings) == """
        ok    clock      plausible
        FAIL  push port  nobody answers
                         start it
        note  sound      no card
        1 thing is broken.
        """)
  }

  @Test("A wrong configuration is reported line by line")
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
