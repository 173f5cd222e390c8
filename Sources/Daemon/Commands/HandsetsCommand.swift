import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct HandsetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handsets",
    abstract: "List the handsets of the daemon.",
    discussion: """
      The settings file names them (handsets, board-handset). Commands apply to the one on the board; --handset NAME \
      or $DESKBELL_HANDSET selects another.

      Examples:
        deskbell handsets
        deskbell handsets --json | jq -r '.[].name'
        deskbell state --handset kitchen
      """)

  @OptionGroup var options: DaemonQuery

  func run() async throws { try options.json.print(await options.client().handsets(), HandsetsCommand.list) }

  static func list(_ handsets: [HandsetReport]) -> String {
    let rows = handsets.map { handset in
      [
        handset.name, handset.isOnBoard ? "yes" : "no", "\(handset.apps)", "\(handset.unseen)", "\(handset.badge)",
        handset.deviceID,
      ]
    }
    return table([["NAME", "ON THE BOARD", "APPS", "UNSEEN", "BADGE", "DEVICE ID"]] + rows)
  }
}
