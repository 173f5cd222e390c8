// The choice of board and display, and a test of each wire: the device is lit, and the user looks at it. The sound is
// played on each card until it is audible.

import Board
import CommandSupport
import Glibc
import Installation

struct BoardChoice: Equatable {
  /// The name of a shipped board, or the path of a board file.
  var board: String
  /// The name of a shipped display, the path of a display file, or `none`; nil for the board's own.
  var display: String?
}

struct DeviceQuestions {
  var questions: Questions
  var shipped = ShippedBoard.all()
  var machine = ShippedBoard.machine
  /// Plays on a PCM; returns the error, or nil.
  var play: (String) async throws -> String? = { try await SoundTrial.play(on: $0) }
  var cards = SoundCard.all()

  /// Returns the board and the display; the detected board and its own display if the user just presses Enter.
  /// - Parameter displays: returns the displays that fit on a board.
  func choice(displays: (String) -> [ShippedDisplay] = ShippedDisplay.all) throws -> BoardChoice {
    guard !shipped.isEmpty else { throw Failure("no board files are there", hint: "give one with --board") }
    if let machine { try questions.say("This machine is: \(machine)") }
    let found = machine.flatMap { ShippedBoard.of($0, among: shipped) }
    let board = shipped[
      try questions.choice(
        "Which board?", among: shipped.map(\.board), standard: found.flatMap(shipped.firstIndex))]
    let displays = displays(board.name)
    guard !displays.isEmpty else { return BoardChoice(board: board.name, display: nil) }
    let names = displays.map(\.name) + [BoardDocument.noDisplay]
    let display = names[
      try questions.choice(
        "Which display?", among: displays.map { "\($0.title) (\($0.name))" } + ["no display"],
        standard: board.display.flatMap(names.firstIndex))]
    return BoardChoice(board: board.name, display: display)
  }

  /// Lights each device and asks if it is lit.
  func tryDevices(of board: BoardDescription) async throws -> [DeviceFinding] {
    let trial = try BoardTrial(board, bank: GPIOLines())
    defer { trial.end() }
    var findings: [DeviceFinding] = []
    if trial.hasLamp { findings.append(try finding("lamp", await tryLamp(trial))) }
    if trial.digits > 0 { findings.append(try finding("display", await tryDigits(trial))) }
    return findings + (try await tryOthers(trial))
  }

  private func finding(_ device: String, _ problem: String?) throws -> DeviceFinding {
    if let problem { try questions.say("  \(device): \(problem)") }
    return DeviceFinding(name: device, problem: problem)
  }

  // Each of these returns the fault.

  private func tryLamp(_ trial: BoardTrial) async throws -> String? {
    if let problem = await trial.light(true) { return problem }
    if try questions.yes("The lamp should be lit now. Is it?", standard: true) {
      _ = await trial.light(false)
      if try questions.yes("And now it should be dark. Is it?", standard: true) { return nil }
      return "it stays lit: its line is not the one in the board file, or it has power without it"
    }
    _ = await trial.light(false)
    return try questions.yes("Is it lit now?", standard: false)
      ? "it is lit when it should be dark: copy the board file, write 'active: low' under lamp, and give its path"
      : "it is never lit: look at its polarity, its resistor, and the pin that docs/wiring names"
  }

  private func tryDigits(_ trial: BoardTrial) async throws -> String? {
    let eights = String(repeating: "8", count: trial.digits)
    if let problem = await trial.show(number: Int(eights) ?? 8) { return problem }
    guard try questions.yes("The display should show \(eights), every segment lit. Does it?", standard: true) else {
      return "not every segment lights: look at the segment lines; none at all, at power, ground and the lines"
    }
    let order = String("12345678".prefix(trial.digits))
    _ = await trial.show(number: Int(order) ?? 1)
    let seen = try questions.line("What does it show now? [\(order)] ")
    _ = await trial.show(number: 0)
    return seen.isEmpty || seen == order ? nil : DeviceQuestions.advice(seen: seen, expected: order)
  }

  static func advice(seen: String, expected: String) -> String {
    if seen.sorted() == expected.sorted() {
      return "it shows \(seen) for \(expected): its digits are wired in another order, and so must 'digits' list them"
    }
    return "it shows \(seen) for \(expected): two segment lines are exchanged, or the board file is for another display"
  }

