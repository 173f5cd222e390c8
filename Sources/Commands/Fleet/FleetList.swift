import ArgumentParser
import FleetFolder

struct FleetList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the desks, gateways and groups.",
    discussion: """
      Examples:
        deskbell fleet list
        deskbell fleet list --json | jq -r '.desks[] | select(.behind > 0).name'
      """)

  @OptionGroup var offline: OfflineOption
  @OptionGroup var options: FleetOptions

  func run() async throws {
  }
}

struct FleetCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Examine the servers: versions, replicas, settings that could lose data.",
    discussion: """
      Exits with 1 where something is wrong, and says what to do. What cannot be seen from outside is whether a server \
      writes each push to the disk at once (sync_interval: always): its file must say so, and the one that 'fleet init' \
      writes does.

      Examples:
        deskbell fleet check
        deskbell fleet check --json | jq -r '.problems[].problem'
      """)

  @OptionGroup var options: FleetOptions

  func run() async throws {
  }
}

struct FleetExplain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show what became of a push, at every desk.",
    discussion: """
      Finds the push among what waits and among the events of the last seven days.

      Examples:
        deskbell fleet explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell fleet explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
      """)

  @Argument(help: ArgumentHelp("The push's apns-id, in upper or lower case.", valueName: "id"))
  var push: String
  @OptionGroup var options: FleetOptions

  func run() async throws {
  }
}
