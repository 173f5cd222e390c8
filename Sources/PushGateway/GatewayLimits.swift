// Everything that a client on the network could make grow has its bound here, under one name. Tests make them small and
// exceed them by one.

/// The bounds of the push port. Sizes are in bytes, durations on the monotonic clock.
public struct GatewayLimits: Hashable, Sendable {
  /// Connections open at the same time, and waiting to be accepted. One more takes the place of the first that has not
  /// authenticated yet. A tenth is kept from those that have: where they are more, the oldest of the provider that has the
  /// most ends when its requests are answered.
  public var connections = 1_000

  /// Of those, from one IPv4 address, one IPv6 address on a network of this machine's own, or one IPv6 network of 64 bits
  /// elsewhere. One more takes the place of the first from there that has not authenticated yet. The JDK's client opens
  /// a connection for each push that it is given before its first connection is up.
  public var connectionsPerAddress = 600

  /// Of those, of one provider: at one more its oldest ends when its requests are answered.
  public var connectionsPerProvider = 500

  /// Requests a second of one provider, over all its connections; above it they are refused with 429. 0 is no limit.
  public var requestsPerSecond = 1_000

  /// For how long a provider that was silent may send at any pace, measured in requests of that many seconds.
  public var burstSeconds = 10

  /// Requests of one provider that are read and not answered yet, over all its connections of HTTP/2, which have equal
  /// shares; and what each may have at least. Beyond it nothing is taken from the connection: what one provider sends on
  /// many connections waits in the kernel, where it costs other providers nothing.
  public var requestsUnderWay = 1_024
  public var requestsUnderWayEach = 4

  /// Requests of one provider that are refused in a second, over all its connections of HTTP/2, which have equal shares.
  /// A connection that has used its share of that for a pause takes nothing more until the pause is over.
  public var refusalsPerSecond = 5_000
  public var pausesPerSecond = 50

  /// Failed authentications without a pause; one is forgiven each `failureForgiveness`. They are counted by connection. Those
  /// of connections that have not authenticated are also counted by address and the provider's key that they name, and by
  /// address where they name none. Past the first number each answer waits for `failureDelay`; past the second the
  /// connection ends with the answer, unless it is the connection's first failure.
  public var failuresBeforeDelay = 20
  public var failuresBeforeEnd = 25
  public var failureForgiveness: Duration = .seconds(3)
  public var failureDelay: Duration = .seconds(1)

  /// Refused requests of one address that have an event each, until it makes none for `refusalPause`. Only connections
  /// that have not authenticated count. Further refusals share one event, `refusalSummaryInterval` after the first of
  /// them; each one that follows without such a pause is written after twice the time of the one before, up to the limit.
  /// The same holds for refused requests of a provider that is beyond its pace.
  public var refusalEvents = 50
  public var refusalPause: Duration = .seconds(60)
  public var refusalSummaryInterval: Duration = .seconds(1)
  public var refusalSummaryIntervalLimit: Duration = .seconds(300)

  /// The same for all addresses and providers together; so many are forgiven in an hour.
  public var refusalEventsOfAll = 500

  /// Addresses and providers that have a shared event of their own; all others have one together.
  public var refusalSummaries = 64

  /// Refused requests of one connection whose address is beyond `refusalEvents`: one more is answered 429, and the
  /// connection ends.
  public var refusalsBeforeEnd = 10

  /// Addresses whose failed authentications and refused requests are remembered, and providers whose requests are counted.
  public var rememberedAddresses = 1_024
  public var rememberedProviders = 1_024

  /// Streams of one connection before its first valid provider token, as Apple's service has it.
  public var streamsBeforeFirstToken = 1

  /// Streams of one connection once a provider token was found valid.
  public var streams = 1_000

  /// Bytes of one request's headers, counted as HPACK counts them (32 more for each field). Above it the request is
  /// refused.
  public var headerListBytes = 8 * 1024

  /// Above it the connection ends: well above what we refuse ourselves, so that a client receives a status first.
  public var advertisedHeaderListBytes = 32 * 1024

  /// A payload [APNs: 4 KB], and that of a `voip` push [APNs: 5 KB].
  public var payloadBytes = 4_096
  public var voipPayloadBytes = 5_120

  /// The text and the title of a message that comes with an access key; more of it is not shown. ntfy's has 4 KB.
  public var messageBytes = 4_096
  public var messageTitleBytes = 512

  /// What an app gets beside a message, as JSON: a click, actions, extras, as much as a payload of APNs has. What has no
  /// place in it is left out, with an event. And the tags of a message, together.
  public var messageExtrasBytes = 4_096
  public var messageTagBytes = 512

  /// A body with an access key: the message, or JSON around it. Larger ones, up to the second limit, are files that the
  /// handset cannot show, and what services send to hooks; so many of them are read at once, and so many with one key: one
  /// more is answered 503.
  public var messageBodyBytes = 16 * 1024
  public var largeBodyBytes = 256 * 1024
  public var largeBodies = 64
  /// A file that is larger still is not kept, but read past, at this pace on one connection: the message that came with it
  /// is shown. ntfy's server has 15 MB.
  public var skippedBodyBytes = 16 * 1024 * 1024
  public var skippedBytesPerSecond = 4 * 1024 * 1024
  public var largeBodiesPerKey = 16

  /// Clients that listen to one topic; bytes that wait for each, with more it is cut off; and how often it hears that the
  /// connection is alive.
  public var subscriptions = 16
  public var subscriptionBytes = 64 * 1024
  public var subscriptionKeepAlive: Duration = .seconds(45)

  /// Messages of a topic that a client may ask for later, and their bytes as JSON: the oldest go.
  public var rememberedMessages = 32
  public var rememberedMessageBytes = 64 * 1024

