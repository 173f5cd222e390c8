// The choice of board and display, and a test of each wire: the device is lit, and the user looks at it. The sound is
// played on each card until it is audible.

import Board
import CommandSupport
import HandsetCore
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
    if let lamp = trial.lamp {
      let problem = try await lamp.type == .led ? tryLamp(lamp, trial) : tryColours(lamp, trial)
      findings.append(try finding("lamp", problem))
    }
    if trial.digits > 0 { findings.append(try finding("display", await tryDigits(trial))) }
    return findings + (try await tryOthers(trial))
  }

  private func finding(_ device: String, _ problem: String?) throws -> DeviceFinding {
    if let problem { try questions.say("  \(device): \(problem)") }
    return DeviceFinding(name: device, problem: problem)
  }

  // Each of these returns the fault.

  private func tryLamp(_ lamp: BoardDescription.Lamp, _ trial: BoardTrial) async throws -> String? {
    if let problem = await trial.light(.white) { return problem }
    if try questions.yes("The lamp should be lit now. Is it?", standard: true) {
      _ = await trial.light(nil)
      if try questions.yes("And now it should be dark. Is it?", standard: true) { return nil }
      return "it stays lit: its line is not the one in the board file, or it has power without it"
    }
    _ = await trial.light(nil)
    return try questions.yes("Is it lit now?", standard: false)
      ? "it is lit when it should be dark: \(DeviceQuestions.otherLevel(lamp))"
      : "it is never lit: look at its polarity, its resistor, and the pin that docs/wiring names"
  }

  /// Lights a lamp in each of the colours of its parts, and asks which colour is seen.
  func tryColours(_ lamp: BoardDescription.Lamp, _ trial: BoardTrial) async throws -> String? {
    let which = lamp.count > 1 ? "All \(lamp.count) lamps" : "The lamp"
    var seen: [LampColour?] = []
    for colour in DeviceQuestions.parts {
      if let problem = await trial.light(colour) { return problem }
      seen.append(
        try self.seen("\(which) should be \(colour.rawValue) now. Which colour do you see?", expected: colour))
    }
    _ = await trial.light(nil)
    let isDark = try questions.yes("And now it should be dark. Is it?", standard: true)
    return DeviceQuestions.advice(seen: seen, isDark: isDark, lamp)
  }

  /// Returns the colour that the user sees; nil for dark.
  private func seen(_ question: String, expected: LampColour) throws -> LampColour? {
    while true {
      let text = try questions.line("\(question) [\(expected.rawValue)] ").lowercased()
      if text.isEmpty { return expected }
      if ["dark", "none", "off"].contains(text) { return nil }
      if let colour = LampColour(rawValue: text) { return colour }
      try questions.say("Please give the nearest of these: \(LampColour.choices), dark.")
    }
  }

  private static let parts: [LampColour] = [.red, .green, .blue]

  /// - Parameters:
  ///   - seen: for red, green and blue; nil for dark.
  ///   - isDark: true if the lamp is dark when it should be.
  /// - Returns: nil if nothing is wrong.
  static func advice(seen: [LampColour?], isDark: Bool, _ lamp: BoardDescription.Lamp) -> String? {
    if seen == parts {
      return isDark ? nil : "it stays lit: its lines are not those in the board file, or it has power without them"
    }
    let pairs = zip(parts, seen).filter { $0 != $1 }
    let found = pairs.map { "\($1?.rawValue ?? "nothing") for \($0.rawValue)" }.joined(separator: ", ")
    if seen.allSatisfy({ $0 == nil }), isDark {
      return lamp.type == .rgb
        ? "it is never lit: look at its longest leg, which is common to all colours, and the pins that docs/wiring names"
        : "it is never lit: look at its supply of 5 V, its ground, and at data and clock, which may be exchanged"
    }
    guard lamp.type == .rgb else {
      return Set(seen) == Set(parts)
        ? "it shows \(found): its chips take the colours in another order than an APA102 or SK9822, and are others"
        : "it shows \(found): look at data and clock, which may be exchanged, and at its supply of 5 V"
    }
    // Each part is dark while it should be lit, and the other way round.
    if seen == [.cyan, .purple, .yellow], !isDark {
      return "it shows \(found), and is lit when it should be dark: \(otherLevel(lamp))"
    }
    if Set(seen) == Set(parts), isDark {
      let right = zip(lamp.lines, seen).map { "\($1?.rawValue ?? ""): \($0)" }.joined(separator: ", ")
      return
        "it shows \(found): its lines are exchanged; copy the board file, write '\(right)' under lamp, and give its path"
    }
    return "it shows \(found): look at the wire and the resistor of each colour, and the pins that docs/wiring names"
  }

  private static func otherLevel(_ lamp: BoardDescription.Lamp) -> String {
    "copy the board file, write 'active: \(lamp.activeHigh == false ? "high" : "low")' under lamp, and give its path"
  }

  private func tryDigits(_ trial: BoardTrial) async throws -> String? {
    let eights = String(repeating: "8", count: trial.digits)
    if let problem = await trial.show(number: Int128(eights) ?? 8) { return problem }
    guard try questions.yes("The display should show \(eights), every segment lit. Does it?", standard: true) else {
      return "not every segment lights: look at the segment lines; none at all, at power, ground and the lines"
    }
    let order = String("12345678".prefix(trial.digits))
    _ = await trial.show(number: Int128(order) ?? 1)
    let seen = try questions.line("What does it show now? [\(order)] ")
    _ = await trial.show(number: 0)
    if seen.isEmpty || seen == order { return nil }
    return DeviceQuestions.advice(seen: seen, expected: order, wired: trial.digitOrder)
  }

  /// - Parameter wired: the order of digits that the display's file gives; nil if its type has none.
  static func advice(seen: String, expected: String, wired: DigitOrder?) -> String {
    if let right = wired?.corrected(seen: seen) {
      return "it shows \(seen) for \(expected): its digits are wired in another order; copy the display's file, write "
        + "'digit-order: \(right.text)', and give its path"
    }
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
      let problem: String?
      switch device {
      case .motor: problem = try await tryMotor(trial)
      case .buzzer: problem = try await tryBuzzer(trial)
      default: problem = try tryContact(device, trial)
      }
      findings.append(try finding(device.rawValue, problem))
    }
    return findings
  }

  private func tryMotor(_ trial: BoardTrial) async throws -> String? {
    if let problem = await trial.vibrate() { return problem }
    return try questions.yes("The motor should have run for a moment. Did it?", standard: true)
      ? nil : "it did not run: look at its transistor, its supply, and the pin that docs/wiring names"
  }

  private func tryBuzzer(_ trial: BoardTrial) async throws -> String? {
    if let problem = await trial.beep() { return problem }
    return try questions.yes("The buzzer should have sounded for a moment. Did it?", standard: true)
      ? nil : "it did not sound: look at its wires; one without a tone of its own needs 'frequency' in the board file"
  }

  private func tryContact(_ device: BoardDevice, _ trial: BoardTrial) throws -> String? {
    _ = trial.movedContacts()
    let action =
      switch device {
      case .silentSwitch: "Move the \(device.rawValue) there and back"
      case .lightSensor: "Cover the \(device.rawValue) for a second"
      default: "Press the \(device.rawValue)"
      }
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
