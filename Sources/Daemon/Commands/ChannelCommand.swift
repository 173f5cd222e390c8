import ArgumentParser
import CommandSupport
import DeskbellDaemon
import ProviderClient

struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Manage the channels of broadcasts, and broadcast on them.",
    discussion: """
      A broadcast changes every Live Activity that is subscribed to its channel. The app's app.yaml needs \
      'broadcast: true'. Providers make channels by Apple's API; this is the same without a provider.

      Examples:
        deskbell channel create com.example.match --store
        deskbell channel list
        deskbell channel publish com.example.match 8xGvS1cLRkqz0b3bWl1bTw== goal.json
        deskbell channel delete com.example.match 8xGvS1cLRkqz0b3bWl1bTw==
      """,
    subcommands: [Create.self, List.self, Read.self, Delete.self, Publish.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Make a channel, and print its identifier.",
      discussion: """
        Whether broadcasts are stored cannot be changed later.

        Examples:
          deskbell channel create com.example.match
          deskbell channel create com.example.match --store
        """)

    @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
    var app: String
    @Flag(help: "Store the newest broadcast for handsets that are offline, up to 8 hours (message-storage-policy 1).")
    var store = false
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let channel = try await options.client().makeChannel(of: app, policy: store ? 1 : 0)
      try options.json.print(channel, \.channel)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the channels, and the use of each since the daemon's start.")

    @Argument(help: ArgumentHelp("Only this app.", valueName: "app"), completion: .apps)
    var app: String?
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      try options.json.print(await options.client().channels(of: app)) { ChannelCommand.list($0) }
    }
  }

  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read", abstract: "Show a channel.")

    @OptionGroup var place: ChannelArguments
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      try options.json.print(await options.client().channel(place.channel, of: place.app)) { ChannelCommand.list([$0]) }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a channel; its identifier is never given again.")

    @OptionGroup var place: ChannelArguments
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try await control.client().deleteChannel(place.channel, of: place.app)
      try Output.line("Deleted channel \(place.channel) of \(place.app).")
    }
  }

  struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "publish",
      abstract: "Broadcast on a channel, and print the broadcast's identifier.",
      discussion: """
        The payload's aps has event (update or end), timestamp and content-state.

        Examples:
          deskbell channel publish com.example.match 8xGvS1cLRkqz0b3bWl1bTw== goal.json
          deskbell channel publish com.example.match 8xGvS1cLRkqz0b3bWl1bTw== - \\
            < goal.json
        """)

    @OptionGroup var place: ChannelArguments
    @Argument(help: ArgumentHelp("A file with the payload, JSON; - reads standard input.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("10, 5 or 1. Default: 10.", valueName: "number"))
    var priority: Int?
    @Option(
      help: ArgumentHelp(
        "Unix time at which a stored broadcast expires. Default: 0, it is not stored.", valueName: "seconds"))
    var expiration: Int64?
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let payload = try APNSFile(path: file == "-" ? "/dev/stdin" : file).payload
      let report = try await options.client().broadcast(
        String(decoding: payload, as: UTF8.self), on: place.channel, of: place.app, priority: priority,
        expiration: expiration)
      try options.json.print(report, \.push)
    }
  }

  static func list(_ channels: [ChannelReport]) -> String {
    let rows = channels.map { channel in
      [
        channel.app, channel.channel, channel.policy == 1 ? "newest" : "none", "\(channel.subscriptions)",
        "\(channel.subscribers)", "\(channel.published)", "\(channel.delivered)",
      ]
    }
    return table(["APP", "CHANNEL", "STORED", "ACTIVITIES", "HANDSETS", "PUBLISHED", "DELIVERED"], rows)
      ?? "there is no channel; 'deskbell channel create APP' makes one"
  }
}

struct ChannelArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The app's bundle identifier.", valueName: "app"), completion: .apps)
  var app: String
  @Argument(help: ArgumentHelp("The channel's identifier.", valueName: "channel"))
  var channel: String
}
