/// The limits of a provider: the sizes it accepts from the server and from its own user, and its timeouts. Every limit
/// has a test that goes one past it.
public struct ProviderLimits: Sendable, Hashable {
  public static let fileBytes = 1024 * 1024
  /// Bytes of a file of many payloads, one a line.
  public static let linesFileBytes = 64 * 1024 * 1024

  public var waitingPushes = 10_000
  /// Bytes of an answer's body; APNs sends fewer than 100.
  public var answerBytes = 4096
  /// Time for the name and the connection.
  public var connectTimeout: Duration = .seconds(10)
  /// Time from there to the end of TLS's handshake and the server's SETTINGS.
  public var handshakeTimeout: Duration = .seconds(10)
  /// Time from a push's first byte to its whole answer.
  public var answerTimeout: Duration = .seconds(30)

  public init() {}
}
