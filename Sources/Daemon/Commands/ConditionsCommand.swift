import ArgumentParser
import HandsetCore

struct ConditionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conditions",
    abstract: "Show or change conditions: \(Condition.allCases.map(\.rawValue).joined(separator: ", ")).",
    usage: "deskbell conditions [<name> on|off] [--json] [--handset <name>] [--control <socket>]",
    discussion: """
      \(Condition.allCases.map { "\($0.rawValue): \($0.meaning)" }.joined(separator: "\n"))

      Examples:
        deskbell conditions
        deskbell conditions offline on
      """)

  @Argument(help: ArgumentHelp("A condition, and on or off.", valueName: "word"), completion: .conditions)
  var words: [String] = []
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    guard words.isEmpty || words.count == 2 else {
      throw ValidationError("Expected a condition and on or off, or nothing to show them all.")
    }
  }

  func run() async throws {
    let client = try options.client()
    if let name = words.first, let value = words.last {
      return try options.json.print([await client.setCondition(name, to: value)], settingsTable)
    }
    try options.json.print(await client.conditions(), settingsTable)
  }
}
