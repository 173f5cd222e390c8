// What the streams of one connection share.

import HandsetCore
import Logging

/// All that the port has one of.
final class Gateway: Sendable {
  let receiver: any PushReceiver
  let providers: ProviderDirectory
  let clock: GatewayClock
  let limits: GatewayLimits
  let logger: Logger

  init(
    receiver: any PushReceiver, providers: ProviderDirectory, clock: GatewayClock, limits: GatewayLimits, logger: Logger
  ) {
    self.receiver = receiver
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
  /// Called once, at the first valid token.
  var whenAuthenticated: (() -> Void)?

  init(gateway: Gateway) {
    self.gateway = gateway
    verifier = ProviderTokenVerifier(limits: gateway.limits)
  }

  /// Whose provider token `token` is.
  func authenticate(_ token: Substring.UTF8View) throws(APNsRefusal) -> Provider {
    let provider = try verifier.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
    if !isAuthenticated {
      isAuthenticated = true
      whenAuthenticated?()
      whenAuthenticated = nil
    }
    return provider
  }
}
