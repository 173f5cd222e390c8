import HandsetCore

/// The limits of the push port: every quantity that a network client could make grow has one. Tests make them small and
/// exceed them by one. Sizes are in bytes, durations on the monotonic clock.
public struct PortLimits: Hashable, Sendable {
  /// Open connections, and those waiting to be accepted. A further one replaces the oldest unauthenticated connection.
  /// Authenticated connections may use nine tenths: beyond that, the provider with the most connections loses its
  /// oldest when its requests are answered.
  public var connections = 1_000

  /// Connections from one IPv4 address, one IPv6 address on a network of this machine, or one IPv6 network of 64 bits
  /// elsewhere. A further one replaces the oldest unauthenticated connection from there. The JDK's client opens a
  /// connection for each push until its first connection is up.
  public var connectionsPerAddress = 600

  /// Connections of one provider: at one more, its oldest ends when its requests are answered.
  public var connectionsPerProvider = 500

  /// Requests of one provider per second, over all its connections; above it they are refused with 429. 0 is no limit.
  public var requestsPerSecond = 1_000

  /// The burst of a provider that was silent, in seconds of requests at that rate.
  public var burstSeconds = 10

  /// Requests of one provider that are read and not answered yet, over all its HTTP/2 connections, which have equal
  /// shares; and the minimum share. Beyond it the connection is not read: the data that one provider sends on many
  /// connections waits in the kernel, where it costs other providers nothing.
  public var requestsUnderWay = 1_024
  public var requestsUnderWayEach = 4

  /// Refused requests of one provider per second, over all its HTTP/2 connections, which have equal shares. A
  /// connection that has used its share for one pause is not read until the pause is over.
  public var refusalsPerSecond = 5_000
  public var pausesPerSecond = 50

  /// Failed authentications without a pause; one is forgiven each `failureForgiveness`. They are counted by connection.
  /// Failures of unauthenticated connections are also counted by address and the provider's key that they name, or by
  /// address alone if they name none. Past the first number each answer waits for `failureDelay`; past the second the
  /// connection ends with the answer, unless it is the connection's first failure.
  public var failuresBeforeDelay = 20
  public var failuresBeforeEnd = 25
  public var failureForgiveness: Duration = .seconds(3)
  public var failureDelay: Duration = .seconds(1)

  /// Refused requests of one address that have an event each, until there are none for `refusalPause`. Only
  /// unauthenticated connections count. Further refusals share one event, `refusalSummaryInterval` after the first of
  /// them; without such a pause the interval doubles with each event, up to the limit. The same holds for refused
  /// requests of a provider beyond its rate.
  public var refusalEvents = 50
  public var refusalPause: Duration = .seconds(60)
  public var refusalSummaryInterval: Duration = .seconds(1)
  public var refusalSummaryIntervalLimit: Duration = .seconds(300)

  /// The same for all addresses and providers together; this many are forgiven per hour.
  public var refusalEventsOfAll = 500

  /// Addresses and providers that have a shared event of their own; all others have one together.
  public var refusalSummaries = 64

  /// Refused requests of one connection whose address is beyond `refusalEvents`: one more is answered 429, and the
  /// connection ends.
  public var refusalsBeforeEnd = 10

  /// Addresses whose failed authentications and refused requests are remembered, and providers whose requests are
  /// counted.
  public var rememberedAddresses = 1_024
  public var rememberedProviders = 1_024

  /// Streams of one connection before its first valid provider token, as in Apple's service.
  public var streamsBeforeFirstToken = 1

  /// Streams of one connection after a valid provider token.
  public var streams = 1_000

  /// Bytes of one request's headers, counted as HPACK counts them (32 more for each field). Larger ones are refused.
  public var headerListBytes = 8 * 1024

  /// Header bytes above which the connection ends: well above the refused size, so that a client first gets a status.
  public var advertisedHeaderListBytes = 32 * 1024

  /// Bytes of a payload [APNs: 4 KB], and of a `voip` push [APNs: 5 KB].
  public var payloadBytes = 4_096
  public var voipPayloadBytes = 5_120

