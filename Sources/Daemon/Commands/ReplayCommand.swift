import ArgumentParser
import CommandSupport
import InputRecording

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a journal of inputs and print the events.",
    discussion: """
      Replays a file recorded by 'deskbell serve --journal FILE'. The events are identical to those of 'deskbell \
      events --json'. Needs no daemon and drives no device: the journal contains the drivers' reports. After a restart \
      of the daemon, or at the start of a continued journal, the replay starts from the state recorded there.

      Examples:
        deskbell replay inputs.journal
        deskbell replay inputs.journal --state copy-of-the-state-directory
      """)

  @Argument(help: ArgumentHelp("The journal.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp(
      "A copy of a state directory to start from instead of the journal's own start.",
      valueName: "dir"))
  var state: String?

  func run() throws {
    let summary = try Replay(journal: file, state: state).run { try Output.line($1.printableJSON) }
    for line in summary.unfinishedLines {
      Output.complaint("\(file):\(line): warning: the line is unfinished, its input is not replayed")
    }
  }
}
