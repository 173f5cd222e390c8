// Which board, and whether each of its wires does what the board file says: lit, and looked at.

import Installation

struct BoardQuestions {
  var questions: Questions
  var shipped = ShippedBoard.all()
  var machine = ShippedBoard.machine

  /// Which board file.
  func board() throws -> String {
    let boards = shipped.map(\.board).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    guard !boards.isEmpty else { throw Failure("no board files are there", hint: "give one with --board") }
    if let machine { try questions.say("This machine is: \(machine)") }
    let found = machine.flatMap { machine in
      boards.firstIndex { board in shipped.contains { $0.board == board && $0.isFor(machine) } }
    }
    let board = boards[try questions.choice("Which board?", among: boards, standard: found)]
    let files = shipped.filter { $0.board == board }
    guard files.count > 1 else { return files[0].name }
    let displays = files.map { "\($0.display ?? "no display") (\($0.name))" }
    return files[try questions.choice("Which display?", among: displays, standard: 0)].name
  }

  /// Lights each device and asks what is seen.
  /// - Returns: what does not work, as it was seen or as the board said.
  func tryDevices(of board: String) async throws -> [DeviceFinding] {
    let trial = try BoardTrial(board: board)
    defer { trial.end() }
    if trial.isSimulated { return [] }
    var findings: [DeviceFinding] = []
    if trial.hasLamp { findings.append(try await tryLamp(trial)) }
    if trial.digits > 0 { findings.append(try await tryDigits(trial)) }
    return findings + (try await WireQuestions(questions: questions).tryOthers(trial))
  }

  private func tryLamp(_ trial: BoardTrial) async throws -> DeviceFinding {
    if let problem = await trial.light(true) { return try finding("lamp", problem) }
    if try questions.yes("The lamp should be lit now. Is it?", standard: true) {
      _ = await trial.light(false)
      if try questions.yes("And now it should be dark. Is it?", standard: true) {
        return DeviceFinding(name: "lamp", problem: nil)
      }
      return try finding("lamp", "it stays lit: its line is not the one in the board file, or it has power without it")
    }
    _ = await trial.light(false)
    if try questions.yes("Is it lit now?", standard: false) {
      return try finding(
        "lamp",
        "it is lit when it should be dark: copy the board file, write 'active: low' under lamp, and give its path"
      )
    }
    return try finding(
      "lamp", "it is never lit: look at its polarity, its resistor, and the pin that docs/wiring names")
  }

  private func tryDigits(_ trial: BoardTrial) async throws -> DeviceFinding {
    let eights = String(repeating: "8", count: trial.digits)
    if let problem = await trial.show(number: Int(eights) ?? 8) { return try finding("display", problem) }
    guard try questions.yes("The display should show \(eights), every segment lit. Does it?", standard: true) else {
      return try finding(
        "display", "not every segment lights: look at the segment lines; none at all, at power, ground and the lines")
    }
    let order = String("12345678".prefix(trial.digits))
    _ = await trial.show(number: Int(order) ?? 1)
    let seen = try questions.line("What does it show now? [\(order)] ")
    _ = await trial.show(number: 0)
    if seen.isEmpty || seen == order { return DeviceFinding(name: "display", problem: nil) }
    return try finding("display", BoardQuestions.advice(seen: seen, expected: order))
  }

  /// What is wired wrongly where the digits show something else.
  static func advice(seen: String, expected: String) -> String {
    if seen.sorted() == expected.sorted() {
      return "it shows \(seen) for \(expected): its digits are wired in another order, and so must 'digits' list them"
    }
    return "it shows \(seen) for \(expected): two segment lines are exchanged, or the board file is for another display"
  }

  private func finding(_ device: String, _ problem: String) throws -> DeviceFinding {
    try questions.say("  \(device): \(problem)")
    return DeviceFinding(name: device, problem: problem)
  }
}

/// How a device did.
struct DeviceFinding: Encodable, Equatable {
  var name: String
  /// Nil where all is well.
  var problem: String?
}
