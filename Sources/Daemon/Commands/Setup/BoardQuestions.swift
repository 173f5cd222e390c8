import Board
import CommandSupport
import Installation

/// The questions of `deskbell board new`. A pin that the board does not have is asked for again.
struct BoardQuestions {
  var questions = Questions(command: "board new")
  var shipped = ShippedBoard.all().filter { $0.name != "simulated" && !$0.models.isEmpty }
  var machine = ShippedBoard.machine

  func draft() throws -> BoardDraft {
    if let machine { try questions.say("This machine is: \(machine)") }
    let standard = machine.flatMap { ShippedBoard.of($0, among: shipped) }.flatMap(shipped.firstIndex)
    let chosen = try questions.choice(
      "Which board is it like?", among: shipped.map(\.board) + ["none of these"], standard: standard)
    let base = chosen < shipped.count ? shipped[chosen] : nil
    let name = try answer("What is it called?", standard: base.map { "\($0.board), my wiring" })
    var draft = BoardDraft(base: base?.name, board: name)
    if base == nil { draft.chip = try answer("Which chip, by the label in gpiodetect's brackets?", standard: nil) }
    let header = try draft.header()
    try askForDisplay(&draft, header)
    draft.lamp = try lamp(&draft, header)
    for (control, device) in [
      (BoardDraft.Control.motor, "motor's transistor"), (.buzzer, "buzzer"), (.view, "View button"),
      (.close, "Close button"), (.dim, "dim button"), (.ringSilent, "ring/silent switch"),
      (.lightSensor, "light sensor, high while it is dark"),
    ] {
      draft.controls[control] = try pin("Which has the \(device)?", &draft, header)
      if control == .buzzer, draft.controls[control] != nil { draft.buzzerFrequency = try tone() }
    }
    return draft
  }

  private func lamp(_ draft: inout BoardDraft, _ header: BoardDraft.Header?) throws -> BoardDraft.Lamp? {
    let kinds = [
      "an LED of one colour", "an LED of red, green and blue", "a row of APA102 or SK9822 (Blinkt!)", "no lamp",
    ]
    switch try questions.choice("Which lamp?", among: kinds, standard: 0) {
    case 0:
      guard let pin = try pin("Which \(place(header)) has the lamp's LED?", &draft, header) else { return nil }
      return .init(
        .led, pins: [pin], isLow: try !questions.yes("Is the LED lit while its line is high?", standard: true))
    case 1:
      let pins = try lampPins(.rgb, &draft, header)
      let isHigh = try questions.yes("Is a colour lit while its line is high (common cathode)?", standard: true)
      return .init(.rgb, pins: pins, isLow: !isHigh)
    case 2:
      let pins = try lampPins(.apa102, &draft, header)
      return .init(
        .apa102, pins: pins, count: try number("How many are in the row?", BoardLimits.apa102Lamps, standard: 8))
    default: return nil
    }
  }

  private func lampPins(
    _ type: LampType, _ draft: inout BoardDraft, _ header: BoardDraft.Header?
  ) throws -> [String] {
    var found: [String] = []
    for key in type.lineKeys {
      found += try pins("Which \(place(header)) has the lamp's \(key)?", count: 1, &draft, header)
    }
    return found
  }

  /// Returns the frequency of a buzzer's tone; nil if it has one of its own.
  private func tone() throws -> Int? {
    if try questions.yes("Does the buzzer sound by itself while its line is high?", standard: true) { return nil }
    return try number("Which tone, in Hz?", BoardLimits.buzzerHertz, standard: 2_000)
  }

  private func number(_ question: String, _ range: ClosedRange<Int>, standard: Int) throws -> Int {
    while true {
      let text = try questions.line("\(question) [\(standard)] ")
      if let number = text.isEmpty ? standard : Int(text), range.contains(number) { return number }
      try questions.say("Please give a number from \(range.lowerBound) to \(range.upperBound).")
    }
  }

  private func askForDisplay(_ draft: inout BoardDraft, _ header: BoardDraft.Header?) throws {
    let displays = ShippedDisplay.all(on: draft.base ?? "simulated")
    let chosen = try questions.choice(
      "Which display?", among: displays.map { "\($0.title) (\($0.name))" } + ["no display"], standard: nil)
    guard chosen < displays.count else { return }
    let display = displays[chosen].name
    draft.display = display
    let wiring = try draft.wiring(of: display)
    let usual = wiring.map { "\($0.key) \($0.pins.joined(separator: " "))" }.joined(separator: ", ")
    if draft.base != nil, try questions.yes("Is it on the pins of docs/wiring: \(usual)?", standard: true) { return }
    for (key, _) in wiring {
      draft.displayPins[key] = try pins("Which \(place(header)) has its \(key)?", &draft, header)
    }
  }

  private func place(_ header: BoardDraft.Header?) -> String { header == nil ? "line" : "pin" }

  private func answer(_ question: String, standard: String?) throws -> String {
    while true {
      let text = try questions.line("\(question) \(standard.map { "[\($0)] " } ?? "")")
      if let answer = text.isEmpty ? standard : text { return answer }
      try questions.say("Please give a name.")
    }
  }

  /// Returns one pin; nil for Enter.
  private func pin(_ question: String, _ draft: inout BoardDraft, _ header: BoardDraft.Header?) throws -> String? {
    while true {
      let text = try questions.line("\(question) [none] ")
      if text.isEmpty || text == "none" { return nil }
      if try isUsable([text], &draft, header) { return text }
    }
  }

  /// - Parameter count: nil for any number of pins.
  private func pins(
    _ question: String, count: Int? = nil, _ draft: inout BoardDraft, _ header: BoardDraft.Header?
  ) throws -> [String] {
    while true {
      let pins = try questions.line("\(question) ").split { $0 == " " || $0 == "," }.map(String.init)
      guard !pins.isEmpty, count ?? pins.count == pins.count else { continue }
      if try isUsable(pins, &draft, header) { return pins }
    }
  }

  /// Returns true if all pins are there, and none is of a bus that is in use. A bus that is switched off is noted.
  private func isUsable(_ pins: [String], _ draft: inout BoardDraft, _ header: BoardDraft.Header?) throws -> Bool {
    do throws(InstallationError) {
      for pin in pins { _ = try BoardDraft.line(pin, on: header) }
    } catch {
      try questions.say("\(error)")
      return false
    }
    for pin in pins {
      guard let bus = header?.bus(of: pin), draft.busesOff?.contains(bus) != true else { continue }
      guard try questions.yes("Pin \(pin) belongs to the board's \(bus). Is \(bus) switched off?", standard: false)
      else {
        return false
      }
      draft.busesOff = (draft.busesOff ?? []) + [bus]
    }
    return true
  }
}
