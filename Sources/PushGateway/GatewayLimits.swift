// Everything that a stranger on the network could make grow has its bound here, under one name; tests make them small
// and go one past.

/// The bounds of the push port. Sizes are in bytes, durations on the clock that nobody can set.
public struct GatewayLimits: Hashable, Sendable {
  /// Connections open at the same time. One more is closed as soon as it is accepted.
  public var connections = 500

  /// Streams of one connection before its first valid provider token, as Apple's service has it.
  public var streamsBeforeFirstToken = 1

  /// Streams of one connection once a provider token was found valid.
  public var streams = 1_000

  /// Bytes of one request's headers, counted as HPACK counts them (32 more for each field). Above it the request is
  /// refused.
  public var headerListBytes = 8 * 1024

  /// Where NIO closes the whole connection, because it reads no further: well above what we refuse ourselves, so that
  /// a client hears a status first.
  public var advertisedHeaderListBytes = 32 * 1024

  /// A payload [APNs: 4 KB], and that of a `voip` push [APNs: 5 KB].
  public var payloadBytes = 4_096
  public var voipPayloadBytes = 5_120

  /// Bytes of a body that are read and thrown away after its request was refused; then the stream is reset.
  public var discardedBytes = 64 * 1024

  /// How deep arrays and objects of a payload may be nested.
  public var payloadDepth = 64

  /// Faults of one payload that are written down; more are only counted.
  public var payloadFaults = 16

  /// Bytes of a provider token.
  public var providerTokenBytes = 2_048

  /// Provider tokens that one connection remembers as verified.
  public var rememberedTokens = 8

  /// How old a provider token may be [APNs].
  public var tokenAge: Duration = .seconds(3600)

  /// How far ahead of the clock a provider token may be: two clocks never agree.
  public var tokenLead: Duration = .seconds(5 * 60)

  /// How often the token of one key may change on a connection [APNs: no more than once every 20 minutes].
  public var tokenUpdateInterval: Duration = .seconds(20 * 60)

  /// From accepting a connection to the end of its TLS handshake and its first HTTP/2 bytes.
  public var handshakeDuration: Duration = .seconds(10)

  /// From a request's headers to the end of its body.
  public var bodyDuration: Duration = .seconds(30)

  /// From answering to the client's having taken the answer. One that grants no window for it is reset, so that it
  /// does not hold a stream for ever.
  public var answerDuration: Duration = .seconds(10)

  /// A connection without a request for so long is closed with GOAWAY.
  public var idleDuration: Duration = .seconds(3600)

  /// Certificates that a client may show in its TLS handshake, its own and those that issued it, and their bytes: they
  /// are kept as long as the connection.
  public var clientCertificates = 8
  public var clientCertificateBytes = 16 * 1024

  /// From GOAWAY to closing a connection, whether or not the client plays along.
  public var closingDuration: Duration = .seconds(10)

  /// How long `shutDown` waits for all connections to close; what is still open then is cut.
  public var shutdownDuration: Duration = .seconds(5)

  /// PING, SETTINGS and PRIORITY frames, resets, and malformed streams that one connection may send in any 30 s. Clients
  /// that ping before every push are known; floods are three orders above.
  public var controlFramesPerWindow = 200
  public var resetsPerWindow = 200
  public var streamErrorsPerWindow = 200

  /// Malformed streams over the whole life of a connection.
  public var streamErrors = 1_000

  /// CONTINUATION frames of one header block.
  public var continuationFrames = 8

  /// Control frames of ours that wait for a client that does not read.
  public var bufferedControlFrames = 1_000

  public static let standard = GatewayLimits()

  public init() {}
}
