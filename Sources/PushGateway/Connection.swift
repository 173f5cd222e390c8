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
  let logger: Logger
  /// Nil where the provider API alone is served.
  let publishing: PublishingService?

  init(
    receiver: any PushReceiver, publishing: PublishingService? = nil, providers: ProviderDirectory, clock: GatewayClock,
    limits: GatewayLimits, logger: Logger
  ) {
    self.receiver = receiver
    self.publishing = publishing
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.logger = logger
  }
}

/// The state of one connection. Belongs to its event loop.
final class Connection {
  private let gateway: Gateway
  private var verifier: ProviderTokenVerifier
  private var isAuthenticated = false
  /// What serves its streams of the 2008 service, once there was one.
  var publishing: HTTPService?
  /// Called once, at the first valid token or password.
  var whenAuthenticated: (() -> Void)?

  init(gateway: Gateway) {
    self.gateway = gateway
    verifier = ProviderTokenVerifier(limits: gateway.limits)
  }

  /// Whose provider token `token` is.
  func authenticate(_ token: Substring.UTF8View) throws(APNsRefusal) -> Provider {
    let provider = try verifier.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
    noteAuthenticated()
    return provider
  }

  /// A provider has shown who it is.
  func noteAuthenticated() {
    guard !isAuthenticated else { return }
    isAuthenticated = true
    whenAuthenticated?()
    whenAuthenticated = nil
  }
}
