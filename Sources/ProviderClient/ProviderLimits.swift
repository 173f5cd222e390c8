/// What the provider accepts from the other side and from its own user, and how long it waits. Every limit has a test that
/// goes one past it.
public struct ProviderLimits: Sendable, Hashable {
  /// Bytes of an `.apns` file.
  public static let fileBytes = 1024 * 1024
  /// Bytes of a file of many payloads, one a line.
  public static let linesFileBytes = 64 * 1024 * 1024

  /// Pushes that wait for a stream on one connection.
  public var waitingPushes = 10_000
  /// Bytes of an answer's body; APNs sends fewer than 100.
  public var answerBytes = 4096
  /// For the name and the connection.
  public var connectTimeout: Duration = .seconds(10)
  /// From there to the end of TLS's handshake and HTTP/2's greeting.
  public var handshakeTimeout: Duration = .seconds(10)
  /// From a push's first byte to its whole answer.
  public var answerTimeout: Duration = .seconds(30)

  public init() {}
}
