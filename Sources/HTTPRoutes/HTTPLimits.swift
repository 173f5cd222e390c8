/// How much a peer may send, and how long it may take. Every limit has a test that goes one past it.
public struct HTTPLimits: Sendable, Hashable {
  /// Bytes of a request's body, for routes that do not set their own.
  public static let defaultBodyBytes = 64 * 1024

  /// Bytes of the request target, and of a header field's name and its value each (431, or 414 for the target).
  public var headerFieldBytes = 8 * 1024
  /// Bytes of the target and all header fields together, names and values (431).
  public var headerBytes = 16 * 1024
  /// Header fields (431).
  public var headerFields = 64
  /// Bytes of a request that the limits above do not count: line ends, white space, the framing of chunks (431, or 400 in
  /// the body). Each byte of a body allows `chunkOverhead` more.
  public var framingBytes = 4 * 1024
  public var chunkOverhead = 8
  /// Connections that are served at once. One more takes the place of the first whose client is not known yet
  /// (`HTTPService.isKnown`); where all are known, it is answered 503.
  public var connections = 64
  /// Of those, from one address, as `ClientAddress` counts them; a Unix socket has none. One more takes the place of the
  /// first from there whose client is not known.
  public var connectionsPerAddress = 32
  /// Connections beyond those that are kept just long enough to be answered 503; one more is closed unanswered.
  public var refusedConnections = 16

  /// From a new connection to the end of its first request's header fields (408).
  public var headerTimeout: Duration = .seconds(10)
  /// From there to the end of the body (408).
  public var bodyTimeout: Duration = .seconds(30)
  /// From an answer to the end of the next request's header fields; then the connection closes without a word.
  public var idleTimeout: Duration = .seconds(60)
  /// How long a client may leave an answer unread that no longer fits into the socket; then it is closed.
  public var writeTimeout: Duration = .seconds(30)
  /// How long, and how many bytes of, a refused request are read and thrown away, so that its sender comes to read
  /// the answer before the connection is reset.
  public var lingerTimeout: Duration = .seconds(2)
  public var lingerBytes = 1024 * 1024
  /// How fast a body is read that is thrown away.
  public var skippedBytesPerSecond = 4 * 1024 * 1024

  public init() {}
}
