import FoundationEssentials
import HomeAssistant
import MQTTClient
import StrictYAML
import UnixSockets

/// The broker that connects to Home Assistant, and the names that this device uses there.
struct HomeConnection: Hashable, Sendable {
  enum Key: String, DescribedKey {
    case authority, broker, discovery, name, topic, user
    case passwordFile = "password-file"

    var meaning: String {
      switch self {
      case .authority:
        "A PEM file of the certificates that the broker's may be issued by. Default: the system's."
      case .broker: "`mqtts://HOST` or, without TLS, `mqtt://HOST`, with `:PORT` where it is not 8883 or 1883."
      case .discovery: "Where Home Assistant looks for devices. Default: `\(HomeTopics.defaultDiscovery)`."
      case .name: "What Home Assistant calls the device. Default: `Deskbell` and the machine's name."
      case .passwordFile: "A file with the user's password, for the daemon's user alone."
      case .topic: "The beginning of all topics. Default: `deskbell/` and the machine's name."
      case .user: "The name under which the broker knows the daemon."
      }
    }
  }

  /// The broker, without the password.
  var broker: MQTTBroker
  /// The password's file, read when the daemon starts. All users may read the settings, so the password is not in them.
  var passwordFile: String?
  var topic: String
  var discovery: String
  var name: String

  /// Reads the connection; nil if it has errors, which are reported.
  init?(_ mapping: MappingReader) {
    let broker: MQTTBroker? = mapping.required(Key.broker) { node in
      guard let broker = MQTTBroker(try node.string()) else {
        throw node.diagnostic(
          "expected mqtts://HOST or, without TLS, mqtt://HOST, with :PORT where it is not 8883 or 1883")
      }
      return broker
    }
    let user = mapping.optional(Key.user) { try $0.string(bytes: 1...256) }
    passwordFile = mapping.optional(Key.passwordFile) { try $0.string() }
    let authority = mapping.optional(Key.authority) { try $0.string() }
    let machine = HomeConnection.machine
    topic = mapping.optional(Key.topic, default: "deskbell/\(machine)") { try $0.topic() }
    discovery = mapping.optional(Key.discovery, default: HomeTopics.defaultDiscovery) { try $0.topic() }
    name = mapping.optional(Key.name, default: "Deskbell \(machine)") { try $0.string(bytes: 1...64) }
    if passwordFile != nil && user == nil { mapping.report("password-file: without a user there is no password") }
    guard var broker else { return nil }
    (broker.user, broker.authorityFile) = (user, authority)
    self.broker = broker
    if authority != nil && !broker.isSecure { mapping.report("authority: goes with mqtts, not with mqtt") }
  }

  /// This machine's name, reduced to the characters that are allowed in a topic.
  private static var machine: String {
    let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
    let kept = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" }
    return kept.isEmpty ? "desk" : kept
  }

  /// Returns the broker, with the password.
  /// - Throws: `DaemonError` if the password cannot be read.
  func completeBroker() throws(DaemonError) -> MQTTBroker {
    guard let file = passwordFile else { return broker }
    guard let text = FileManager.default.contents(atPath: file).map({ String(decoding: $0, as: UTF8.self) }) else {
      throw DaemonError("mqtt: password-file: \(file) cannot be read; the daemon's user must be allowed to")
    }
    var broker = broker
    broker.password = text.last == "\n" ? String(text.dropLast()) : text
    return broker
  }
}

extension MQTTBroker {
  /// Reads `mqtts://HOST:PORT`; nil for anything else.
  fileprivate init?(_ text: String) {
    let isSecure = text.hasPrefix("mqtts://")
    guard isSecure || text.hasPrefix("mqtt://") else { return nil }
    guard let address = NetworkAddress(ofServer: text.dropFirst(isSecure ? 8 : 7), defaultPort: isSecure ? 8883 : 1883)
    else { return nil }
    self.init(host: address.host, port: address.port, isSecure: isSecure)
  }
}

extension YAMLNode {
  /// Returns a topic that can be published to.
  /// - Throws: `Diagnostic` if it has a wildcard, or begins or ends with `/`.
  fileprivate func topic() throws -> String {
    let text = try string(bytes: 1...128)
    guard !text.contains(where: { "+#$".contains($0) || $0.isWhitespace }), text.first != "/", text.last != "/" else {
      throw diagnostic("expected a topic without '+', '#', '$' and spaces, such as deskbell/kitchen")
    }
    return text
  }
}
