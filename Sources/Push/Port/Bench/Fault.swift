import HTTP
import HandsetCore

/// A fault that a bench makes on purpose: what happens, to which requests or connections, and until when.
public struct Fault: Sendable, Hashable {
  /// Unique among the faults of a bench.
  public var name: String
  public var action: Action
  public var moment: Moment
  public var scope: Scope
  public var which: Which
  public var end: End
  /// The words that it was read from, with their values.
  public var words: [String: JSONValue]
  /// The preset that it is part of; nil for none.
  public var preset: String?

  public struct Action: Sendable, Hashable {
    public var kind: Kind
    /// The real time that passes before it acts.
    public var delay: Duration

    public init(_ kind: Kind, delay: Duration = .zero) { (self.kind, self.delay) = (kind, delay) }
  }

  public enum Kind: Sendable, Hashable {
    /// Only a delay: the request goes on after it.
    case wait
    /// This answer instead of the handset's.
    case answer(Answer)
    /// No answer. The connection stays open.
    case silence
    /// RST_STREAM with this code. HTTP/2 only.
    case reset(UInt32)
    /// HTTP/2 only.
    case goAway(GoAway)
    /// New settings of the connection. HTTP/2 only.
    case settings(Settings)
    case cut(Cut)
    case certificate(CertificateFault)
    /// A condition of the handset, which is set while the fault is armed.
    case condition(Condition)
  }

  public struct Answer: Sendable, Hashable {
    public var status: Int
    /// Apple's word, or any other text; nil for the usual one of the status.
    public var reason: String?
    /// The value of Retry-After, in whole seconds; nil for none.
    public var retryAfter: Int64?
    /// The body's timestamp, in milliseconds since 1970; nil for none.
    public var timestamp: Int64?
    /// The whole body; nil for the one made of reason and timestamp.
    public var body: String?
  }

  public struct GoAway: Sendable, Hashable {
    public var code: UInt32
    public var last: LastStream
    /// 1, or 2 for a GOAWAY with the highest number before the one that counts [RFC 9113, 6.8].
    public var times: Int
    /// True if the connection closes when the streams that GOAWAY accepts are answered.
    public var closes: Bool
  }

  /// The stream that GOAWAY names: later ones get no answer.
  public enum LastStream: Sendable, Hashable {
    /// The struck one, which is answered.
    case this
    /// The one before the struck one, which gets no answer.
    case previous
    case number(UInt32)
  }

  public struct Settings: Sendable, Hashable {
    /// MAX_CONCURRENT_STREAMS; nil leaves it as it is.
    public var streams: UInt32?
    /// INITIAL_WINDOW_SIZE, in bytes; nil leaves it as it is.
    public var window: UInt32?
  }

  /// The place where a connection is cut.
  public enum Cut: String, Sendable, Hashable, CaseIterable {
    /// When it is accepted, before TLS.
    case accept
    /// After a request's head, before its body is read.
    case request
    /// In place of the answer.
    case answer
    /// After the answer's head.
    case headers
    /// Within the answer's body.
    case body
  }

  public enum CertificateFault: String, Sendable, Hashable, CaseIterable {
    case expired
    case notYetValid = "not-yet-valid"
    case otherName = "other-name"
    case otherAuthority = "other-authority"
  }

  /// When a fault strikes.
  public enum Moment: Sendable, Hashable {
    case accept
    /// When an HTTP/2 connection begins.
    case connect
    /// When a request's head has arrived.
    case head
    /// When a request has arrived, and its provider has authenticated.
    case beforeCommit
    case afterCommit
    /// While it is armed, without a request: a condition.
    case always
  }

  /// Whose requests; nil for all.
  public struct Scope: Sendable, Hashable {
    public var provider: String?
    public var app: String?
    public var token: String?
    public var handset: String?
    public var connection: Int?

    public init(
      provider: String? = nil, app: String? = nil, token: String? = nil, handset: String? = nil, connection: Int? = nil
    ) {
      (self.provider, self.app, self.token) = (provider, app, token)
      (self.handset, self.connection) = (handset, connection)
    }
  }

  /// Which of the requests in scope, counted from 1 since the fault was armed.
  public enum Which: Sendable, Hashable {
    case all
    case range(ClosedRange<Int>)
    case every(Int)
    /// Each with this probability, 0 to 1. The seed decides which, so that a run can be repeated.
    case share(Double, seed: UInt64)
    /// Each beyond so many of one device token, in a time that begins with the token's first request.
    case perToken(Int, in: Duration)
    /// The answer with which the refusals of its connection are so many, as `BenchedConnection` counts them.
    case refusals(Int)
  }

  public struct End: Sendable, Hashable {
    /// After so many hits; nil for no end.
    public var count: Int?
    /// So long after it was armed; nil for no end.
    public var duration: Duration?

    public init(count: Int? = nil, duration: Duration? = nil) { (self.count, self.duration) = (count, duration) }
  }
}

/// The facts that a fault is matched with: of a request, or of a connection before its first one.
public struct FaultFacts: Sendable, Hashable {
  public var connection: Int
  public var isHTTP2: Bool
  public var provider: String?
  public var app: String?
  public var token: String?
  public var handset: String?
  /// The HTTP/2 stream; 0 for none.
  public var stream: UInt32 = 0
  /// As in `RecordedRequest.refusals`.
  public var refusals: ClosedRange<Int>?

  public init(
    connection: Int, isHTTP2: Bool = true, provider: String? = nil, app: String? = nil, token: String? = nil,
    handset: String? = nil
  ) {
    (self.connection, self.isHTTP2, self.provider) = (connection, isHTTP2, provider)
    (self.app, self.token, self.handset) = (app, token, handset)
  }
}

extension Fault {
  func includes(_ facts: FaultFacts) -> Bool {
    (facts.isHTTP2 || !action.kind.needsHTTP2) && scope.includes(facts)
  }
}

extension Fault.Kind {
  /// True if HTTP/1.1 has nothing like it.
  var needsHTTP2: Bool {
    switch self {
    case .reset, .goAway, .settings: true
    case .wait, .answer, .silence, .cut, .certificate, .condition: false
    }
  }
}

extension Fault.Kind {
  /// Returns true if it only changes the connection, and the request of a stream may go on to another fault.
  func leavesRequest(of stream: UInt32) -> Bool {
    switch self {
    case .settings: true
    // GOAWAY ends the streams behind its last one.
    case .goAway(let goAway):
      switch goAway.last {
      case .this: true
      case .previous: false
      case .number(let number): stream <= number
      }
    default: false
    }
  }
}

extension Fault.Scope {
  func includes(_ facts: FaultFacts) -> Bool {
    func agree<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
    return agree(provider, facts.provider) && agree(app, facts.app) && agree(token, facts.token)
      && agree(handset, facts.handset) && agree(connection, facts.connection)
  }
}