  /// Bytes of a broadcast, and of the body of a request that manages channels [APNs: 5 KB].
  public var channelBodyBytes = 5_120

  /// The text and the title of a message sent with an access key; the rest is not shown. ntfy's limit is 4 KB.
  public var messageBytes = 4_096
  public var messageTitleBytes = 512

  /// An app's data beside a message, as JSON: a click, actions, extras; as much as an APNs payload. Data that exceeds
  /// it is left out, with an event. And all tags of a message.
  public var messageExtrasBytes = 4_096
  public var messageTagBytes = 512

  /// A body with an access key: the message, or JSON around it. Larger bodies, up to the second limit, are files that
  /// the handset cannot show, and services' messages to hooks; `largeBodies` of them are read at once, and
  /// `largeBodiesPerKey` with one key: one more is answered 503.
  public var messageBodyBytes = 16 * 1024
  public var largeBodyBytes = 256 * 1024
  public var largeBodies = 64
  /// A larger file is not kept, but skipped, at this rate on one connection: the message sent with it is shown. ntfy's
  /// server allows 15 MB.
  public var skippedBodyBytes = 16 * 1024 * 1024
  public var skippedBytesPerSecond = 4 * 1024 * 1024
  public var largeBodiesPerKey = 16

  /// Clients that listen to one topic; bytes that may wait for each, beyond which it is disconnected; and the interval
  /// of its keep-alive messages.
  public var subscriptions = 16
  public var subscriptionBytes = 64 * 1024
  public var subscriptionKeepAlive: Duration = .seconds(45)

  /// Messages of a topic that a client may request later, and their bytes as JSON: the oldest are dropped.
  public var rememberedMessages = 32
  public var rememberedMessageBytes = 64 * 1024

  /// Bytes of a property list of the 2008 service, including tags [2008].
  public var propertyListBytes = 1_024

  /// The depth of nested arrays and dictionaries in a property list.
  public var propertyListDepth = 16

  /// Passwords that wait to be checked, on all connections together: one more is answered 503. A check takes about 50
  /// ms on a desktop and 200 ms on a Raspberry Pi 4, one at a time.
  public var waitingPasswordChecks = 16

  /// The number of these kept for addresses that sent a right password before.
  public var keptPasswordChecks = 4

  /// The number of these for clients at one address, so that a guessing client does not block the others. The rate of
  /// guesses of an address is in `GuessPace`.
  public var waitingPasswordChecksPerAddress = 2

  /// Wrong passwords on one connection; after the last it is closed.
  public var failedPasswords = 3

  /// Bytes of a refused request's body that are read and discarded; then the stream is reset.
  public var discardedBytes = 64 * 1024

  /// The depth of nested arrays and objects in a payload. Apple's limit is not documented.
  public var payloadDepth = 32

  /// Faults of one payload that are recorded; more are not listed.
  public var payloadFaults = 16

  /// Bytes of a provider token.
  public var providerTokenBytes = 2_048

  /// Provider tokens that one connection remembers as verified.
  public var rememberedTokens = 8

  /// Provider tokens of one connection whose signatures are checked without a pause; one more each
  /// `failureForgiveness`. Others are refused unchecked: a check takes longer than the rest of a request.
  public var checkedTokens = 32

  /// The maximum age of a provider token [APNs].
  public var tokenAge: Duration = .seconds(3600)

  /// The maximum time that a provider token may be ahead of the clock: two clocks never agree.
  public var tokenLead: Duration = .seconds(5 * 60)

  /// The interval between changes of one key's token on a connection [APNs: no more than once every 20 minutes].
  public var tokenUpdateInterval: Duration = .seconds(20 * 60)

  /// The time from accepting a connection to the end of its TLS handshake, and from there to its acknowledging our
  /// SETTINGS; counted from the last progress of any connection from its address, if that was later.
  public var handshakeDuration: Duration = .seconds(4)

  /// The time that an unauthenticated client may be silent.
  public var strangerSilence: Duration = .seconds(30)

