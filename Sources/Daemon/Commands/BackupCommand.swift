import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up everything of this installation to one file, while the daemon runs.",
    discussion: """
      The file has the database, the apps, the certificate authority and the settings, also the keys: only its owner may \
      read it. An older backup of that name is replaced when the new one is complete.

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
    try json.print(report) { BackupWords.made($0) }
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
