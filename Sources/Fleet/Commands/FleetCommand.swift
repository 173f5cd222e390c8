// `deskbell fleet`: the administrator's part of many desks. It works on the administrator's folder, and through the
// NATS servers; no daemon needs to run here.

import ArgumentParser
import CommandSupport
import FleetFolder
import FleetLink
import FoundationEssentials
import HandsetCore
import ServerIdentity

public struct FleetCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Manage many desks behind one address.",
    discussion: """
      Desks and gateways meet at NATS servers, three of them or one. Their administrator has a folder with the keys of \
      all. A command changes the folder, says which files to copy where, and makes on the servers what belongs there.

      Examples:
        deskbell fleet init --server a=10.0.0.1 --server b=10.0.0.2 \\
          --server c=10.0.0.3
        deskbell fleet add reception
        deskbell fleet add door --gateway
        deskbell fleet group add front --app com.example.shop reception office/2
        deskbell fleet list
        deskbell fleet check
        deskbell fleet explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B
      """,
    subcommands: [
      FleetInit.self, FleetAdd.self, FleetRemove.self, FleetGroup.self, FleetList.self, FleetCheck.self,
      FleetExplain.self,
    ])

  public init() {}
}

/// `--fleet`, for every command of the administrator.
struct FleetOptions: ParsableArguments {
  @Option(
    name: .customLong("fleet"),
    help: ArgumentHelp("The administrator's folder.", valueName: "folder"), completion: .directory)
  var path = "fleet"
  @OptionGroup var json: JSONOption

  func open() throws(FleetError) -> FleetFolder {
    try FleetFolder(opening: trimmed, now: WallTime(Date()))
  }

  var trimmed: String { path.withoutTrailingSlash }
}

/// `--offline` and `--fleet`, for the commands that change the servers.
struct FleetServersOptions: ParsableArguments {
  @Flag(name: .customLong("offline"), help: "Change the folder alone; 'deskbell fleet init' later does the rest.")
  var isOffline = false
  @OptionGroup var fleet: FleetOptions

  /// Returns the servers if a command has to change them: only after 'fleet init' has made the streams.
  /// - Throws: `FleetError` if no server answers.
  func servers(of folder: FleetFolder) async throws -> FleetServers? {
    guard folder.fleet.isInstalled, !isOffline else { return nil }
    do {
      return try await FleetServers(of: folder, waiting: FleetWords.sayWaiting)
    } catch let error as FleetError {
      throw FleetError(
        error.message,
        hint: "nothing was changed; --offline changes the folder alone, and 'deskbell fleet init' the rest")
    }
  }
}
