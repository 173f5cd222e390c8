import ArgumentParser
import FleetFolder

struct FleetAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a desk or a gateway.",
    discussion: """
      Makes its credentials and says where to copy them. A desk is a daemon with its handsets; a gateway receives pushes \
      for all desks. Run it again for one that is there: it makes what is missing.

      Examples:
        deskbell fleet add reception
        deskbell fleet add door --gateway
        deskbell fleet add reception --json | jq -r .credentials
      """)

  @Argument(help: ArgumentHelp("Its name: 1 to 32 of a-z, 0-9 and -.", valueName: "name"))
  var name: String
  @Flag(help: "It is a gateway, not a desk.")
  var gateway = false
  @OptionGroup var options: FleetServersOptions

  func run() async throws {
    let kind: FleetUserKind = gateway ? .gateway : .desk
    var folder = try options.fleet.open()
    try folder.fleet.checkNew(name, kind)
    let servers = try await options.servers(of: folder)
    let desks = kind == .desk ? [name] : []
    let changes = try await servers?.installConsumers(of: desks, in: folder.fleet) ?? []
    let written = try folder.add(name, kind)
    let report = FleetUserReport(
      name: name, kind: kind.rawValue, credentials: folder.path(of: name, kind),
      changes: .init(folder: folder.path, written: written, servers: changes))
    try options.fleet.json.print(report) { FleetWords.added($0, kind, in: folder) }
  }
}

struct FleetRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a desk or a gateway.",
    discussion: """
      Stop its daemon first. A desk's device tokens are then gone: pushes to them are answered 410. What waits for it is \
      deleted. Its credentials end when the servers have the new users.conf.

      Example:
        deskbell fleet remove reception
      """)

  @Argument(help: ArgumentHelp("The name of the desk or gateway.", valueName: "name"))
  var name: String
  @OptionGroup var options: FleetServersOptions

  func run() async throws {
    var folder = try options.fleet.open()
    let kind = try folder.fleet.checkRemovable(name)
    let servers = try await options.servers(of: folder)
    let now = folder.now.microseconds / 1_000
    let removal = try await kind == .desk ? servers?.removeDesk(name, now: now) : nil
    let written = try folder.remove(name)
    let report = FleetUserReport(
      name: name, kind: kind.rawValue, removed: removal, changes: .init(folder: folder.path, written: written))
    try options.fleet.json.print(report) { FleetWords.removed($0, in: folder) }
  }
}

/// The result of `fleet add` and `fleet remove`, as JSON.
struct FleetUserReport: Encodable {
  var name: String
  var kind: String
  /// The folder of the credentials; nil if they were removed.
  var credentials: String?
  var removed: FleetServers.Removal?
  var changes: FleetChanges
}
