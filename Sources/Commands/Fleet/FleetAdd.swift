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
        deskbell fleet add reception --json | jq -r .folder
      """)

  @Argument(help: ArgumentHelp("Its name: 1 to 32 of a-z, 0-9 and -.", valueName: "name"))
  var name: String
  @Flag(help: "It is a gateway, not a desk.")
  var gateway = false
  @OptionGroup var offline: OfflineOption
  @OptionGroup var options: FleetOptions

  func run() async throws {
    let kind: FleetUserKind = gateway ? .gateway : .desk
    var folder = try options.open()
    let written = try folder.add(name, kind)
    let report = FleetUserReport(name: name, kind: kind, folder: folder.path(of: name, kind), written: written)
    try options.json.print(report) { _ in FleetWords.added(name, kind, in: folder, written) }
  }
}

struct FleetRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a desk or a gateway.",
    discussion: """
      A desk's device tokens are then gone: pushes to them are answered 410. What waits for it is deleted. Its \
      credentials end when the servers have the new users.conf.

      Example:
        deskbell fleet remove reception
      """)

  @Argument(help: ArgumentHelp("The name of the desk or gateway.", valueName: "name"))
  var name: String
  @OptionGroup var offline: OfflineOption
  @OptionGroup var options: FleetOptions

  func run() async throws {
    var folder = try options.open()
    guard let kind = folder.fleet.kind(of: name) else { throw folder.fleet.unknown(name) }
    let written = try folder.remove(name)
    let report = FleetUserReport(name: name, kind: kind, folder: nil, written: written)
    try options.json.print(report) { _ in FleetWords.removed(name, kind, in: folder, written) }
  }
}

/// What `fleet add` and `fleet remove` did, as JSON.
struct FleetUserReport: Encodable {
  var name: String
  var kind: String
  /// With its credentials; nil where it was removed.
  var folder: String?
  /// Below the administrator's folder.
  var written: [String]

  init(name: String, kind: FleetUserKind, folder: String?, written: [String]) {
    (self.name, self.kind, self.folder, self.written) = (name, kind.rawValue, folder, written)
  }
}
