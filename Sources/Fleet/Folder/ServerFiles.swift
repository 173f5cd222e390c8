// The configuration of a server. It is installed as the folder /etc/nats. A changed line makes 'deskbell fleet init' ask
// for a restart of every server, so its words stay.

import FleetLink
import HandsetCore

enum ServerFiles {
  /// The location of the folder on a server's machine.
  static let folder = "/etc/nats"
  static let store = "/var/lib/nats"

  /// Returns nats-server.conf.
  static func configuration(of server: Fleet.Server, in fleet: Fleet) -> String {
    // A server on loopback is reachable only from this machine.
    let isLoopback = server.host == "localhost" || server.host == "::1" || server.host.hasPrefix("127.")
    let host = isLoopback ? server.urlHost : "0.0.0.0"
    var text = """
      # The node \(server.name) of a Deskbell fleet. 'deskbell fleet' writes this file: what is changed here is lost.
      server_name: "\(server.name)"
      listen: "\(host):\(server.port)"
      client_advertise: "\(server.urlHost):\(server.port)"

      \(tls(verify: false, indent: ""))

      jetstream {
        store_dir: "\(store)"
        # An answered push is on the disks of a majority. At the default, 2 minutes, a power cut loses it.
        sync_interval: always

      """
    if let size = fleet.maxStore { text += "  max_file_store: \(size)\n" }
    text += "}\n"
    let others = fleet.servers.filter { $0.name != server.name }
    if !others.isEmpty {
      text += """

        cluster {
          name: "deskbell"
          listen: "\(host):\(server.clusterPort)"
          advertise: "\(server.urlHost):\(server.clusterPort)"
        \(tls(verify: true, indent: "  "))
          routes: [
        \(others.map { "    \"tls://\($0.urlHost):\($0.clusterPort)\"" }.joined(separator: "\n"))
          ]
        }

        """
    }
    text += """

      accounts {
        # The streams. A server sends an answer to the subject that the request names and asks for no permission, so an
        # answer could be made to delete a stream. Desks and gateways have another account: what they send comes here,
        # and the answers go there, where they are nobody's requests.
        DESKBELL {
          jetstream: enabled
          users: [{ nkey: "\(fleet.admin)" }]
          exports: [
      \(exports.joined(separator: "\n"))
          ]
        }
        MEMBERS {
          include "users.conf"
          imports: [
      \(imports.joined(separator: "\n"))
          ]
        }
        SYS {}
      }
      system_account: "SYS"

      """
    return text
  }

  /// The streams' subjects for desks and gateways; the permissions of each restrict them.
  private static let services = ["$JS.API.>", "$KV.>", "bell.push.>", "bell.events.*", "bell.clear.*", "bell.alive.*"]
  /// The administrator's requests to the servers.
  private static let streams = ["bell.roll", "bell.now.>"]

  private static var exports: [String] {
    // A request for messages of a stream has several answers.
    services.map { "      { service: \"\($0)\"\($0 == "$JS.API.>" ? ", response_type: stream" : "") }" }
      + streams.map { "      { stream: \"\($0)\" }" }
  }

  private static var imports: [String] {
    services.map { "      { service: { account: DESKBELL, subject: \"\($0)\" } }" }
      + streams.map { "      { stream: { account: DESKBELL, subject: \"\($0)\" } }" }
  }

  /// - Parameter verify: true if the other side must show a certificate of the authority, as between servers.
  private static func tls(verify: Bool, indent: String) -> String {
    [
      "tls {", "  cert_file: \"\(folder)/server.pem\"", "  key_file: \"\(folder)/server.key\"",
      "  ca_file: \"\(folder)/authority.pem\"", "  verify: \(verify)", "  timeout: 5", "}",
    ].map { indent + $0 }.joined(separator: "\n")
  }

  /// Returns users.conf, which is the same on all servers.
  static func users(of fleet: Fleet) -> String {
    var users = fleet.desks.map { desk in
      stanza("desk \(desk.name)", desk.key, .desk(desk.name, groups: fleet.groups(of: desk.name).map(\.name)))
    }
    users += fleet.gateways.map { stanza("gateway \($0.name)", $0.key, .gateway($0.name)) }
    return """
      # Who may do what. 'deskbell fleet' writes this file: what is changed here is lost.
      users: [
      \(users.joined(separator: "\n"))
      ]

      """
  }

  private static func stanza(_ title: String, _ key: String, _ permissions: FleetPermissions) -> String {
    func list(_ subjects: [String]) -> String {
      subjects.map { "        \"\($0)\"" }.joined(separator: "\n")
    }
    return """
        # \(title)
        { nkey: "\(key)", permissions: {
            publish: { allow: [
      \(list(permissions.publish))
            ] }
            subscribe: { allow: [
      \(list(permissions.subscribe))
            ] }
        } }
      """
  }
}

/// The subjects that a user may use; no others are permitted.
struct FleetPermissions: Equatable {
  var publish: [String]
  var subscribe: [String]

  /// Returns a desk's permissions. It may create consumers of its own subjects only, which the request's subject names.
  static func desk(_ name: String, groups: [String]) -> FleetPermissions {
    let providers = FleetNames.providers(of: name)
    var publish = consumers(name, of: FleetNames.pushes, FleetNames.pushes(to: name))
    publish += consumer(name, of: FleetNames.providers, providers)
    publish += ["$KV.BELL_TOKENS.\(name).*", providers, FleetNames.events(of: name), FleetNames.alive(name)]
    for group in groups {
      let subject = FleetNames.clears(in: group)
      publish += [subject] + consumers(FleetNames.clearConsumer(of: name, in: group), of: FleetNames.clears, subject)
    }
    return FleetPermissions(
      publish: publish, subscribe: ["_INBOX_\(name).>", FleetNames.unstoredPushes(to: name), FleetNames.roll])
  }

  private static func consumers(_ name: String, of stream: String, _ subjects: String) -> [String] {
    ["$JS.API.CONSUMER.INFO.\(stream).\(name)"]
      + FleetNames.readers(of: name).flatMap { consumer($0, of: stream, subjects) }
  }

  private static func consumer(_ name: String, of stream: String, _ subjects: String) -> [String] {
    [
      "$JS.API.CONSUMER.CREATE.\(stream).\(name).\(subjects)", "$JS.API.CONSUMER.DELETE.\(stream).\(name)",
      "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(name)",
    ]
  }

  static func gateway(_ name: String) -> FleetPermissions {
    var publish = ["bell.push.>", "bell.now.>", "bell.alive.\(name)", "bell.events.\(name)", "$JS.API.INFO"]
    publish.append("$KV.BELL_CHANNELS.>")
    for stream in ["KV_BELL_TOKENS", "KV_BELL_PROVIDERS", "KV_BELL_CHANNELS"] {
      publish.append("$JS.API.STREAM.INFO.\(stream)")
      publish += ["CREATE", "DELETE", "INFO", "MSG.NEXT"].map { "$JS.API.CONSUMER.\($0).\(stream).>" }
      publish.append("$JS.ACK.\(stream).>")
    }
    return FleetPermissions(publish: publish, subscribe: ["_INBOX_\(name).>", "bell.roll"])
  }
}