  /// The time that a client's deadline may be extended because of this machine: bytes that the client has sent wait to
  /// be read.
  public var backlogDuration: Duration = .seconds(60)

  /// The time from the first to the last byte of a frame's header, or of its payload; a header block counts as one.
  public var frameDuration: Duration = .seconds(4)

  /// The time from a request's headers to the end of its body.
  public var bodyDuration: Duration = .seconds(6)

  /// The time from a refusal to the end of the refused request's body.
  public var discardDuration: Duration = .seconds(3)

  /// The time from answering until the client has received the answer. A stream without a window for it is reset, so
  /// that it does not stay open for ever; a connection that receives nothing at all is closed.
  public var answerDuration: Duration = .seconds(8)

  /// Bytes that wait for a client which does not read; beyond it, the client is not read from either, and its HTTP/1.1
  /// requests are not answered.
  public var unsentBytes = 16 * 1024

  /// The time after which a connection without a request is closed with GOAWAY.
  public var idleDuration: Duration = .seconds(3600)

  /// Certificates that a client may show in its TLS handshake, its own and its issuers', and their bytes: they are kept
  /// as long as the connection.
  public var clientCertificates = 8
  public var clientCertificateBytes = 16 * 1024

  /// The time from GOAWAY to closing a connection, whether or not the client cooperates.
  public var closingDuration: Duration = .seconds(10)

  /// The time from a GOAWAY to closing, for the client to read it: with an error, and without one, behind the last
  /// answers.
  public var goAwayDelay: Duration = .milliseconds(250)
  public var lastGoAwayDelay: Duration = .seconds(1)

  /// The time from the last answer of a connection to its GOAWAY: Python's httpx drops unread answers.
  public var lastAnswerDuration: Duration = .milliseconds(40)

  /// The times that `shutDown` allows for a handshake, and for the first bytes of a connection or those after a
  /// handshake.
  public var handshakeDurationAtShutdown: Duration = .seconds(1)
  public var firstBytesDurationAtShutdown: Duration = .milliseconds(150)

  /// The time that `shutDown` waits for a silent client: it has no request under way, or sends no more of its request
  /// and takes no more of its answer. A client that had one under way has ten times as long to read its answers.
  public var silenceAtShutdown: Duration = .milliseconds(100)

  /// The time that `shutDown` waits for all connections to close; then the rest are cut.
  public var shutdownDuration: Duration = .seconds(5)

  /// PING, SETTINGS and PRIORITY frames, resets, and malformed streams of one connection at once, and again in each 30
  /// s. Some clients ping before every push; floods are a thousand times above.
  public var controlFramesPerWindow = 200
  public var resetsPerWindow = 200
  public var streamErrorsPerWindow = 50

  /// Frames of one connection beyond those of requests: WINDOW_UPDATE, GOAWAY, DATA of a few bytes, DATA of a stream
  /// that was reset, frames of unknown type. Each new stream forgives some.
  public var overheadFrames = 1_000
  public var overheadFramesPerRequest = 8

  /// Bytes of TLS's output buffer that are kept per connection; more is allocated anew each time.
  public var preservedOutboundBytes = 2 * 1024

  /// Bytes of a greeting, preface and SETTINGS, and of a first header block, that are withheld until more arrive.
  public var withheldBytes = 8 * 1024

  /// The size below which DATA that does not end its stream counts as small.
  public var smallDataBytes = 64

  /// Streams remembered by a connection as reset before the client had ended them.
  public var rememberedStreams = 1_024

  /// CONTINUATION frames of one header block.
  public var continuationFrames = 8

  public static let standard = PortLimits()

  public init() {}

  var forgivenFailuresPerSecond: Double { 1_000_000 / Double(failureForgiveness.inMicroseconds) }

  /// Returns the detail of a refusal for too many requests.
  func tooManyRequests(of provider: Provider) -> String {
    "provider '\(provider.name)' sent more than \(requestsPerSecond) requests a second for \(burstSeconds) s; "
      + "the limit is requests-per-second in the settings file"
  }
}
