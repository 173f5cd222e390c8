import ArgumentParser
import DeskbellDaemon

struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Show the handset's clock, or advance a virtual one.",
    discussion: """
      With 'serve --clock virtual' the handset's time moves only when it is advanced. Everything that becomes due \
      meanwhile happens in order, each at its own time.

      Examples:
        deskbell clock
        deskbell clock advance 45m
        deskbell clock advance 1d12h --json
      """,
    subcommands: [Show.self, Advance.self],
    defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the handset's clock.", shouldDisplay: false)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().clock()) { ClockWords.line($0) }
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Advance a virtual clock; everything due until then happens.",
      discussion: "Waits for app processes that this starts.")

    @Argument(help: ArgumentHelp("How far: 90s, 45m, 1h30m, 30d.", valueName: "duration"))
    var duration: SpanOfTime
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
      guard ControlLimits.advanceSeconds.contains(duration.seconds) else {
        throw ValidationError("The clock advances by 1 s to 366 d at a time.")
      }
    }

    func run() async throws {
      let clock = try await control.client().advanceClock(bySeconds: duration.seconds)
      try json.print(clock) { ClockWords.line($0) }
    }
  }
}

extension SpanOfTime: ExpressibleByArgument {}
