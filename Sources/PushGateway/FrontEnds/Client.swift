import HTTPRoutes
import HandsetCore

/// The client of one connection, as the front ends see it: its certificate, its sessions, and the account of its refused
/// requests. Belongs to the connection's event loop.
public final class Client {
  /// What the connection's transport does for the client.
  struct Transport {
    /// Called once, when a provider has authenticated, with its name.
    var authenticated: (String) -> Void
    /// Ends the connection behind a response.
    var end: (Response.Connection) -> Void
  }

  public let gateway: Gateway
  /// Its IP address; empty where it has none.
  public let ipAddress: String
  /// The account of its refused requests, for use on any thread.
  public let refusals: ConnectionRefusals
  private let frontEnds: [any FrontEnd]
  private let address: ClientAddress?
  private let transport: Transport
  private var certificate: ClientCertificate?
  private var sessions: [(any FrontEndSession)?]
  private var failures: RateBucket
  private var hasFailed = false
  private var isAuthenticated: Bool

  /// - Parameters:
  ///   - frontEnds: at least one.
  ///   - certificate: of the TLS handshake.
  ///   - provider: whose certificate that is; nil where it is nobody's, or not good now.
  init(
    gateway: Gateway, frontEnds: [any FrontEnd], address: ClientAddress?, ipAddress: String,
    certificate: ClientCertificate?, provider: Provider?, transport: Transport
  ) {
    self.gateway = gateway
    self.frontEnds = frontEnds
    self.address = address
    self.ipAddress = ipAddress
    self.transport = transport
    self.certificate = certificate
    refusals = ConnectionRefusals(gateway, address: address, ipAddress: ipAddress.isEmpty ? nil : ipAddress)
    sessions = Array(repeating: nil, count: frontEnds.count)
    failures = RateBucket(now: gateway.clock.uptime())
    isAuthenticated = provider != nil
    if let provider { refusals.authenticated(as: provider) }
  }

  /// The session of the front end that a request belongs to; of the last one where none claims it.
  func session(claiming head: RequestHead) -> any FrontEndSession {
    session(at: frontEnds.firstIndex { $0.claims(head) } ?? frontEnds.count - 1)
  }

  /// The session of the last front end.
  var lastSession: any FrontEndSession { session(at: frontEnds.count - 1) }

  private func session(at index: Int) -> any FrontEndSession {
    if let session = sessions[index] { return session }
    let session = frontEnds[index].makeSession(for: self)
    sessions[index] = session
    return session
  }

  /// The provider of the client's certificate; nil where it showed none.
  ///
  /// - Throws: why the certificate is not accepted.
  func providerByCertificate() throws(APNsRefusal) -> Provider? {
    try certificate?.provider(in: gateway)
  }

  /// Records that a provider has authenticated: its connection may be silent, and have more requests under way.
  ///
  /// - Parameter provider: whose pace the connection's refusals count in from now on.
  public func noteAuthenticated(as provider: Provider) {
    guard !isAuthenticated else { return }
    refusals.authenticated(as: provider)
    noteAuthenticated()
  }

  /// As above, where `refusals` knows the provider already.
  func noteAuthenticated() {
    guard !isAuthenticated, let provider = refusals.providerName else { return }
    isAuthenticated = true
    transport.authenticated(provider)
  }

  func end(_ connection: Response.Connection) {
    if connection != .keep { transport.end(connection) }
  }

  /// Records that a request was refused, and sets how its answer is sent.
  ///
  /// - Parameters:
  ///   - isCounted: whether the request was counted in its provider's pace.
  ///   - failure: where it was refused for its credential.
  ///   - tooMany: the answer where too many requests were refused: 429 replaces the reason.
  public func refuse(
    _ refusal: RefusedPush, isCounted: Bool, failure: FailedAuthentication? = nil, with response: Response,
    tooMany: () -> Response
  ) -> Response {
    let isOneTooMany = refusals.note(refusal, isCounted: isCounted)
    var answer = response
    if let failure { delay(&answer, for: failure) }
    if isOneTooMany {
      answer = tooMany()
      answer.connection = .close
    }
    return answer
  }

  /// Delays the answers to guesses, and in the end closes the connection. Until a connection has authenticated, failures of
  /// other connections count too, so that reconnecting gains nothing; but its first failure does not end it.
  private func delay(_ answer: inout Response, for failure: FailedAuthentication) {
    let limits = gateway.limits
    failures.add(drainingPerSecond: limits.forgivenFailuresPerSecond, now: gateway.clock.uptime())
    var count = failures.level
    if let address, !isAuthenticated {
      let key = failure.key.flatMap { gateway.providers.providers(for: $0).isEmpty ? nil : $0 }
      count = max(count, gateway.countFailure(of: FailureSource(address: address, key: key)))
    }
    defer { hasFailed = true }
    if hasFailed && count > Double(limits.failuresBeforeEnd) {
      answer.connection = .close
    } else if count > Double(limits.failuresBeforeDelay) {
      answer.delay = limits.failureDelay
    }
  }
}

/// A request that was refused for its credential.
public struct FailedAuthentication {
  /// The provider's key that the credential named.
  var key: ProviderDirectory.KeyName?

  public init() {}

  init(key: ProviderDirectory.KeyName?) {
    self.key = key
  }
}

extension GatewayLimits {
  var forgivenFailuresPerSecond: Double { 1_000_000 / Double(failureForgiveness.inMicroseconds) }
}
