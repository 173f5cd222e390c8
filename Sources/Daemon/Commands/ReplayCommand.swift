import ArgumentParser
import CommandSupport
import InputRecording

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay recorded inputs and print the events.",
    discussion: """
      Replays a file recorded by 'deskbell serve --record FILE'. The events are identical to those of 'deskbell \
      events --json'. Needs no daemon and drives no device: the reports of drivers are recorded inputs too. After a \
      restart of the daemon, and at the start of a continued file, the replay starts from the state recorded there.

      Examples:
        deskbell replay inputs.jsonl
        deskbell replay inputs.jsonl --state copy-of-the-state-directory
      """)

  @Argument(help: ArgumentHelp("The recorded inputs.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp(
      "A copy of a state directory to start from instead of the recorded one.",
      valueName: "dir"))
  var state: String?

  func run() throws {
    let summary = try Replay(of: file, state: state).run { try Output.line($1.printableJSON) }
    for line in summary.unfinishedLines {
      Output.complaint("\(file):\(line): warning: the line is unfinished, its input is not replayed")
    }
  }
}
