import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check board and display files, configuration files and app bundles.",
    discussion: """
      Prints each error as file:line:column: error: …, and exits with 1 if there are any. --json also prints the \
      contents of valid board files.

      Examples:
        deskbell check board-configs/simulated.yaml
        deskbell check board-configs/raspberry-pi-4.yaml --display max7219
        deskbell check /etc/deskbell.yaml examples/mailroom
      """)

  @Argument(
    help: ArgumentHelp(
      "A board, display or configuration file, or an app's bundle folder.", valueName: "file"))
  var files: [String]
  @Option(
    help: ArgumentHelp("Check boards with this display: a file, or a shipped one's name.", valueName: "file|name"))
  var display: String?
  @OptionGroup var json: JSONOption

  func run() throws {
    let reports = files.map { DeskbellDaemon.check(path: $0, display: display) }
    try json.print(reports) { reports in
      reports.map { $0.errors.isEmpty ? "\($0.file): fine" : $0.errors.joined(separator: "\n") }
        .joined(separator: "\n")
    }
    if reports.contains(where: { !$0.errors.isEmpty }) { throw ExitCode(Program.Exit.failed) }
  }
}