  /// A property list of the 2008 service, tags included [2008].
  public var propertyListBytes = 1_024

  /// How deep arrays and dictionaries of a property list may be nested.
  public var propertyListDepth = 16

  /// Passwords that wait to be checked, on all connections together: one more is answered 503. A check takes some 50 ms
  /// on a desktop and 200 ms on a Raspberry Pi 4, one at a time.
  public var waitingPasswordChecks = 16

  /// Of these, for addresses from which a password was right before.
  public var keptPasswordChecks = 4

  /// Those of clients at one address, so that one who guesses does not keep the others out. How often an address may
  /// guess is in `GuessPace`.
  public var waitingPasswordChecksPerAddress = 2

  /// Wrong passwords on one connection; with the last it is closed.
  public var failedPasswords = 3

  /// Bytes of a body that are read and thrown away after its request was refused; then the stream is reset.
  public var discardedBytes = 64 * 1024

  /// How deep arrays and objects of a payload may be nested. Apple's bound is not documented.
  public var payloadDepth = 32

  /// Faults of one payload that are written down; more are only counted.
  public var payloadFaults = 16

  /// Bytes of a provider token.
  public var providerTokenBytes = 2_048

  /// Provider tokens that one connection remembers as verified.
  public var rememberedTokens = 8

  /// Provider tokens of one connection whose signatures are checked without a pause; one more each `failureForgiveness`.
  /// Another one is refused unchecked: a check takes longer than all the rest of a request.
  public var checkedTokens = 32

  /// How old a provider token may be [APNs].
  public var tokenAge: Duration = .seconds(3600)

  /// How far ahead of the clock a provider token may be: two clocks never agree.
  public var tokenLead: Duration = .seconds(5 * 60)

  /// How often the token of one key may change on a connection [APNs: no more than once every 20 minutes].
  public var tokenUpdateInterval: Duration = .seconds(20 * 60)

  /// From accepting a connection to the end of its TLS handshake, and from there to its acknowledging our SETTINGS; from
  /// the last progress of any connection from its address, where that was later.
  public var handshakeDuration: Duration = .seconds(4)

  /// How long a client that has not authenticated may be silent.
  public var strangerSilence: Duration = .seconds(30)

  /// How much later than its end a deadline for the client may act, where that is due to us: bytes that the client has
  /// sent wait to be read.
  public var backlogDuration: Duration = .seconds(60)

  /// From the first byte of a frame's header, or of its payload, to the last; a header block is one.
  public var frameDuration: Duration = .seconds(4)

  /// From a request's headers to the end of its body.
  public var bodyDuration: Duration = .seconds(6)

  /// From a refusal to the end of the refused request's body.
  public var discardDuration: Duration = .seconds(3)

  /// From answering to the client's having taken the answer. One that grants no window for it is reset, so that it
  /// does not hold a stream for ever; a connection that takes nothing at all is closed.
  public var answerDuration: Duration = .seconds(8)

  /// Bytes that wait for a client which does not read; with more, nothing is read from it either, and nothing that it
  /// asked for in HTTP/1.1 is answered.
  public var unsentBytes = 16 * 1024

  /// A connection without a request for so long is closed with GOAWAY.
  public var idleDuration: Duration = .seconds(3600)

  /// Certificates that a client may show in its TLS handshake, its own and those that issued it, and their bytes: they
  /// are kept as long as the connection.
  public var clientCertificates = 8
  public var clientCertificateBytes = 16 * 1024

  /// From GOAWAY to closing a connection, whether or not the client plays along.
  public var closingDuration: Duration = .seconds(10)

  /// From a GOAWAY with an error to closing: the time that the client has to read it.
  public var goAwayDelay: Duration = .milliseconds(250)

  /// From the last answer of a connection to its GOAWAY: Python's httpx forgets the answers that it has not read yet.
  public var lastAnswerDuration: Duration = .milliseconds(40)

  /// How long `shutDown` lets a handshake go on, and how long it waits for the first bytes of a connection, and for those
  /// behind a handshake.
  public var handshakeDurationAtShutdown: Duration = .seconds(1)
  public var firstBytesDurationAtShutdown: Duration = .milliseconds(150)

  /// How long `shutDown` waits for a client that is silent: nothing of it is under way, or it sends no more of its request
  /// and takes no more of its answer.
  public var silenceAtShutdown: Duration = .milliseconds(100)

  /// How long `shutDown` waits for all connections to close; what is still open then is cut.
  public var shutdownDuration: Duration = .seconds(5)

  /// PING, SETTINGS and PRIORITY frames, resets, and malformed streams that one connection may send at once, and again in
  /// each 30 s. Clients that ping before every push are known; floods are three orders above.
  public var controlFramesPerWindow = 200
  public var resetsPerWindow = 200
  public var streamErrorsPerWindow = 50

  /// Frames beyond those of requests that one connection may have sent: WINDOW_UPDATE, GOAWAY, DATA of a few bytes, DATA
  /// of a stream that was reset, frames of unknown type. Each new stream forgives some.
  public var overheadFrames = 1_000
  public var overheadFramesPerRequest = 8

  /// Bytes that TLS keeps of a connection for what it will send next; more is made anew each time.
  public var preservedOutboundBytes = 2 * 1024

  /// Bytes of a greeting, preface and SETTINGS, and of a first header block, that are kept until there is more.
  public var withheldBytes = 8 * 1024

  /// DATA that does not end its stream is of a few bytes below this.
  public var smallDataBytes = 64

  /// Streams that were reset before the client had ended them, of which a connection remembers that.
  public var rememberedStreams = 1_024

  /// CONTINUATION frames of one header block.
  public var continuationFrames = 8

  public static let standard = GatewayLimits()

  public init() {}
}
