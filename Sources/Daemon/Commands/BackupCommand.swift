import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up everything of this installation to one file, while the daemon runs.",
    discussion: """
      The file contains the database, the apps, the certificate authority and the settings, also the keys: only its \
      owner may read it. An older backup of that name is replaced when the new one is complete.

      Examples:
        sudo deskbell backup /root/desk.backup
        deskbell backup desk.backup --json
      """)

  @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
  var file: String
  @OptionGroup var installation: InstallationOptions
  @OptionGroup var json: JSONOption

  func run() throws {
    let report = try Backup.make(at: file, installation.options) { Output.progress("\($0) …") }
    Output.progress("")
    try json.print(report) { BackupCommand.made($0) }
  }

  static func made(_ report: Backup.Report) -> String {
    let contents = report.contents
    var lines = ["\(report.file), \(max(1, report.bytes / 1_000_000)) MB, has:"]
    lines += summary(contents.apps, contents.providers, contents.notifications, contents.settings)
    lines += report.leftOut.map { "left out: \(oneLine($0))" }
    return (lines + ["It contains keys: keep it where only you can read it."]).joined(separator: "\n")
  }

  static func restored(_ report: Restore.Report, from file: String, isDryRun: Bool) -> String {
    let origin = report.backup.map { backup in
      ", made on \(oneLine(backup.machine)) by Deskbell \(oneLine(backup.version)) at \(oneLine(backup.made)), has:"
    }
    var lines = [file + (origin ?? " is a database alone. It has:")]
    lines += summary(report.apps, report.providers, report.notifications, report.settings)
    if !report.acceptedPages.isEmpty {
      let pages = counted(report.acceptedPages.count, "page")
      lines.append("\(pages) that another program wrote: accepted, SQLite's integrity check passes")
    }
    if isDryRun { return (lines + ["Nothing was changed."]).joined(separator: "\n") }
    lines.append("It is in \(report.state) now; start the daemon.")
    if let replaced = report.replaced { lines.append("What was there before is in \(replaced).") }
    lines += report.replacedSettings.map { "The settings file that was there before is \(oneLine($0))." }
    return lines.joined(separator: "\n")
  }

  private static func summary(
    _ apps: [String], _ providers: [String], _ notifications: Int, _ settings: [String]
  ) -> [String] {
    func list(_ names: [String]) -> String {
      names.isEmpty ? "none" : names.map { oneLine($0) }.joined(separator: ", ")
    }
    return [
      "  apps           \(list(apps))", "  providers      \(list(providers))",
      "  notifications  \(notifications)", "  settings       \(list(settings))",
    ]
  }
}

/// `--config` and `--state`, for the commands that work on an installation's files.
struct InstallationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The settings file. Default: this user's, as for 'deskbell serve', else /etc/deskbell/deskbell.yaml.",
      valueName: "file"))
  var config: String?
  @Option(
    help: ArgumentHelp(
      "The state directory. Default: the settings file's, $DESKBELL_STATE, /var/lib/deskbell for root, else "
        + "~/.local/state/deskbell.", valueName: "dir"))
  var state: String?

  var options: DaemonOptions {
    var options = DaemonOptions(config: config ?? SettingsFile.installed(Environment.ofProcess))
    options.state = state
    return options
  }
}
