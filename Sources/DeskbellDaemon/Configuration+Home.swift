// What a settings file says of the broker through which Home Assistant is reached.

import FoundationEssentials
import HomeAssistant
import MQTTClient
import StrictYAML

/// A broker, and what we are called there.
struct HomeConnection: Hashable, Sendable {
  struct Place: Hashable, Sendable {
    var host: String
    var port: Int
    var isSecure: Bool
  }

  var broker: Place
  var user: String?
  /// Read when the daemon starts. The settings may be read by everybody, so the password is not in them.
  var passwordFile: String?
  /// Certificates that the broker's may be issued by; nil for the system's.
  var authority: String?
  /// The beginning of all topics.
  var topic: String
  var discovery: String
  /// What Home Assistant calls the device.
  var name: String

  /// Nil where it is not well said, which is reported.
  init?(_ mapping: MappingReader) {
    let broker: Place? = mapping.required("broker") { node in
      guard let place = Place(try node.string()) else {
        throw node.diagnostic(
          "expected mqtts://HOST or, without TLS, mqtt://HOST, with :PORT where it is not 8883 or 1883")
      }
      return place
    }
    user = mapping.optional("user") { try $0.string(bytes: 1...256) }
    passwordFile = mapping.optional("password-file") { try $0.string() }
    authority = mapping.optional("authority") { try $0.string() }
    let machine = HomeConnection.machine
    topic = mapping.optional("topic", default: "deskbell/\(machine)") { try $0.topic() }
    discovery = mapping.optional("discovery", default: HomeTopics.defaultDiscovery) { try $0.topic() }
    name = mapping.optional("name", default: "Deskbell \(machine)") { try $0.string(bytes: 1...64) }
    if passwordFile != nil && user == nil { mapping.report("password-file: without a user there is no password") }
    guard let broker else { return nil }
    self.broker = broker
    if authority != nil && !broker.isSecure { mapping.report("authority: goes with mqtts, not with mqtt") }
  }

  /// This machine's name, as far as a topic may have it.
  private static var machine: String {
    let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
    let kept = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" }
    return kept.isEmpty ? "desk" : kept
  }
}

extension HomeConnection.Place {
  /// `mqtts://HOST:PORT`; nil for anything else.
  init?(_ text: String) {
    let isSecure = text.hasPrefix("mqtts://")
    guard isSecure || text.hasPrefix("mqtt://") else { return nil }
    let rest = String(text.dropFirst(isSecure ? 8 : 7))
    let port = isSecure ? 8883 : 1883
    guard let address = Configuration.Address(rest) ?? Configuration.Address("\(rest):\(port)"), address.port > 0,
      address.host != "*", !address.host.contains("/"), !address.host.contains("@")
    else { return nil }
    self.init(host: address.host, port: address.port, isSecure: isSecure)
  }
}

extension YAMLNode {
  /// A topic that can be published to.
  /// - Throws: `Diagnostic` where it has a wildcard, or begins or ends with `/`.
  fileprivate func topic() throws -> String {
    let text = try string(bytes: 1...128)
    guard !text.contains(where: { "+#$".contains($0) || $0.isWhitespace }), text.first != "/", text.last != "/" else {
      throw diagnostic("expected a topic without '+', '#', '$' and spaces, such as deskbell/kitchen")
    }
    return text
  }
}

extension MQTTBroker {
  /// - Throws: `DaemonError` where the password cannot be read.
  init(_ connection: HomeConnection, clientID: String) throws(DaemonError) {
    let place = connection.broker
    self.init(host: place.host, port: place.port, isSecure: place.isSecure, clientID: clientID)
    (authorityFile, user) = (connection.authority, connection.user)
    guard let file = connection.passwordFile else { return }
    guard let text = FileManager.default.contents(atPath: file).map({ String(decoding: $0, as: UTF8.self) }) else {
      throw DaemonError("mqtt: password-file: \(file) cannot be read; the daemon's user must be allowed to")
    }
    password = text.last == "\n" ? String(text.dropLast()) : text
  }
}
