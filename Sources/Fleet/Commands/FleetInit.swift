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
      Run it first with the servers: it makes the folder with keys, certificates and each server's configuration, and says \
      how to install them. Run it again when the servers are up: it makes the streams. After that it may be run at any \
      time: it makes what is missing and sets right what differs. With --server of the same names it moves servers to other \
      hosts.

      A fleet has three servers, and works while two of them do; or one, for trials. Servers need nats-server 2.10.23 or \
      later (Debian 13) and their clocks set.

      Examples:
        deskbell fleet init --server a=10.0.0.1 --server b=10.0.0.2 \\
          --server c=10.0.0.3
        deskbell fleet init
        deskbell fleet init --server one=127.0.0.1:4222 --fleet /tmp/trial
        deskbell fleet init --server a=n1.example.org:4222:6222 \\
          --server b=n2.example.org --server c=n3.example.org --max-store 20GB
      """)

  @Option(
    name: .customLong("server"),
    help: ArgumentHelp(
      "A server: its name, its host, its port for desks (4222) and its port for the other servers (6222).",
      valueName: "name=host[:port[:port]]"))
  var named: [String] = []
  /// The option's name in 0.7.
  @Option(name: .customLong("node"), help: .hidden)
  var formerlyNamed: [String] = []
  @Option(help: ArgumentHelp("What a server may store at most. Default: 3/4 of the free space.", valueName: "size"))
  var maxStore: String?
  @OptionGroup var options: FleetServersOptions

  func run() async throws {
    let path = options.fleet.trimmed
    let servers = try (named + formerlyNamed).map { try Fleet.Server($0) }
    guard FleetFolder.exists(path) else {
      let folder = try FleetFolder(making: path, servers: servers, maxStore: maxStore, now: WallTime(Date()))
      let report = FleetChanges(folder: path, written: folder.fleet.servers.map { "nodes/\($0.name)" })
      return try options.fleet.json.print(report) { _ in FleetWords.made(folder) }
    }
    var folder = try options.fleet.open()
    var written = try folder.update(servers: servers, maxStore: maxStore)
    var changes: [ServerChange] = []
    if !options.isOffline {
      let servers = try await FleetServers(of: folder, waiting: FleetWords.sayWaiting)
      changes = try await servers.install(folder.fleet)
      written += try folder.change { $0.isInstalled = true }
    }
    let report = FleetChanges(folder: path, written: written, servers: changes)
    try options.fleet.json.print(report) { FleetWords.updated(folder, $0) }
  }
}

/// A command's changes, as JSON.
struct FleetChanges: Encodable {
  var folder: String
  /// The files that were written, relative to the folder.
  var written: [String] = []
  var servers: [ServerChange] = []
}
