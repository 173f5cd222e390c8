import ArgumentParser

struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "List events: what happened, and why.",
    discussion: """
      Every event has a sequence number; --since continues after one. Old events are deleted, refusals apart from the \
      others; if events after --since are gone, a warning goes to standard error, once. --json prints one JSON object \
      per line.

      Examples:
        deskbell events
        deskbell events --follow --since 1200
        deskbell events --json | grep '"event":"refused"'
      """)

  @Flag(help: "Keep printing new events until Ctrl-C.")
  var follow = false
  @Option(help: ArgumentHelp("Only events after this number.", valueName: "number"))
  var since: UInt64?
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func run() async throws {
    let client = try control.client()
    let asJSON = json.isWanted
    // Without --since the oldest event may have any number.
    var expected = since.map { $0 &+ 1 }
    var last = since ?? 0
    var hasSaidGap = false
    try await client.events(after: last, follow: follow) { line in
      let event = try client.event(line)
      if !hasSaidGap, let gap = EventWords.gap(from: expected, to: event.sequence) {
        hasSaidGap = true
        Output.complaint(gap)
      }
      last = event.sequence
      expected = last + 1
      try Output.line(asJSON ? line : EventWords.line(event))
    }
    // A stream that follows ends with the daemon.
    if follow { throw EventsCommand.daemonStopped(after: last) }
  }

  static func daemonStopped(after sequence: UInt64) -> Failure {
    Failure(
      "the daemon stopped", hint: "when it runs again, continue with 'deskbell events --follow --since \(sequence)'",
      code: Program.Exit.noDaemon)
  }
}
