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
  private let requests: RateBuckets<String>
  private let failures: RateBuckets<ClientAddress>

  init(
    receiver: any PushReceiver, providers: ProviderDirectory, clock: GatewayClock, limits: GatewayLimits, logger: Logger
  ) {
    self.receiver = receiver
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.logger = logger
    requests = RateBuckets(limit: limits.rememberedProviders, ratePerSecond: Double(limits.requestsPerSecond))
    failures = RateBuckets(
      limit: limits.rememberedAddresses, ratePerSecond: 1_000_000 / Double(limits.failureForgiveness.inMicroseconds))
  }

  /// Whether a provider may send one request more now.
  func admitsRequest(of provider: Provider) -> Bool {
    guard limits.requestsPerSecond > 0 else { return true }
    let capacity = Double(limits.requestsPerSecond * limits.burstSeconds)
    return requests.add(to: provider.name, capacity: capacity, now: clock.uptime())
  }

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
  /// Called once, at the first valid token.
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
    if !isAuthenticated {
      isAuthenticated = true
      whenAuthenticated?()
      whenAuthenticated = nil
    }
    guard gateway.admitsRequest(of: provider) else {
      throw APNsRefusal(
        .tooManyRequests,
        "provider '\(provider.name)' sent more than \(gateway.limits.requestsPerSecond) requests a second for "
          + "\(gateway.limits.burstSeconds) s; the limit is requests-per-second in the settings file")
    }
    return provider
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
