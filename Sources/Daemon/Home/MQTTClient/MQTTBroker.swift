/// A broker, and this client's credentials.
public struct MQTTBroker: Hashable, Sendable, CustomStringConvertible {
  public var host: String
  public var port: Int
  public var isSecure: Bool
  /// PEM certificates of the authorities that may issue the broker's certificate; nil for the system's.
  public var authorityFile: String?
  public var user: String?
  public var password: String?

  public init(host: String, port: Int, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// The broker as it is written in the settings, without user and password.
  public var description: String { "\(isSecure ? "mqtts" : "mqtt")://\(host):\(port)" }
}

public struct MQTTMessage: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  /// True if the broker retains it for later subscribers. In a received message: it was retained, and is not new.
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

public enum MQTTReport: Hashable, Sendable {
  case connected
  case received(MQTTMessage)
  /// The connection is not established, or is lost; it is tried again.
  case lost(problem: String)
}
