/// A broker, and who we are to it.
public struct MQTTBroker: Hashable, Sendable {
  public var host: String
  public var port: Int
  public var isSecure: Bool
  /// A file of certificates that the broker's may be issued by; nil for the system's.
  public var authorityFile: String?
  public var user: String?
  public var password: String?

  public init(host: String, port: Int, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }
}

extension MQTTBroker: CustomStringConvertible {
  /// As in the settings, without user and password.
  public var description: String { "\(isSecure ? "mqtts" : "mqtt")://\(host):\(port)" }
}

/// What is published, or was received.
public struct MQTTMessage: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  /// The broker keeps it for those who subscribe later. Of a received one: it was kept, and is not new.
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

/// What happens to a client.
public enum MQTTReport: Hashable, Sendable {
  case connected
  case received(MQTTMessage)
  /// It is not connected, or no longer; it tries again.
  case lost(problem: String)
}
