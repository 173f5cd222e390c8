import ArgumentParser

struct StateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Show the display, lamp, banner, alert and devices.",
    discussion: """
      Examples:
        deskbell state
        deskbell state --json
        deskbell state --handset kitchen
      """)

  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func run() async throws {
    let state = try await control.client().state()
    try json.print(state, StateWords.text)
  }
}
