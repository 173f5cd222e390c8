import ArgumentParser
import CommandSupport
import FleetFolder
import HandsetCore
import PushPort

struct FleetGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Manage groups: one device token that rings several desks.",
    discussion: """
      Examples:
        deskbell fleet group add front --app com.example.shop reception office/2
        deskbell fleet group remove front
      """,
    subcommands: [Add.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a group, and print its device token, once.",
      discussion: """
        A push to the token rings every desk of the group. Acknowledging the notification at one desk clears it at the \
        others. The token is not kept anywhere; who loses it removes the group and adds it again.

        Examples:
          deskbell fleet group add front --app com.example.shop reception office/2
          deskbell fleet group add front --app com.example.shop a b --json >front.json
        """)

    @Argument(help: ArgumentHelp("The group's name: 1 to 32 of a-z, 0-9 and -.", valueName: "group"))
    var name: String
    @Option(help: ArgumentHelp("The app, which each of the handsets has.", valueName: "app"))
    var app: String
    @Option(help: ArgumentHelp("The push environment.", valueName: "development|production"))
    var environment = PushEnvironment.production
    @Argument(
      help: ArgumentHelp("A desk, or one of its handsets; else the one on its board.", valueName: "desk[/handset]"))
    var desks: [String]
    @OptionGroup var options: FleetServersOptions

    func run() async throws {
      var folder = try options.fleet.open()
      guard let token = DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) }) else { return }
      var fleet = folder.fleet
      let group = try fleet.addGroup(
        name, app: app, environment: environment.rawValue, members: desks, token: token,
        since: folder.now.microseconds / 1_000)
      let servers = try await options.servers(of: folder)
      let changes = try await servers?.add(group, in: fleet) ?? []
      let written = try folder.change { [fleet] in $0 = fleet }
      let report = FleetGroupReport(
        group: name, app: app, token: token.hex, desks: desks,
        changes: .init(folder: folder.path, written: written, servers: changes))
      try options.fleet.json.print(report) { FleetWords.groupAdded($0, in: folder) }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a group; its device token is then gone.",
      discussion: """
        Example:
          deskbell fleet group remove front
        """)

    @Argument(help: ArgumentHelp("The group's name.", valueName: "group"))
    var name: String
    @OptionGroup var options: FleetServersOptions

    func run() async throws {
      var folder = try options.fleet.open()
      var fleet = folder.fleet
      let group = try fleet.removeGroup(name)
      let servers = try await options.servers(of: folder)
      let now = folder.now.microseconds / 1_000
      let changes = try await servers?.remove(group, in: fleet, now: now) ?? []
      let written = try folder.change { [fleet] in $0 = fleet }
      let report = FleetGroupReport(
        group: name, app: group.app, token: nil, desks: group.desks.map(\.description),
        changes: .init(folder: folder.path, written: written, servers: changes))
      try options.fleet.json.print(report) { FleetWords.groupRemoved($0, in: folder) }
    }
  }
}

/// The result of `fleet group`, as JSON.
struct FleetGroupReport: Encodable {
  var group: String
  var app: String
  /// The token, only when the group is made.
  var token: String?
  var desks: [String]
  var changes: FleetChanges
}
