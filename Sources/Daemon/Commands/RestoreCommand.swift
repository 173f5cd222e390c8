import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring back a backup, or a database that was set aside.",
    discussion: """
      The daemon must be stopped. Nothing is deleted: what is in the state directory moves to a folder in it, and a \
      settings file that differs gets another name. A state that has apps or providers is replaced with --replace only. \
      If it is interrupted, nothing has changed, or the next start of the daemon completes it.

      FILE is a backup, a copy of the database that SQLite made, or a folder 'damaged-1' of the state directory.

      Examples:
        sudo systemctl stop deskbell.service
        sudo deskbell restore /root/desk.backup
        sudo systemctl start deskbell.service
        deskbell restore desk.backup --dry-run
        deskbell restore /var/lib/deskbell/damaged-1 --accept-changes
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file())
  var file: String
  @Flag(help: "Only examine the backup, and print its contents.")
  var dryRun = false
  @Flag(help: "Also replace a state that has apps or providers.")
  var replace = false
  @Flag(help: "Leave the settings file and the files that it names as they are.")
  var keepSettings = false
  @Flag(help: "Accept pages that another program wrote, if SQLite's integrity check passes.")
  var acceptChanges = false
  @OptionGroup var installation: InstallationOptions
  @OptionGroup var json: JSONOption

  func run() throws {
    var options = Restore.Options(source: file)
    options.isDryRun = dryRun
    options.replaces = replace
    options.keepsSettings = keepSettings
    options.acceptsChanges = acceptChanges
    let report = try Restore.run(options, installation.options) { Output.progress("\($0) …") }
    Output.progress("")
    try json.print(report) { BackupCommand.restored($0, from: file, isDryRun: dryRun) }
  }
}
