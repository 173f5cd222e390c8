import HTTP
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// The state that the front ends and connections of a port share: providers, limits, clock and counts.
public final class Port: Sendable {
  public let providers: ProviderDirectory
  public let clock: PortClock
  public let limits: PortLimits
  public let environment: PushEnvironment
  /// The unknown providers of a bench; nil if only providers that were added may push.
  let catchAll: CatchAll?
  public let logger: Logger
  /// The executor for calls that take time; nil for Swift's own.
  public let executor: (any TaskExecutor)?
  /// The test bench; nil on a desk, whose connections then have no part of it.
  let bench: (any PortBench)?
  let eventLoopGroup: any EventLoopGroup
  let refusals: RefusalMeter
  let largeBodies = LargeBodies()
  /// The request counts of each provider, over all its connections and front ends.
  private let rates: RateBuckets<String>
  private let failures: RateBuckets<FailureSource>
  private let refused = Mutex<[Int: Int]>([:])

  /// - Parameters:
  ///   - catchAll: nil if only providers that were added may push.
  ///   - bench: nil on a desk.
  public init(
    recorder: any RefusalRecorder, providers: ProviderDirectory, clock: PortClock = .system,
    limits: PortLimits = .standard, environment: PushEnvironment = .production, catchAll: CatchAll? = nil,
    runtime: PortRuntime, bench: (any PortBench)? = nil
  ) {
    self.providers = providers
    self.clock = clock
    self.limits = limits
    self.environment = environment
    self.catchAll = catchAll
    (logger, eventLoopGroup, executor) = (runtime.logger, runtime.eventLoopGroup, runtime.executor)
    self.bench = bench
    rates = RateBuckets(limit: limits.rememberedProviders, ratePerSecond: Double(limits.requestsPerSecond))
    refusals = RefusalMeter(recorder, limits: limits, clock: clock, logger: logger, eventLoop: eventLoopGroup.next())
    failures = RateBuckets(limit: limits.rememberedAddresses, ratePerSecond: limits.forgivenFailuresPerSecond)
  }

  /// Counts one request of a provider; returns false if it exceeds `PortLimits.requestsPerSecond`.
  public func admitsRequest(of provider: Provider) -> Bool {
    let capacity = limits.requestsPerSecond > 0 ? Double(limits.requestsPerSecond * limits.burstSeconds) : .infinity
    return rates.add(to: provider.name, capacity: capacity, now: clock.uptime()).isAdded
  }

  /// Each provider's requests: the admitted ones, and those beyond its rate.
  var requests: [String: (admitted: Int, refused: Int)] { rates.all.mapValues { ($0.added, $0.refused) } }

  /// Refused requests by the HTTP status of their reason, since the start.
  var refusedRequests: [Int: Int] { refused.withLock(\.self) }

  /// Forgets the rates, failures and refusals of all clients, as a test bench does between tests.
  public func forgetClients() {
    rates.removeAll()
    failures.removeAll()
    refusals.forget()
    refused.withLock { $0 = [:] }
  }

  func countRefusal(status: Int) { refused.withLock { $0[status, default: 0] += 1 } }

  /// Counts one failed authentication.
  /// - Returns: the recent failures of that source, including this one.
  func countFailure(of source: FailureSource) -> Double { failures.add(to: source, now: clock.uptime()).level }
}

/// The log and the threads of a port.
public struct PortRuntime: Sendable {
  let logger: Logger
  let eventLoopGroup: any EventLoopGroup
  let executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - eventLoopGroup: the group of the connections. Not shut down by the port.
  ///   - executor: the executor for calls that take time; nil for Swift's own.
  public init(logger: Logger, eventLoopGroup: any EventLoopGroup, executor: (any TaskExecutor)? = nil) {
    (self.logger, self.eventLoopGroup, self.executor) = (logger, eventLoopGroup, executor)
  }
}

/// The key by which failed authentications are counted, beside their connection. The provider's key separates clients
/// at one address: neighbours behind one router, or on one machine, have keys of their own.
struct FailureSource: Hashable, Sendable {
  var address: ClientAddress
  /// Nil if the token named no provider's key: an attacker can make up any number of names.
  var key: ProviderDirectory.KeyName?
}
