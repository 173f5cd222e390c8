import CommandSupport
import FleetFolder

/// The output of the fleet commands, most of it instructions.
enum FleetWords {
  static func made(_ folder: FleetFolder) -> String {
    let servers = folder.fleet.servers
    let count = servers.count == 1 ? "one server" : "\(servers.count) servers"
    let steps = [
      "Install nats-server 2.10.23 or later on each server (Debian 13: apt install nats-server).",
      "Copy each server's folder to it as /etc/nats, and start the server with it:\n"
        + lines(servers.map { copy(folder, $0, then: firstStart) }),
      "Make the streams: deskbell fleet init\(option(folder))",
      "Add desks and gateways: deskbell fleet add NAME\(option(folder))",
    ]
    return "The fleet of \(count) is in \(folder.path). Its keys open everything: keep a backup, and show it to nobody."
      + next(steps)
  }

  static func updated(_ folder: FleetFolder, _ changes: FleetChanges) -> String {
    let done = changes.servers.map(sentence) + changes.written.map { "Wrote \($0)." }
    let isComplete = done.isEmpty || changes.written == ["fleet.json"] && changes.servers.isEmpty
    return (isComplete ? "Nothing was missing." : done.joined(separator: "\n")) + next(serverSteps(folder, changes))
  }

  static func added(_ user: FleetUserReport, _ kind: FleetUserKind, in folder: FleetFolder) -> String {
    let place = user.credentials ?? ""
    let copying = """
      tar -C \(place) -c --owner=deskbell --group=deskbell . | \\
          ssh root@\(user.name) 'mkdir -p \(kind.place) && tar -C \(kind.place) -xp'
      """
    let steps = [
      "Copy its folder to \(kind == .desk ? "the board" : "its machine"):\n\(lines([copying]))",
      kind == .desk
        ? "Add the lines of \(place)/\(kind.settings) to /etc/deskbell/deskbell.yaml there, and restart deskbell."
        : "Run it there: deskbell gateway --config \(kind.place)/\(kind.settings)",
    ]
    let isNew = user.changes.written.contains { $0.hasSuffix("/seed") }
    return (isNew ? "Added the \(user.kind) \(user.name)." : "The \(user.kind) \(user.name) is in the fleet.")
      + next(serverSteps(folder, user.changes) + steps)
  }

  static func removed(_ user: FleetUserReport, in folder: FleetFolder) -> String {
    var text = "Removed the \(user.kind) \(user.name)."
    if let removed = user.removed {
      text +=
        " Gone: \(counted(removed.tokens, "device token")), "
        + "\(counted(removed.providers, "provider")), "
        + "\(counted(Int(clamping: removed.pushes), "push", plural: "pushes")) that waited."
    }
    return text + next(serverSteps(folder, user.changes))
  }

  static func groupAdded(_ group: FleetGroupReport, in folder: FleetFolder) -> String {
    """
    The group \(group.group) rings \(group.desks.joined(separator: ", ")). Its device token, which is not shown again:
    \(group.token ?? "")
    """ + next(serverSteps(folder, group.changes))
  }

  static func groupRemoved(_ group: FleetGroupReport, in folder: FleetFolder) -> String {
    "Removed the group \(group.group)." + next(serverSteps(folder, group.changes))
  }

  private static func sentence(_ change: ServerChange) -> String {
    switch change.kind {
    case .made: "Made \(change.name)."
    case .removed: "Removed \(change.name)."
    case .updated:
      "Set right \(change.name)"
        + (change.differences.isEmpty ? "." : ": \(change.differences.joined(separator: ", ")).")
    }
  }

  private static func next(_ steps: [String]) -> String {
    if steps.isEmpty { return "" }
    return "\n\nNext:\n" + zip(1..., steps).map { "\($0). \($1)" }.joined(separator: "\n")
  }

  /// Returns the steps for the servers whose files were written. Before the first start they are copied as a whole.
  private static func serverSteps(_ folder: FleetFolder, _ changes: FleetChanges) -> [String] {
    let servers = folder.fleet.servers.filter { server in
      changes.written.contains { $0.hasPrefix("nodes/\(server.name)/") }
    }
    if servers.isEmpty { return [] }
    // A server connects new accounts only when it starts.
    let verb = changes.written.contains { $0.hasSuffix("/nats-server.conf") } ? "restart" : "reload"
    let commands = servers.map { copy(folder, $0, then: "systemctl \(verb) nats-server") }
    let order = verb == "restart" && servers.count > 1 ? ", one after the other" : ""
    return ["Give the servers their new files\(order):\n\(lines(commands))"]
  }

  @Sendable static func sayWaiting(_ problem: String) { Output.complaint("waiting for the servers: \(problem)") }

  private static let firstStart = """
    install -d -o nats -g nats -m 700 /var/lib/nats &&
        echo include nats/nats-server.conf >/etc/nats-server.conf && systemctl restart nats-server
    """

  private static func copy(_ folder: FleetFolder, _ server: Fleet.Server, then command: String) -> String {
    """
    tar -C \(folder.path)/nodes/\(server.name) -c --owner=nats --group=nats . | \\
        ssh root@\(server.host) 'mkdir -p /etc/nats && tar -C /etc/nats -xp && \(command)'
    """
  }

  private static func lines(_ commands: [String]) -> String {
    commands.flatMap { $0.split(separator: "\n") }.map { "     \($0)" }.joined(separator: "\n")
  }

  private static func option(_ folder: FleetFolder) -> String {
    folder.path == "fleet" ? "" : " --fleet \(folder.path)"
  }
}
