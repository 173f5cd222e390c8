import ArgumentParser
import DeskbellDaemon

struct HandsetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handsets",
    abstract: "List the handsets of the daemon.",
    discussion: """
      The settings file names them (handsets, board-handset). Commands are about the one on the board; --handset NAME \
      or $DESKBELL_HANDSET selects another.

      Examples:
        deskbell handsets
        deskbell handsets --json | jq -r '.[].name'
        deskbell state --handset kitchen
      """)

  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func run() async throws {
    let handsets = try await control.client().handsets()
    try json.print(handsets, HandsetWords.list)
  }
}
