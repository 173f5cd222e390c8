import HTTP
import HandsetCore

/// The client of one connection, for the front ends: its certificate, its sessions, and the record of its refused
/// requests. Belongs to the connection's event loop.
public final class Client {
  struct Transport {
    /// Called once, when a provider has authenticated, with its name.
    var authenticated: (String) -> Void
    var end: (HTTPResponse.Connection) -> Void
  }

  public let port: Port
  /// Its IP address; empty if it has none.
  public let ipAddress: String
  /// The record of its refused requests, for use on any thread.
  public let refusals: ConnectionRefusals
  private let frontEnds: [any FrontEnd]
  private let transport: Transport
  var certificate: ClientCertificate?
  private var sessions: [(any FrontEndSession)?]
  private var failures: RateBucket
  private var isAuthenticated: Bool
  /// Its provider tokens, which pushes and broadcasts have in common.
  lazy var tokens = ProviderTokenVerifier(port)

  /// - Parameters:
  ///   - frontEnds: at least one.
  ///   - provider: the certificate's provider; nil if it has none, or is not valid now.
  init(
    port: Port, frontEnds: [any FrontEnd], address: ClientAddress?, ipAddress: String,
    certificate: ClientCertificate?, provider: Provider?, transport: Transport
  ) {
    self.port = port
    self.frontEnds = frontEnds
    self.ipAddress = ipAddress
    self.transport = transport
    self.certificate = certificate
    refusals = ConnectionRefusals(port, address: address, ipAddress: ipAddress.isEmpty ? nil : ipAddress)
    sessions = Array(repeating: nil, count: frontEnds.count)
    failures = RateBucket(now: port.clock.uptime())
    isAuthenticated = provider != nil
    if let provider { refusals.authenticated(as: provider) }
  }

  /// Passes a request to the front end that claims it, or to the last one if none does.
  func open(_ head: RequestHead) -> HTTPOpening {
    session(at: frontEnds.firstIndex { $0.claims(head) } ?? frontEnds.count - 1).open(head, from: self)
  }

  private func session(at index: Int) -> any FrontEndSession {
    if let session = sessions[index] { return session }
    let session = frontEnds[index].makeSession(for: self)
    sessions[index] = session
    return session
  }

  /// Records that a provider has authenticated: its connection may be silent, and have more requests under way.
  ///
  /// - Parameter provider: the provider whose rate counts the connection's refusals from now on.
  public func noteAuthenticated(as provider: Provider) {
    guard !isAuthenticated else { return }
    refusals.authenticated(as: provider)
    noteAuthenticated()
  }

  /// The same, if `refusals` already has the provider.
  func noteAuthenticated() {
    guard !isAuthenticated, let provider = refusals.providerName else { return }
    isAuthenticated = true
    transport.authenticated(provider)
  }

  func end(_ connection: HTTPResponse.Connection) {
    if connection != .keep { transport.end(connection) }
  }

  /// Records that a request was refused, and sets how its answer is sent.
  ///
  /// - Parameters:
  ///   - isCounted: true if the request was counted in its provider's rate.
  ///   - tooMany: the answer if too many requests were refused: 429 replaces the reason.
  public func refuse(
    _ refusal: RefusedPush, isCounted: Bool, failure: FailedAuthentication? = nil, with response: HTTPResponse,
    tooMany: () -> HTTPResponse
  ) -> HTTPResponse {
    let isOneTooMany = refusals.note(refusal, isCounted: isCounted)
    var answer = response
    if let failure { delay(&answer, for: failure) }
    if isOneTooMany {
      answer = tooMany()
      answer.connection = .close
    }
    return answer
  }

  /// Delays the answers to guesses, and finally closes the connection. Until a connection has authenticated, failures
  /// of other connections count too, so that reconnecting gains nothing; but its first failure does not close it.
  private func delay(_ answer: inout HTTPResponse, for failure: FailedAuthentication) {
    let limits = port.limits
    failures.add(drainingPerSecond: limits.forgivenFailuresPerSecond, now: port.clock.uptime())
    var count = failures.level
    if let address = refusals.address, !isAuthenticated {
      let key = failure.key.flatMap { port.providers.providers(for: $0).isEmpty ? nil : $0 }
      count = max(count, port.countFailure(of: FailureSource(address: address, key: key)))
    }
    if failures.added > 1 && count > Double(limits.failuresBeforeEnd) {
      answer.connection = .close
    } else if count > Double(limits.failuresBeforeDelay) {
      answer.delay = limits.failureDelay
    }
  }
}

/// The client as the responder of an HTTP/1.1 connection.
extension Client: HTTPResponder {
  package func open(_ request: HTTPRequest) -> HTTPOpening { open(request.head) }

  package func authorized() { noteAuthenticated() }

  package func refuse(_ error: HTTPError) -> HTTPResponse {
    session(at: frontEnds.count - 1).refuse(error, from: self)
  }
}

public struct FailedAuthentication {
  var key: ProviderDirectory.KeyName?
}
