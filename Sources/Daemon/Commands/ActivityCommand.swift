import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import HTTP

struct ActivityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity",
    abstract: "List and dismiss Live Activities; start, update and end an app's own.",
    discussion: """
      A Live Activity is a state that stays for hours, such as a score or a timer. The topmost one may own the digits. \
      Providers start and update them by push; 'deskbell app activities APP' shows the tokens for it.

      Examples:
        deskbell activity list
        deskbell activity start com.example.match --content '{"score": "0:0"}'
        deskbell activity update com.example.match 41 --content '{"score": "1:0"}'
        deskbell activity end com.example.match 41
        deskbell activity dismiss 41
      """,
    subcommands: [List.self, Dismiss.self, Start.self, Update.self, End.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the Live Activities.")
    @Argument(help: ArgumentHelp("Only those of this app.", valueName: "app"), completion: .apps)
    var app: String?
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      try options.json.print(await options.client().activities(app)) { ActivityCommand.lines($0) }
    }
  }

  struct Dismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "dismiss", abstract: "Dismiss a Live Activity.")
    @Argument(help: "Its number, as 'deskbell activity list' shows it.")
    var number: UInt64
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      try await options.client().dismissActivity(number)
      try Output.line("Live Activity \(number) is dismissed")
    }
  }

  struct Content: ParsableArguments {
    @Option(help: ArgumentHelp("Its state, an object of JSON.", valueName: "json"))
    var content: String?
    @Option(help: ArgumentHelp("When it becomes stale, from now: 90s, 10m, 1h30m.", valueName: "time"))
    var stale: SpanOfTime?
    @Option(help: ArgumentHelp("Its relevance; the highest is on top.", valueName: "number"))
    var relevance: Double?

    func json() throws -> JSONValue? {
      try content.map { text -> JSONValue in
        guard case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
          throw ValidationError("--content is an object of JSON, such as '{\"score\": \"1:0\"}'.")
        }
        return .object(members)
      }
    }

    func validate() throws { _ = try json() }
  }

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start a Live Activity, as the app itself does.")
    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @OptionGroup var body: Content
    @Option(help: ArgumentHelp("Subscribe it to this channel; it gets no token then.", valueName: "id"))
    var channel: String?
    @Option(help: ArgumentHelp("The type of its attributes.", valueName: "name"))
    var type: String?
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      let report = try await options.client().changeActivity(
        app, nil, content: body.json(), type: type, channel: channel, staleSeconds: body.stale?.seconds,
        relevance: body.relevance)
      try options.json.print(report) { ActivityCommand.lines([$0]) }
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Give a Live Activity a new state, as the app itself does.")
    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @Argument(help: "Its number.")
    var number: UInt64
    @OptionGroup var body: Content
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      let report = try await options.client().changeActivity(
        app, number, content: body.json(), staleSeconds: body.stale?.seconds, relevance: body.relevance)
      try options.json.print(report) { ActivityCommand.lines([$0]) }
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "End a Live Activity, as the app itself does.")
    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @Argument(help: "Its number.")
    var number: UInt64
    @OptionGroup var body: Content
    @Option(help: ArgumentHelp("When it is dismissed, from now; four hours if absent.", valueName: "time"))
    var dismiss: SpanOfTime?
    @OptionGroup var options: HandsetQuery

    func run() async throws {
      let report = try await options.client().changeActivity(
        app, number, isEnd: true, content: body.json(), dismissalSeconds: dismiss?.seconds,
        relevance: body.relevance)
      try options.json.print(report) { ActivityCommand.lines([$0]) }
    }
  }

  static func lines(_ activities: [ActivityReport]) -> String {
    guard !activities.isEmpty else { return "no Live Activity" }
    return activities.map { activity in
      let token = activity.token.map { "  token \($0)" } ?? activity.channel.map { "  channel \($0)" } ?? ""
      return "\(activity.id)  \(activity.app)  \(activity.state)  \(activity.contentText)\(token)"
    }.joined(separator: "\n")
  }
}

extension AppCommand {
  struct Activities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "activities",
      abstract: "Show an app's Live Activities and their tokens, and the token that starts them.",
      discussion: """
        Examples:
          deskbell app activities com.example.match
          deskbell app activities com.example.match --json | jq -r .startToken
        """)
    @OptionGroup var app: AppOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
      let report = try await app.control.client().appActivities(app.id)
      try json.print(report) { report in
        "start token  \(report.startToken ?? "none")\n\(ActivityCommand.lines(report.activities))"
      }
    }
  }
}
