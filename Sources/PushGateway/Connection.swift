// What the streams of one connection share.

import HTTPRoutes
import HandsetCore
import Logging

/// All that the port has one of.
final class Gateway: Sendable {
  let receiver: any PushReceiver
  let providers: ProviderDirectory
  let clock: GatewayClock
  let limits: GatewayLimits
  let environment: PushEnvironment
  let logger: Logger
  /// Nil where the provider API alone is served.
  let publishing: PublishingService?
  let refusals: RefusalMeter
  private let rates: RequestRates
  private let failures: RateBuckets<FailureSource>

  init(
    receiver: any PushReceiver, publishing: PublishingService?, providers: ProviderDirectory, clock: GatewayClock,
    limits: GatewayLimits, rates: RequestRates, refusals: RefusalMeter, environment: PushEnvironment, logger: Logger
  ) {
    self.receiver = receiver
    self.publishing = publishing
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.environment = environment
    self.logger = logger
    self.rates = rates
    self.refusals = refusals
    failures = RateBuckets(limit: limits.rememberedAddresses, ratePerSecond: limits.forgivenFailuresPerSecond)
  }

  /// Whether a provider may send one request more now.
  func admitsRequest(of provider: Provider) -> Bool { rates.admitRequest(of: provider) }

  /// How many authentications have failed of that source lately, with this one.
  func countFailure(of source: FailureSource) -> Double { failures.add(to: source, now: clock.uptime()) }
}

/// What failed authentications are counted by, beside their connection. The key tells clients at one address apart:
/// neighbours behind one router, or on one machine, have keys of their own.
struct FailureSource: Hashable, Sendable {
  var address: ClientAddress
  /// Nil where the token named no provider's key: an attacker can make up any number of names.
  var key: ProviderDirectory.KeyName?
}

/// What becomes of a refused request.
enum RefusalConsequence: Hashable {
  case answerNow
  case answer(after: Duration)
  case answerAndEnd
  /// Too many requests were refused: 429 takes the place of its own reason.
  case answerTooManyAndEnd
}

extension GatewayLimits {
  fileprivate var forgivenFailuresPerSecond: Double { 1_000_000 / Double(failureForgiveness.inMicroseconds) }
}

/// The state of one connection. Belongs to its event loop.
final class Connection {
  private let gateway: Gateway
  private var tokens: ProviderTokenVerifier
  private var certificate: ProviderCertificateVerifier?
  private let address: ClientAddress?
  let refusals: ConnectionRefusals
  private var failures: RateBucket
  private var hasFailed = false
  /// The key that the last request's token named.
  private var namedKey: ProviderDirectory.KeyName?
  private(set) var isAuthenticated = false
  /// What serves its streams of the 2008 service, once there was one.
  var publishing: HTTPService?
  /// Called once, at the first valid token or password, or where the client's certificate becomes good.
  var whenAuthenticated: (() -> Void)?
  /// Called when the client is to go.
  var whenUnwelcome: (() -> Void)?

  /// - Parameter certificate: that the client showed in its TLS handshake.
  init(gateway: Gateway, address: ClientAddress?, certificate: CertificateFingerprint? = nil) {
    self.gateway = gateway
    self.address = address
    refusals = ConnectionRefusals(gateway.refusals, address: address)
    failures = RateBucket(now: gateway.clock.uptime())
    tokens = ProviderTokenVerifier(limits: gateway.limits, environment: gateway.environment)
    self.certificate = certificate.map(ProviderCertificateVerifier.init)
    // A good certificate needs no first request to show who it is.
    if let provider = try? providerByCertificate() {
      isAuthenticated = true
      refusals.authenticated(as: provider)
    }
  }

  /// Who sends a request: the one of the client certificate where there is one, and then whatever `authorization` says
  /// [APNs, `authorization`: ignored with certificate-based authentication]; else the one of its provider token.
  func authenticate(_ authorization: String?) throws(APNsRefusal) -> Provider {
    let provider =
      if let certified = try providerByCertificate() { certified } else { try providerByToken(authorization) }
    if !isAuthenticated { refusals.authenticated(as: provider) }
    noteAuthenticated()
    try admitRequest(of: provider)
    return provider
  }

  /// Where the provider token that was verified since the last call differs from Apple's documentation.
  func takeTokenFaults() -> [PayloadFault] { tokens.takeFaults() }

  /// A provider has shown who it is.
  func noteAuthenticated() {
    guard !isAuthenticated else { return }
    isAuthenticated = true
    whenAuthenticated?()
    whenAuthenticated = nil
  }

  /// - Throws: `TooManyRequests`, where the provider asks more often than `GatewayLimits.requestsPerSecond`.
  private func admitRequest(of provider: Provider) throws(APNsRefusal) {
    guard gateway.admitsRequest(of: provider) else {
      throw APNsRefusal(
        .tooManyRequests,
        gateway.limits.tooManyRequests(of: provider))
    }
  }

  /// Records that a request was refused, and decides how it is answered.
  ///
  /// - Parameters:
  ///   - isCounted: whether the request was counted in its provider's pace.
  ///   - isFailedAuthentication: whether it was refused for its credential.
  func noteRefusal(_ refusal: RefusedPush, isCounted: Bool, isFailedAuthentication: Bool) -> RefusalConsequence {
    let isOneTooMany = refusals.note(refusal, isCounted: isCounted)
    let consequence = isFailedAuthentication ? authenticationFailed() : .answerNow
    return isOneTooMany ? .answerTooManyAndEnd : consequence
  }

  /// Delays the answers to guesses, and in the end closes the connection. Until a connection has authenticated, failures of
  /// other connections count too, so that reconnecting gains nothing; but its first failure does not end it.
  private func authenticationFailed() -> RefusalConsequence {
    let limits = gateway.limits
    failures.drain(perSecond: limits.forgivenFailuresPerSecond, now: gateway.clock.uptime())
    failures.add()
    var count = failures.level
    if let address, !isAuthenticated {
      let key = namedKey.flatMap { gateway.providers.provider(for: $0) == nil ? nil : $0 }
      count = max(count, gateway.countFailure(of: FailureSource(address: address, key: key)))
    }
    defer { hasFailed = true }
    if hasFailed && count > Double(limits.failuresBeforeEnd) { return .answerAndEnd }
    return count > Double(limits.failuresBeforeDelay) ? .answer(after: limits.failureDelay) : .answerNow
  }

  private func providerByToken(_ authorization: String?) throws(APNsRefusal) -> Provider {
    namedKey = nil
    let token = try ProviderToken.bearer(authorization)
    defer { namedKey = tokens.namedKey }
    return try tokens.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
  }

  /// Nil where the client showed no certificate.
  private func providerByCertificate() throws(APNsRefusal) -> Provider? {
    try certificate?.provider(
      in: gateway.providers, environment: gateway.environment, now: gateway.clock.real(),
      clockIsSynchronised: gateway.clock.isSynchronised)
  }
}
