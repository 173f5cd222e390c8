import ArgumentParser
import FleetFolder
import FoundationEssentials
import HandsetCore
import ServerIdentity

struct FleetInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a fleet's folder; once its servers run, make on them what the fleet needs.",
    discussion: """
      Run it first with the nodes: it makes the folder with keys, certificates and each server's configuration, and says \
      how to install them. Run it again when the servers are up: it makes the streams. After that it may be run at any \
      time: it makes what is missing and changes nothing else. With --node of the same names, it moves nodes to other \
      hosts.

      A fleet has three nodes, and works while two of them do; or one, for trials. Nodes need nats-server 2.10.23 or \
      later (Debian 13) and their clocks set.

      Examples:
        deskbell fleet init --node a=10.0.0.1 --node b=10.0.0.2 --node c=10.0.0.3
        deskbell fleet init
        deskbell fleet init --node one=127.0.0.1:4222 --fleet /tmp/trial
        deskbell fleet init --node a=n1.example.org:4222:6222 \\
          --node b=n2.example.org --node c=n3.example.org --max-store 20GB
      """)

  @Option(
    name: .customLong("node"),
    help: ArgumentHelp(
      "A server: its name, its host, its port for desks (4222) and its port for the other nodes (6222).",
      valueName: "name=host[:port[:port]]"))
  var nodes: [String] = []
  @Option(help: ArgumentHelp("What a node may store at most. Default: 3/4 of the free space.", valueName: "size"))
  var maxStore: String?
  @OptionGroup var offline: OfflineOption
  @OptionGroup var options: FleetOptions

  func run() async throws {
    let path = options.trimmed
    var nodes: [Fleet.Node] = []
    for text in self.nodes { nodes.append(try Fleet.Node(text)) }
    guard FleetFolder.exists(path) else {
      let folder = try FleetFolder(making: path, nodes: nodes, maxStore: maxStore, now: WallTime(Date()))
      let report = FleetInitReport(folder: path, written: folder.fleet.nodes.map { "nodes/\($0.name)" })
      return try options.json.print(report) { _ in FleetWords.made(folder) }
    }
    var folder = try options.open()
    let written = try folder.update(nodes: nodes, maxStore: maxStore)
    let report = FleetInitReport(folder: path, written: written)
    try options.json.print(report) { _ in FleetWords.updated(folder, written) }
  }
}

/// What `fleet init` did, as JSON.
struct FleetInitReport: Encodable {
  var folder: String
  /// Below the folder.
  var written: [String]
}
