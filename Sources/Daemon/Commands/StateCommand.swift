import ArgumentParser
import DeskbellDaemon

struct StateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Show the display, lamp, banner, alert and devices.",
    discussion: """
      With --wait, a script that has just started the daemon continues when it is ready. Exits with 3 if no daemon answers.

      Examples:
        deskbell state
        deskbell state --json
        deskbell state --handset kitchen
        deskbell serve --board simulated & deskbell state --wait 30s
      """)

  /// The time between two attempts to reach a daemon.
  private static let pause: Duration = .milliseconds(50)

  @Option(help: ArgumentHelp("Wait at most this long until the daemon is ready: 30s.", valueName: "time"))
  var wait: WaitingTime?
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func run() async throws {
    try json.print(await state(), StateWords.text)
  }

  private func state() async throws -> StateReport {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: wait?.duration ?? .zero)
    while true {
      do {
        return try await control.client().state()
      } catch {
        // The wait is only for a daemon that has not started yet.
        guard clock.now < end, Program.end(of: error).code == Program.Exit.noDaemon else { throw error }
        try await Task.sleep(for: StateCommand.pause)
      }
    }
  }
}
