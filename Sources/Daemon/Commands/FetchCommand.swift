import ArgumentParser
import CommandSupport

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Fetch the pushes that wait in the service.",
    discussion: """
      With the setting 'fetch-mode' fetch or manual, the newest push of each app, and of each publishing node, waits \
      in the service. This fetches all of them, or those of one app; they arrive as if just sent (F4). Opening an app \
      fetches its own; 'deskbell state' lists what waits.

      Examples:
        deskbell fetch
        deskbell fetch com.example.mailroom
        deskbell fetch --json
      """)

  @Argument(help: ArgumentHelp("Only this app's.", valueName: "app"), completion: .apps)
  var app: String?
  @OptionGroup var options: HandsetQuery

  func run() async throws {
    try options.json.print(await options.client().fetch(app)) { report in
      switch report.fetched {
      case 0: "nothing waited"
      case 1: "fetched 1 push"
      default: "fetched \(report.fetched) pushes"
      }
    }
  }
}
