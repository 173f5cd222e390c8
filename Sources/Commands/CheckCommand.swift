import ArgumentParser
import DeskbellDaemon

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check board files, configuration files and app bundles.",
    discussion: """
      Prints each error as file:line:column: error: …, and exits with 1 if there are any. --json also prints the \
      contents of valid board files.

      Examples:
        deskbell check board-configs/simulated.yaml
        deskbell check /etc/deskbell.yaml examples/mailroom
      """)

  @Argument(help: ArgumentHelp("A board file, a configuration file, or an app's bundle folder.", valueName: "file"))
  var files: [String]
  @OptionGroup var json: JSONOption

  func run() throws {
    let reports = files.map { DeskbellDaemon.check(path: $0) }
    try json.print(reports) { reports in
      reports.map { $0.errors.isEmpty ? "\($0.file): fine" : $0.errors.joined(separator: "\n") }
        .joined(separator: "\n")
    }
    if reports.contains(where: { !$0.errors.isEmpty }) { throw ExitCode(Program.Exit.failed) }
  }
}
