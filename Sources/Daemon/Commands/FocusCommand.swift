import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct FocusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focus",
    abstract: "Manage Focus modes, and turn one on or off.",
    discussion: """
      While a mode is on, the notifications of other apps than those that it allows are only listed: no banner, no \
      sound, no lamp. Critical notifications pass, and time-sensitive ones if the mode allows them (Q3).

      Examples:
        deskbell focus set work --allow com.example.mailroom,com.example.build
        deskbell focus set sleep --hours 22:00-07:00 --no-time-sensitive
        deskbell focus on work
        deskbell focus off
        deskbell focus list
        deskbell focus remove work
      """,
    subcommands: [List.self, Set.self, On.self, Off.self, Remove.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the modes, and show which one is on.")
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      try options.json.print(await options.client().focus()) { FocusCommand.text($0) }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Create a mode, or replace one.",
      discussion: """
        A filter names the filter-criteria that pass, of an allowed app's pushes that have some.

        Examples:
          deskbell focus set work --allow com.example.mailroom
          deskbell focus set work --allow com.example.mailroom \\
            --filter com.example.mailroom=team,boss
          deskbell focus set sleep --hours 22:00-07:00 --no-time-sensitive
        """)
    @Argument(help: ArgumentHelp("Letters, digits, '.', '-' and '_'; not off.", valueName: "name"))
    var name: String
    @Option(help: ArgumentHelp("The apps that pass, separated by commas.", valueName: "apps"), completion: .apps)
    var allow: String?
    @Option(help: ArgumentHelp("An app's criteria that pass: APP=A,B. May be repeated.", valueName: "criteria"))
    var filter: [String] = []
    @Option(help: ArgumentHelp("The hours at which it turns on and off: 22:00-07:00.", valueName: "hours"))
    var hours: String?
    @Flag(inversion: .prefixedNo, help: "Time-sensitive notifications of all apps pass.")
    var timeSensitive = true
    @OptionGroup var options: HandsetQuery

    func validate() throws { _ = try filters() }

    func filters() throws -> [String: [String]] {
      var filters: [String: [String]] = [:]
      for text in filter {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("Expected APP=CRITERIA, not '\(text)'.") }
        filters[parts[0], default: []] += splitList(parts[1])
      }
      return filters
    }

    func run() async throws {
      let mode = FocusModeReport(
        allow: splitList(allow ?? ""), timeSensitive: timeSensitive, filters: try filters(), schedule: hours)
      try options.json.print(await options.client().setFocusMode(name, mode)) { FocusCommand.text($0) }
    }
  }

  struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "on",
      abstract: "Turn a mode on, and the one off that is on.",
      discussion: """
        Example:
          deskbell focus on work
        """)
    @Argument(help: ArgumentHelp("The mode.", valueName: "name"))
    var name: String
    @OptionGroup var options: HandsetQuery

    func run() async throws { try await FocusCommand.turn(to: name, options) }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Turn the mode off that is on; its hours turn it on again tomorrow.")
    @OptionGroup var options: HandsetQuery

    func run() async throws { try await FocusCommand.turn(to: "off", options) }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a mode.")
    @Argument(help: ArgumentHelp("The mode.", valueName: "name"))
    var name: String
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      let client = try options.client()
      try await client.removeFocusMode(name)
      try options.json.print(await client.focus()) { FocusCommand.text($0) }
    }
  }

  private static func turn(to value: String, _ options: HandsetQuery) async throws {
    let client = try options.client()
    _ = try await client.set("focus", to: value, of: nil)
    try options.json.print(await client.focus()) { text($0) }
  }

  /// Returns a line for each mode: `work  on  com.example.mailroom  time-sensitive`.
  static func text(_ focus: FocusReport, _ clock: ClockFace = .local) -> String {
    let rows = focus.modes.map { mode in
      let name = mode.name ?? ""
      let end = focus.untilWallMicroseconds.map { " until \(clock.dateAndTime($0))" } ?? ""
      let filters = (mode.filters ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1.joined(separator: ","))" }
      let passes =
        (mode.allow ?? []) + (mode.timeSensitive == true ? ["time-sensitive"] : []) + ["critical"] + filters
      return [
        oneLine(name), name == focus.mode ? "on\(end)" : "off", mode.schedule ?? "-",
        oneLine(passes.joined(separator: " ")),
      ]
    }
    return table(["MODE", "STATE", "HOURS", "PASSES"], rows) ?? "there are no Focus modes; make one: deskbell focus set"
  }
}
