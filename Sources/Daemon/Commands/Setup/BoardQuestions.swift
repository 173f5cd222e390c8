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
    draft.lamp = try pin("Which \(place(header)) has the lamp's LED?", header)
    if draft.lamp != nil {
      draft.lampIsLow = try !questions.yes("Is the LED lit while its line is high?", standard: true)
    }
    for (control, device) in [
      (BoardDraft.Control.motor, "motor's transistor"), (.buzzer, "buzzer"), (.view, "View button"),
      (.close, "Close button"), (.dim, "dim button"), (.ringSilent, "ring/silent switch"),
      (.lightSensor, "light sensor, high while it is dark"),
    ] { draft.controls[control] = try pin("Which has the \(device)?", header) }
    return draft
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
      draft.displayPins[key] = try pins("Which \(place(header)) has its \(key)?", header)
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
  private func pin(_ question: String, _ header: BoardDraft.Header?) throws -> String? {
    while true {
      let text = try questions.line("\(question) [none] ")
      if text.isEmpty || text == "none" { return nil }
      if try isThere([text], header) { return text }
    }
  }

  private func pins(_ question: String, _ header: BoardDraft.Header?) throws -> [String] {
    while true {
      let pins = try questions.line("\(question) ").split { $0 == " " || $0 == "," }.map(String.init)
      if try !pins.isEmpty && isThere(pins, header) { return pins }
    }
  }

  private func isThere(_ pins: [String], _ header: BoardDraft.Header?) throws -> Bool {
    do throws(InstallationError) {
      for pin in pins { _ = try BoardDraft.line(pin, on: header) }
      return true
    } catch {
      try questions.say("\(error)")
      return false
    }
  }
}