  /// Tests the optional devices, if the user has wired them.
  func tryOthers(_ trial: BoardTrial) async throws -> [DeviceFinding] {
    guard !trial.others.isEmpty else { return [] }
    let names = trial.others.map(\.rawValue).joined(separator: ", ")
    guard try questions.yes("The board file also has: \(names). Are they wired?", standard: false) else { return [] }
    var findings: [DeviceFinding] = []
    for device in trial.others {
      let problem = try await device == .motor ? tryMotor(trial) : tryContact(device, trial)
      findings.append(try finding(device.rawValue, problem))
    }
    return findings
  }

  private func tryMotor(_ trial: BoardTrial) async throws -> String? {
    if let problem = await trial.vibrate() { return problem }
    return try questions.yes("The motor should have run for a moment. Did it?", standard: true)
      ? nil : "it did not run: look at its transistor, its supply, and the pin that docs/wiring names"
  }

  private func tryContact(_ device: BoardDevice, _ trial: BoardTrial) throws -> String? {
    _ = trial.movedContacts()
    let action = device == .silentSwitch ? "Move the \(device.rawValue) there and back" : "Press the \(device.rawValue)"
    _ = try questions.line("\(action), then Enter. ")
    let (moved, problems) = trial.movedContacts()
    if let problem = problems[device] { return problem }
    if moved.contains(device) { return nil }
    return moved.first.map { "the \($0.rawValue) answered in its place: their two wires are exchanged" }
      ?? "nothing arrived: look at its wire, its ground, and the pin that docs/wiring names"
  }

  /// Plays a sound on one card after the other, until the user can hear it.
  /// - Parameter named: the only PCM to try; nil for the default one and all cards.
  /// - Returns: also the PCM for the settings; nil for the default one.
  func trySound(on named: String?) async throws -> (DeviceFinding, pcm: String?) {
    let places = named.map { [($0, $0)] } ?? [("default", "default")] + cards.map { ($0.pcm, $0.title) }
    if places.count > 2 {
      try questions.say("Sound cards: \(places.dropFirst().map(\.1).joined(separator: ", "))")
    }
    var problem: String?
    for (pcm, title) in places {
      problem = try await play(pcm)
      if let problem {
        try questions.say("  sound: \(problem)")
      } else if try questions.yes("A sound was played on \(title). Was it heard?", standard: true) {
        return (DeviceFinding(name: "speaker", problem: nil), pcm == "default" ? nil : pcm)
      }
    }
    if let problem, places.count == 1 { return (DeviceFinding(name: "speaker", problem: problem), named) }
    let advice = "no sound was heard: check the volume (alsamixer), or choose a PCM of 'aplay -L' with --pcm"
    try questions.say("  sound: \(advice)")
    return (DeviceFinding(name: "speaker", problem: advice), named)
  }
}

struct DeviceFinding: Encodable, Equatable {
  var name: String
  var problem: String?
}

/// Questions on a terminal. An invalid answer is asked for again; the end of input ends the command, so that it never
/// waits without a user.
struct Questions {
  var answer: () -> String? = { readLine() }
  var say: (String) throws -> Void = { try Output.line($0) }
  /// Prints without an end of line, so that the answer follows.
  var prompt: (String) -> Void = { Output.prompt($0) }

  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// - Parameter standard: the meaning of Enter.
  func yes(_ question: String, standard: Bool) throws -> Bool {
    while true {
      switch try line("\(question) \(standard ? "[Y/n]" : "[y/N]") ").lowercased() {
      case "": return standard
      case "y", "yes": return true
      case "n", "no": return false
      default: try say("Please answer y or n.")
      }
    }
  }

  /// - Parameter standard: the meaning of Enter; nil if it has none.
  /// - Returns: the index of the chosen one.
  func choice(_ question: String, among choices: [String], standard: Int?) throws -> Int {
    let width = "\(choices.count)".count
    for (index, choice) in choices.enumerated() {
      try say("  \("\(index + 1)".aligned(to: width))  \(choice)")
    }
    let range = "1 to \(choices.count)"
    while true {
      let text = try line("\(question) \(standard.map { "[\($0 + 1)]" } ?? "(\(range))") ")
      if text.isEmpty, let standard { return standard }
      if let number = Int(text), (1...choices.count).contains(number) { return number - 1 }
      try say("Please give a number from \(range).")
    }
  }

  func line(_ question: String) throws -> String {
    prompt(question)
    guard let answer = answer() else {
      throw Failure("setup was cancelled", hint: "nothing was written; run it again at any time")
    }
    return answer.trimmed()
  }
}
