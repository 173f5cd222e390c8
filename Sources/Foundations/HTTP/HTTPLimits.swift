/// The amounts that a peer may send, and the times it may take. Every limit has a test that goes one past it.
public struct HTTPLimits: Sendable, Hashable {
  /// Bytes of a request's body, for routes that do not set their own.
  public static let defaultBodyBytes = 64 * 1024

  /// Bytes of the request target, and of a header field's name and its value each (431, or 414 for the target).
  public var headerFieldBytes = 8 * 1024
  /// Bytes of the target and all header fields together, names and values (431).
  public var headerBytes = 16 * 1024
  /// The number of header fields (431).
  public var headerFields = 64
  /// Bytes of a request that the limits above do not count: line ends, white space, the framing of chunks (431, or 400
  /// in the body). Each byte of a body allows `chunkOverhead` more.
  public var framingBytes = 4 * 1024
  public var chunkOverhead = 8
  /// Connections that are served at once. One more replaces the oldest whose client is not known yet
  /// (`HTTPService.isKnown`); if all are known, it is answered 503.
  public var connections = 64
  /// Connections from one address, as `ClientAddress` counts them; a Unix socket has none. One more replaces the oldest
  /// from that address whose client is not known.
  public var connectionsPerAddress = 32
  /// Connections beyond those, kept just long enough to be answered 503; one more is closed unanswered.
  public var refusedConnections = 16

  /// The time from a new connection to the end of its first request's header fields (408).
  public var headerTimeout: Duration = .seconds(10)
  /// The time from there to the end of the body (408).
  public var bodyTimeout: Duration = .seconds(30)
  /// The time from an answer to the end of the next request's header fields; then the connection closes silently.
  public var idleTimeout: Duration = .seconds(60)
  /// The time that a client may leave an answer unread that no longer fits into the socket; then it is closed.
  public var writeTimeout: Duration = .seconds(30)
  /// The time and the bytes for which a refused request is read and discarded, so that its sender can read the answer
  /// before the connection is reset.
  public var lingerTimeout: Duration = .seconds(2)
  public var lingerBytes = 1024 * 1024
  /// Bytes a second at which a discarded body is read.
  public var skippedBytesPerSecond = 4 * 1024 * 1024

  public init() {}
}
