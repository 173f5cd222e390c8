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
  private let rates: RequestRates
  private let failures: RateBuckets<ClientAddress>

  init(
    receiver: any PushReceiver, publishing: PublishingService?, providers: ProviderDirectory, clock: GatewayClock,
    limits: GatewayLimits, rates: RequestRates, logger: Logger
  ) {
    self.receiver = receiver
    self.publishing = publishing
    self.providers = providers
    self.clock = clock
    self.limits = limits
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
  private var verifier: ProviderTokenVerifier
  private let address: ClientAddress?
  private var failures = 0
  private var isAuthenticated = false
  /// What serves its streams of the 2008 service, once there was one.
  var publishing: HTTPService?
  /// Called once, at the first valid token or password.
  var whenAuthenticated: (() -> Void)?
  /// Called when the client is to go.
  var whenUnwelcome: (() -> Void)?

  init(gateway: Gateway, address: ClientAddress?) {
    self.gateway = gateway
    self.address = address
    verifier = ProviderTokenVerifier(limits: gateway.limits)
  }

  /// Whose provider token `token` is.
  func authenticate(_ token: Substring.UTF8View) throws(APNsRefusal) -> Provider {
    let provider = try verifier.provider(
      for: token, in: gateway.providers, now: gateway.clock.real(), clockIsSynchronised: gateway.clock.isSynchronised)
    noteAuthenticated()
    try admitRequest(of: provider)
    return provider
  }

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
}
