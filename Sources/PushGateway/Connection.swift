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
  private let rates: RequestRates
  private let failures: RateBuckets<ClientAddress>

  init(
    receiver: any PushReceiver, publishing: PublishingService?, providers: ProviderDirectory, clock: GatewayClock,
    limits: GatewayLimits, rates: RequestRates, environment: PushEnvironment, logger: Logger
  ) {
    self.receiver = receiver
    self.publishing = publishing
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.environment = environment
    self.logger = logger
    self.rates = rates
    failures = RateBuckets(
      limit: limits.rememberedAddresses, ratePerSecond: 1_000_000 / Double(limits.failureForgiveness.inMicroseconds))
  }

  /// Whether a provider may send one request more now.
  func admitsRequest(of provider: Provider) -> Bool { rates.admitRequest(of: provider) }

  /// How many authentications have failed from there lately, with this one.
  func countFailure(from address: ClientAddress) -> Int {
    Int(failures.add(to: address, now: clock.uptime()).rounded(.up))
  }
}

/// What becomes of a request whose sender could not show who it is.
enum FailureConsequence: Hashable {
  case answerNow
  case answer(after: Duration)
  case answerAndEnd
}

/// The state of one connection. Belongs to its event loop.
final class Connection {
  private let gateway: Gateway
  private var tokens: ProviderTokenVerifier
  private var certificate: ProviderCertificateVerifier?
  private let address: ClientAddress?
  private var failures = 0
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
    tokens = ProviderTokenVerifier(limits: gateway.limits, environment: gateway.environment)
    self.certificate = certificate.map(ProviderCertificateVerifier.init)
    // A good certificate needs no first request to show who it is.
    isAuthenticated = (try? providerByCertificate()) != nil
  }

  /// Who sends a request: the one of the client certificate where there is one, and then whatever `authorization` says
  /// [APNs, `authorization`: ignored with certificate-based authentication]; else the one of its provider token.
  func authenticate(_ authorization: String?) throws(APNsRefusal) -> Provider {
    let provider =
      if let certified = try providerByCertificate() { certified } else { try providerByToken(authorization) }
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

  /// Slows down who guesses, and in the end sends it away: counted by address, so that a new connection is no new
  /// start, and by connection where there is no address.
  func authenticationFailed() -> FailureConsequence {
    failures += 1
    let limits = gateway.limits
    let count = address.map { gateway.countFailure(from: $0) } ?? failures
    if count > limits.failuresBeforeEnd { return .answerAndEnd }
    return count > limits.failuresBeforeDelay ? .answer(after: limits.failureDelay) : .answerNow
  }

  private func providerByToken(_ authorization: String?) throws(APNsRefusal) -> Provider {
    let token = try ProviderToken.bearer(authorization)
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
