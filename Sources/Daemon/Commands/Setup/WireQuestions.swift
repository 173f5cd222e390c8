// The wires besides lamp and digits: motor, buttons, the switch. And the sound, on each card until it is audible.

import Board
import Installation

struct WireQuestions {
  var questions: Questions
  /// Plays on a PCM; returns the error, or nil.
  var play: (String) async throws -> String? = { try await SoundTrial.play(on: $0) }
  var cards = SoundCard.all()

  /// Tests the optional devices, if the user has wired them.
  /// - Returns: the result of each; none if they are not wired.
  func tryOthers(_ trial: BoardTrial) async throws -> [DeviceFinding] {
    guard !trial.others.isEmpty else { return [] }
    let names = trial.others.map(\.rawValue).joined(separator: ", ")
    guard try questions.yes("The board file also has: \(names). Are they wired?", standard: false) else { return [] }
    var findings: [DeviceFinding] = []
    for device in trial.others {
      findings.append(device == .motor ? try await tryMotor(trial) : try tryContact(device, trial))
    }
    return findings
  }

  private func tryMotor(_ trial: BoardTrial) async throws -> DeviceFinding {
    if let problem = await trial.vibrate() { return try questions.finding("motor", problem) }
    if try questions.yes("The motor should have run for a moment. Did it?", standard: true) {
      return DeviceFinding(name: "motor", problem: nil)
    }
    return try questions.finding(
      "motor", "it did not run: look at its transistor, its supply, and the pin that docs/wiring names")
  }

  private func tryContact(_ device: BoardDevice, _ trial: BoardTrial) throws -> DeviceFinding {
    _ = trial.movedContacts()
    let name = device.rawValue
    let action = device == .silentSwitch ? "Move the \(name) there and back" : "Press the \(name)"
    _ = try questions.line("\(action), then Enter. ")
    let (moved, problems) = trial.movedContacts()
    if let problem = problems[device] { return try questions.finding(device.rawValue, problem) }
    if moved.contains(device) { return DeviceFinding(name: device.rawValue, problem: nil) }
    if let other = moved.first {
      return try questions.finding(
        device.rawValue, "the \(other.rawValue) answered in its place: their two wires are exchanged")
    }
    return try questions.finding(
      device.rawValue, "nothing arrived: look at its wire, its ground, and the pin that docs/wiring names")
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
