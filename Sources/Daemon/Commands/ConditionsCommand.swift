import ArgumentParser
import DeskbellDaemon

struct ConditionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conditions",
    abstract: "Show or change conditions: offline, low-power, locked, silent.",
    usage: "deskbell conditions [<name> on|off] [--json] [--handset <name>] [--control <socket>]",
    discussion: """
      offline: nothing arrives; the newest push of each app is kept until it expires (F1).
      low-power: no app is woken in the background (U7).
      locked: the screen is locked (N5).
      silent: the ring/silent switch is set to silent (S5).

      Examples:
        deskbell conditions
        deskbell conditions offline on
      """)

  @Argument(help: ArgumentHelp("A condition, and on or off.", valueName: "word"), completion: .conditions)
  var words: [String] = []
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func validate() throws {
    guard words.isEmpty || words.count == 2 else {
      throw ValidationError("Expected a condition and on or off, or nothing to show them all.")
    }
  }

  func run() async throws {
    let client = try control.client()
    if let name = words.first, let value = words.last {
      return try json.print([await client.setCondition(name, to: value)], settingsTable)
    }
    try json.print(await client.conditions(), settingsTable)
  }
}
