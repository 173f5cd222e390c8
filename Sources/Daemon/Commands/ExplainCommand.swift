import ArgumentParser
import CommandSupport
import HandsetCore
import PushPort

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a push rang or did not.",
    discussion: """
      Lists each rule that applied with its outcome, then what happened since, then the result. Rule numbers are those \
      of docs/handset.md. Explanations are kept as long as the push's events. If several pushes have the identifier, \
      the newest is explained.

      Examples:
        deskbell explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
      """)

  @Argument(
    help: ArgumentHelp("The push's apns-id, in upper or lower case, or ntfy's id of a message.", valueName: "id"))
  var push: String
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func run() async throws {
    let explanation = try await control.client().explanation(of: PushID(letters: push)?.description ?? push)
    try json.print(explanation) { ExplanationWords.text($0) }
  }
}
