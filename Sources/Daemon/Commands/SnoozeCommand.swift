import ArgumentParser
import CommandSupport

struct SnoozeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Silence an app, or all of them, for a time.",
    discussion: """
      While an app is snoozed, its notifications are listed and light the lamp but make no sound. After the snooze, \
      unseen ones sound again, once for all of them. Critical notifications that are allowed for the app sound (N12). \
      Without --for it lasts as long as the setting 'snooze'. A long press of View snoozes the app of the top alert; \
      without an alert, and with the fetch mode push, all apps.

      Examples:
        deskbell snooze com.example.mailroom --for 30m
        deskbell snooze --all
        deskbell snooze --end
        deskbell snooze
      """)

  @Argument(help: ArgumentHelp("Only this app.", valueName: "app"), completion: .apps)
  var app: String?
  @Flag(help: "All apps.")
  var all = false
  @Option(name: .customLong("for"), help: ArgumentHelp("How long: 90s, 10m, 1h30m; 1m to 24h.", valueName: "time"))
  var time: SpanOfTime?
  @Flag(help: "End the app's snooze, or every one if no app is given.")
  var end = false
  @OptionGroup var options: HandsetQuery

  func validate() throws {
    if app != nil && all { throw ValidationError("Expected an app or --all, not both.") }
    if end && time != nil { throw ValidationError("--end and --for do not go together.") }
    if time != nil && app == nil && !all { throw ValidationError("--for needs an app, or --all.") }
  }

  func run() async throws {
    let client = try options.client()
    if end {
      try await client.endSnooze(app)
      if options.json.isWanted { return try Output.json(await client.snoozes()) }
      return try Output.line(app.map { "\($0) is no longer snoozed" } ?? "nothing is snoozed now")
    }
    let snoozes =
      app == nil && !all ? try await client.snoozes() : try await client.snooze(app, forSeconds: time?.seconds)
    try options.json.print(snoozes) { StateCommand.snoozes($0) }
  }
}
