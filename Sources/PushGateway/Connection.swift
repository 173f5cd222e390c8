// What the streams of one connection share.

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

  init(
    receiver: any PushReceiver, providers: ProviderDirectory, clock: GatewayClock, limits: GatewayLimits,
    environment: PushEnvironment, logger: Logger
  ) {
    self.receiver = receiver
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.environment = environment
    self.logger = logger
  }
}

/// The state of one connection. Belongs to its event loop.
final class Connection {
  private let gateway: Gateway
  private var tokens: ProviderTokenVerifier
  private var certificate: ProviderCertificateVerifier?
  private(set) var isAuthenticated = false
  /// Called once, at the first valid token.
  var whenAuthenticated: (() -> Void)?

  /// - Parameter certificate: that the client showed in its TLS handshake.
  init(gateway: Gateway, certificate: CertificateFingerprint? = nil) {
    self.gateway = gateway
    tokens = ProviderTokenVerifier(limits: gateway.limits, environment: gateway.environment)
    self.certificate = certificate.map(ProviderCertificateVerifier.init)
    // A good certificate needs no first request to show who it is.
    isAuthenticated = (try? byCertificate()) != nil
  }

  /// Who sends a request: the one of the client certificate where there is one, and then whatever `authorization` says
  /// [APNs, `authorization`: ignored with certificate-based authentication]; else the one of its provider token.
  func authenticate(_ authorization: String?) throws(APNsRefusal) -> Provider {
    if let provider = try byCertificate() { return provider }
    let token = try ProviderToken.bearer(authorization)
    let provider = try tokens.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
    if !isAuthenticated {
      isAuthenticated = true
      whenAuthenticated?()
      whenAuthenticated = nil
    }
    return provider
  }

  /// Nil where the client showed no certificate.
  private func byCertificate() throws(APNsRefusal) -> Provider? {
    try certificate?.provider(
      in: gateway.providers, environment: gateway.environment, now: gateway.clock.real(),
      clockIsSynchronised: gateway.clock.isSynchronised)
  }
}
