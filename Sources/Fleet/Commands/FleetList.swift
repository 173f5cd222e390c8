import ArgumentParser
import CommandSupport
import FleetFolder

struct FleetList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the desks, gateways and groups.",
    discussion: """
      Asks everybody on the servers whether they are there, and waits two seconds at most. BEHIND is how many pushes wait \
      for the desk, TOKENS how many device tokens it has registered.

      Examples:
        deskbell fleet list
        deskbell fleet list --json | jq -r '.desks[] | select(.isAlive | not).name'
      """)

  @OptionGroup var options: FleetServersOptions

  func run() async throws {
    let folder = try options.fleet.open()
    let servers = try await options.servers(of: folder)
    let report = try await servers?.report(of: folder.fleet) ?? FleetReport(of: folder.fleet)
    try options.fleet.json.print(report) { FleetList.list($0, isAsked: servers != nil) }
  }

  static func list(_ report: FleetReport, isAsked: Bool) -> String {
    let desks = report.desks.map { desk in
      [
        desk.name, isAsked ? state(desk) : "not asked", number(desk.behind), number(desk.tokens), desk.version ?? "-",
        desk.groups.isEmpty ? "-" : desk.groups.joined(separator: ", "),
      ]
    }
    let gateways = report.gateways.map { gateway in
      let state = gateway.isAlive ? gateway.isReady ?? true ? "ready" : "loading the registry" : "away"
      return [gateway.name, isAsked ? state : "not asked", number(gateway.tokens), gateway.version ?? "-"]
    }
    let groups = report.groups.map { [$0.name, $0.app, $0.environment, $0.desks.joined(separator: ", ")] }
    let parts = [
      table(["DESK", "STATE", "BEHIND", "TOKENS", "VERSION", "GROUPS"], desks),
      table(["GATEWAY", "STATE", "TOKENS", "VERSION"], gateways),
      table(["GROUP", "APP", "ENVIRONMENT", "DESKS"], groups),
    ].compactMap(\.self)
    return parts.isEmpty ? "The fleet has no desk yet: deskbell fleet add NAME" : parts.joined(separator: "\n\n")
  }

  private static func state(_ desk: FleetReport.Desk) -> String {
    if desk.behind == nil { return "not on the servers: deskbell fleet init" }
    if desk.isAlive { return "alive" }
    return desk.seen.map { "away, seen \($0.prefix(19))Z" } ?? "never seen"
  }

  private static func number(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "-" }
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
    let findings = await (try options.open()).check(waiting: FleetWords.sayWaiting)
    try options.json.print(findings, FleetCheck.findings)
    if !findings.problems.isEmpty { throw ExitCode(CommandExit.failed) }
  }

  static func findings(_ findings: FleetFindings) -> String {
    var lines = findings.good.map { "ok       \($0)" }
    lines += findings.notices.map { "note     \($0)" }
    lines += findings.problems.map { problem in
      "problem  \(problem.problem)" + (problem.hint.map { "\n         \($0)" } ?? "")
    }
    let end =
      findings.problems.isEmpty
      ? "Nothing is wrong." : counted(findings.problems.count, "problem") + "."
    return (lines + [end]).joined(separator: "\n")
  }
}
