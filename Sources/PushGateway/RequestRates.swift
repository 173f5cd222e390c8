// The request rate of each provider, over all its connections and front ends.

final class RequestRates: Sendable {
  private let buckets: RateBuckets<String>
  private let clock: GatewayClock
  private let limits: GatewayLimits

  init(_ limits: GatewayLimits, _ clock: GatewayClock) {
    self.limits = limits
    self.clock = clock
    buckets = RateBuckets(limit: limits.rememberedProviders, ratePerSecond: Double(limits.requestsPerSecond))
  }

  /// Counts one request more; false where it is too many now.
  func admitRequest(of provider: Provider) -> Bool {
    guard limits.requestsPerSecond > 0 else { return true }
    let capacity = Double(limits.requestsPerSecond * limits.burstSeconds)
    return buckets.add(to: provider.name, capacity: capacity, now: clock.uptime())
  }
}

extension GatewayLimits {
  /// The detail of a refusal for too many requests.
  func tooManyRequests(of provider: Provider) -> String {
    "provider '\(provider.name)' sent more than \(requestsPerSecond) requests a second for \(burstSeconds) s; "
      + "the limit is requests-per-second in the settings file"
  }
}
