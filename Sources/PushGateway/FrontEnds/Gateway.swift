import HTTPRoutes
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// What the front ends and connections of a port share: providers, limits, clock and accounts.
public final class Gateway: Sendable {
  public let providers: ProviderDirectory
  public let clock: GatewayClock
  public let limits: GatewayLimits
  public let environment: PushEnvironment
  public let logger: Logger
  /// Where calls that take time are answered; nil for Swift's own.
  public let executor: (any TaskExecutor)?
  let eventLoopGroup: any EventLoopGroup
  let refusals: RefusalMeter
  let largeBodies = LargeBodies()
  /// The requests of each provider, over all its connections and front ends.
  private let rates: RateBuckets<String>
  private let failures: RateBuckets<FailureSource>
  private let refused = Mutex<[Int: Int]>([:])

  /// - Parameters:
  ///   - recorder: is given the refused requests.
  ///   - environment: which of Apple's two services the port plays.
  ///   - eventLoopGroup: where connections live. Not shut down here.
  ///   - executor: where calls that take time are answered; nil for Swift's own.
  public init(
    recorder: any RefusalRecorder, providers: ProviderDirectory, clock: GatewayClock = .system,
    limits: GatewayLimits = .standard, environment: PushEnvironment = .production, logger: Logger,
    eventLoopGroup: any EventLoopGroup, executor: (any TaskExecutor)? = nil
  ) {
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.environment = environment
    self.logger = logger
    self.eventLoopGroup = eventLoopGroup
    self.executor = executor
    rates = RateBuckets(limit: limits.rememberedProviders, ratePerSecond: Double(limits.requestsPerSecond))
    refusals = RefusalMeter(recorder, limits: limits, clock: clock, logger: logger, eventLoop: eventLoopGroup.next())
    failures = RateBuckets(limit: limits.rememberedAddresses, ratePerSecond: limits.forgivenFailuresPerSecond)
  }

  /// Counts one request of a provider; false where it exceeds `GatewayLimits.requestsPerSecond`.
  public func admitsRequest(of provider: Provider) -> Bool {
    let capacity = limits.requestsPerSecond > 0 ? Double(limits.requestsPerSecond * limits.burstSeconds) : .infinity
    return rates.add(to: provider.name, capacity: capacity, now: clock.uptime()).isAdded
  }

  /// Each provider's requests: those that were let in, and those beyond its pace.
  var requests: [String: (admitted: Int, refused: Int)] { rates.all.mapValues { ($0.added, $0.refused) } }

  /// Refused requests by the HTTP status of their reason, since the start.
  var refusedRequests: [Int: Int] { refused.withLock(\.self) }

  func countRefusal(status: Int) { refused.withLock { $0[status, default: 0] += 1 } }

  /// Counts one failed authentication.
  /// - Returns: the recent failures of that source, this one included.
  func countFailure(of source: FailureSource) -> Double { failures.add(to: source, now: clock.uptime()).level }
}

extension GatewayLimits {
  /// The detail of a refusal for too many requests.
  func tooManyRequests(of provider: Provider) -> String {
    "provider '\(provider.name)' sent more than \(requestsPerSecond) requests a second for \(burstSeconds) s; "
      + "the limit is requests-per-second in the settings file"
  }
}

/// What failed authentications are counted by, beside their connection. The key separates clients at one address:
/// neighbours behind one router, or on one machine, have keys of their own.
struct FailureSource: Hashable, Sendable {
  var address: ClientAddress
  /// Nil where the token named no provider's key: an attacker can make up any number of names.
  var key: ProviderDirectory.KeyName?
}
