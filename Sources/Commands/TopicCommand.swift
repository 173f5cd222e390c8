import ArgumentParser
import ControlAPI

struct TopicCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "topic",
    abstract: "Manage topics: names that a line of curl, ntfy's clients and Gotify's ring.",
    discussion: """
      A topic rings one app. Its access key is shown once; the daemon stores only a digest.

      Examples:
        deskbell topic add parcels --app com.example.mailroom
        deskbell topic list
        deskbell topic key parcels
        deskbell topic remove parcels
      """,
    subcommands: [Add.self, List.self, Key.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a topic, or change the app that it rings.",
      discussion: """
        Prints the line of curl that rings it, from any machine on the network. A topic that is there already keeps its \
        key.

        Examples:
          deskbell topic add parcels --app com.example.mailroom
          deskbell topic add doorbell --app com.example.door --handset hall
        """)

    @Argument(help: ArgumentHelp("The topic: letters, digits, '-' and '_'.", valueName: "name"))
    var name: String
    @OptionGroup var opens: KeyedOptions
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      let report = try await control.client().setKey(.topic, name, opens.request)
      try json.print(report, KeyWords.topic)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the topics.")
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().keys(.topic)) { KeyWords.list($0, .topic) }
    }
  }

  struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a topic a new key; the old one opens nothing any more.",
      discussion: """
        Example:
          deskbell topic key parcels
        """)
    @Argument(help: ArgumentHelp("The topic.", valueName: "name"))
    var name: String
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().renewKey(.topic, name), KeyWords.topic)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a topic.")
    @Argument(help: ArgumentHelp("The topic.", valueName: "name"))
    var name: String
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try await control.client().removeKey(.topic, name)
      try Output.line("Removed topic \(name).")
    }
  }
}

/// What an access key opens.
struct KeyedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app that it rings.", valueName: "app"))
  var app: String
  @Option(help: ArgumentHelp("The handset that it rings. Default: the one on the board.", valueName: "name"))
  var handset: String?

  var request: KeyRequest { KeyRequest(app: app, handset: handset) }
}
