// deskbell replay: what was recorded happens again, to a handset without a board.

import ArgumentParser
import DeskbellDaemon

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run a journal of inputs through a handset, and print the events.",
    discussion: """
      The journal is what 'deskbell serve --journal FILE' recorded; the events are those of 'deskbell events --json', \
      byte for byte. No daemon is needed and no device is driven: what drivers reported is in the journal. Where the \
      daemon was restarted, or the journal was continued in a new file, the handset begins with what was stored then.

      Examples:
        deskbell replay inputs.journal
        deskbell replay inputs.journal --state copy-of-the-state-directory
      """)

  @Argument(help: ArgumentHelp("The journal.", valueName: "file"))
  var file: String
  @Option(
    help: ArgumentHelp(
      "A copy of a state directory, to begin with what it holds instead of what the journal begins with.",
      valueName: "dir"))
  var state: String?

  func run() throws {
    let summary = try Replay(journal: file, state: state).run { try Output.line($0) }
    for line in summary.unfinishedLines {
      Output.complaint("\(file):\(line): warning: the line is unfinished, its input is not replayed")
    }
  }
}
