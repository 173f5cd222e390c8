import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore
import PushPort

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a push rang or did not.",
    discussion: """
      Lists each rule that applied with its outcome, then the events since, then the result. Rule numbers are those \
      of docs/handset.md. Explanations are kept as long as the push's events. If several pushes have the identifier, \
      the newest is explained.

      Examples:
        deskbell explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
      """)

  @Argument(
    help: ArgumentHelp(
      "The push's apns-id or apns-unique-id, in upper or lower case, or ntfy's id of a message.", valueName: "id"))
  var push: String
  @OptionGroup var options: HandsetQuery

  func run() async throws {
    let explanation = try await options.client().explanation(of: PushID(letters: push)?.description ?? push)
    try options.json.print(explanation) { ExplainCommand.text($0) }
  }

  static func text(_ explanation: ExplanationReport, _ clock: ClockFace = .local) -> String {
    var parts = [head(explanation, clock)]
    let rulings = explanation.rulings.map { [$0.rule, oneLine($0.title), oneLine($0.outcome)] }
    if let rules = table(["RULE", "ABOUT", "OUTCOME"], rulings) { parts.append(rules) }
    let lines = explanation.events.map { EventWords.line(shortened($0, in: explanation), clock) }
    parts.append("What happened:\n" + lines.joined(separator: "\n"))
    if explanation.eventsLeftOut > 0 {
      parts.append("\(counted(explanation.eventsLeftOut, "event is", plural: "events are")) left out in the middle.")
    }
    let places = explanation.now.isEmpty ? "" : "\nNow: \(explanation.now.joined(separator: "; "))."
    parts.append(oneLine(explanation.summary) + places)
    return parts.joined(separator: "\n\n")
  }

  /// Removes the fields that the heading already has.
  private static func shortened(_ event: EventReport, in explanation: ExplanationReport) -> EventReport {
    var event = event
    if event.push == explanation.push { event.push = nil }
    if event.app == explanation.app { event.app = nil }
    return event
  }

  private static func head(_ explanation: ExplanationReport, _ clock: ClockFace) -> String {
    var head = "push \(explanation.push)"
    if let app = explanation.app { head += " for \(oneLine(app))" }
    if let first = explanation.events.first { head += ", \(clock.dateAndTime(first.wallMicroseconds))" }
    guard explanation.pushes > 1 else { return head }
    return head + "\nThe newest of \(explanation.pushes) with this identifier that the journal has."
  }
}
