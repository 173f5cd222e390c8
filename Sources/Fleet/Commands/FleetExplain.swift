import ArgumentParser
import CommandSupport
import FleetFolder
import FoundationEssentials
import HandsetCore

struct FleetExplain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show what became of a push, at every desk.",
    discussion: """
      Searches what is stored for the desks (30 days, the newest 100 of an app on a handset) and the events that they \
      have reported (7 days). 'deskbell explain' on a desk's own machine also names the rules.

      Examples:
        deskbell fleet explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B
        deskbell fleet explain 8C072DB2-12F5-4B70-B99F-73F50AC5525B --json
      """)

  @Argument(help: ArgumentHelp("The push's apns-id, in upper or lower case.", valueName: "id"))
  var push: String
  @OptionGroup var options: FleetOptions

  func run() async throws {
    let folder = try options.open()
    let servers = try await FleetServers(of: folder, waiting: FleetWords.sayWaiting)
    let found = try await servers.explanation(of: push)
    guard !found.stored.isEmpty || !found.events.isEmpty else {
      throw Failure(
        "no desk knows the push '\(push)'",
        hint: "pushes are kept for 30 days, events for 7; one with expiration 0 to a desk that is away leaves nothing")
    }
    if options.json.isWanted { return try Output.line(FleetExplain.json(found, push).printableJSON) }
    try Output.line(FleetExplain.explanation(found, push))
  }

  static func explanation(_ found: FleetPushReport, _ push: String, _ clock: ClockFace = .local) throws -> String {
    var parts = ["push \(push)"]
    let rows = found.stored.map { stored in
      [
        stored.desk, stored.handset == "_" ? "on the board" : stored.handset, stored.app,
        stored.accepted.map(clock.dateAndTime) ?? "-", stored.gateway ?? "-", stored.isWaiting ? "waits" : "taken",
      ]
    }
    if let stored = table(["DESK", "HANDSET", "APP", "ACCEPTED", "GATEWAY", "STATE"], rows) { parts.append(stored) }
    if !found.events.isEmpty {
      let width = found.events.map { $0.desk.count }.max() ?? 0
      let lines = try found.events.map { event in
        let report = try JSONDecoder().decode(EventReport.self, from: Data(event.line.utf8))
        return "\(event.desk.padded(to: width))  \(EventWords.line(report, clock))"
      }
      parts.append("What happened:\n" + lines.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  /// Writes JSON. The events remain as the desks wrote them.
  static func json(_ found: FleetPushReport, _ push: String) throws -> String {
    let events = found.events.map(\.line).joined(separator: ",\n    ")
    return """
      {
        "push" : \(try Output.jsonText(push)),
        "stored" : \(try Output.jsonText(found.stored)),
        "events" : [\(events.isEmpty ? "" : "\n    \(events)\n  ")]
      }
      """
  }
}
