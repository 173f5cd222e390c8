import FleetFolder

/// What the commands of a fleet say, most of it what to do next.
enum FleetWords {
  static func made(_ folder: FleetFolder) -> String {
    let nodes = folder.fleet.nodes
    let count = nodes.count == 1 ? "one node" : "\(nodes.count) nodes"
    return """
      The fleet of \(count) is in \(folder.path). Its keys open everything: keep a backup, and show it to nobody.

      Next:
      1. Install nats-server 2.10.23 or later on each node (Debian 13: apt install nats-server).
      2. Copy each node's folder to it as /etc/nats, and start the server with it:
      \(lines(nodes.map { copy(folder, $0, then: firstStart) }))
      3. Make the streams: deskbell fleet init\(option(folder))
      4. Add desks and gateways: deskbell fleet add NAME\(option(folder))
      """
  }

  static func updated(_ folder: FleetFolder, _ written: [String]) -> String {
    if written.isEmpty { return "The folder \(folder.path) is complete." }
    return "Wrote \(counted(written.count, "file", plural: "files")) in \(folder.path)."
      + steps(serverSteps(folder, written))
  }

  static func added(_ name: String, _ kind: FleetUserKind, in folder: FleetFolder, _ written: [String]) -> String {
    let place = folder.path(of: name, kind)
    let daemon = kind == .desk ? "the board" : "its machine"
    let copying =
      "tar -C \(place) -c --owner=deskbell --group=deskbell . | \\\n"
      + "    ssh root@\(name) 'mkdir -p \(Fleet.daemonFolder) && tar -C \(Fleet.daemonFolder) -xp'"
    let next = [
      "Copy its folder to \(daemon):\n\(lines([copying]))",
      "Add the lines of \(place)/\(kind.settings) to /etc/deskbell/deskbell.yaml there, and restart it.",
    ]
    let isNew = written.contains { $0.hasSuffix("/seed") }
    return (isNew ? "Added the \(kind.rawValue) \(name)." : "The \(kind.rawValue) \(name) is in the fleet.")
      + steps(serverSteps(folder, written) + next)
  }

  static func removed(_ name: String, _ kind: FleetUserKind, in folder: FleetFolder, _ written: [String]) -> String {
    "Removed the \(kind.rawValue) \(name)." + steps(serverSteps(folder, written))
  }

  static func groupAdded(_ group: FleetGroupReport, in folder: FleetFolder) -> String {
    """
    The group \(group.group) rings \(group.desks.joined(separator: ", ")). Its device token, which is not shown again:
    \(group.token ?? "")
    """ + steps(serverSteps(folder, group.written))
  }

  static func groupRemoved(_ name: String, in folder: FleetFolder, _ written: [String]) -> String {
    "Removed the group \(name)." + steps(serverSteps(folder, written))
  }

  private static func steps(_ steps: [String]) -> String {
    if steps.isEmpty { return "" }
    return "\n\nNext:\n" + zip(1..., steps).map { "\($0). \($1)" }.joined(separator: "\n")
  }

  /// What the servers need of the files that were written.
  private static func serverSteps(_ folder: FleetFolder, _ written: [String]) -> [String] {
    let nodes = folder.fleet.nodes.filter { node in written.contains { $0.hasPrefix("nodes/\(node.name)/") } }
    if nodes.isEmpty || !folder.fleet.isInstalled && !written.contains(where: { $0.hasSuffix(".conf") }) { return [] }
    let commands = nodes.map { copy(folder, $0, then: "systemctl reload nats-server") }
    return ["Give the servers their new files:\n\(lines(commands))"]
  }

  private static let firstStart =
    "install -d -o nats -g nats -m 700 /var/lib/nats && \\\n"
    + "    echo include nats/nats-server.conf >/etc/nats-server.conf && systemctl restart nats-server"

  private static func copy(_ folder: FleetFolder, _ node: Fleet.Node, then command: String) -> String {
    """
    tar -C \(folder.path)/nodes/\(node.name) -c --owner=nats --group=nats . | \\
        ssh root@\(node.host) 'mkdir -p /etc/nats && tar -C /etc/nats -xp && \(command)'
    """
  }

  private static func lines(_ commands: [String]) -> String {
    commands.flatMap { $0.split(separator: "\n") }.map { "     \($0)" }.joined(separator: "\n")
  }

  /// For a command to copy.
  private static func option(_ folder: FleetFolder) -> String {
    folder.path == "fleet" ? "" : " --fleet \(folder.path)"
  }
}
