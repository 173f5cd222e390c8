import ArgumentParser
import DeskbellDaemon

struct TopicCommand: ParsableCommand, KeyedCommand {
  static let way = KeyKind.topic

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
    subcommands: [
      Add.self, KeyListCommand<TopicCommand>.self, KeyRenewCommand<TopicCommand>.self,
      KeyRemoveCommand<TopicCommand>.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a topic, or change the app that it rings.",
      discussion: """
        Prints the line of curl that rings it, from any machine on the network. An existing topic keeps its key.

        Examples:
          deskbell topic add parcels --app com.example.mailroom
          deskbell topic add doorbell --app com.example.door --handset hall
          deskbell topic add parcels --app com.example.mailroom --qr
        """)

    @Argument(help: ArgumentHelp("The topic: letters, digits, '-' and '_'.", valueName: "name"))
    var name: String
    @OptionGroup var opens: KeyedOptions
    @OptionGroup var output: KeyOutputOptions

    func run() async throws {
      try await output.show { try await $0.setKey(.topic, name, KeyRequest(app: opens.app, handset: opens.handset)) }
    }
  }
}

struct KeyedOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app that it rings.", valueName: "app"), completion: .apps)
  var app: String
  @Option(help: ArgumentHelp("The handset that it rings. Default: the one on the board.", valueName: "name"))
  var handset: String?
}
