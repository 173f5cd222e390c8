// Each refusal is an event, and anybody who reaches the port can cause refusals without end. The first few of a source are
// recorded at once, one by one; further ones are counted and recorded together, once a second.

import HTTPRoutes
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// The refusals of all connections.
final class RefusalMeter: Sendable {
  /// The origin of refused requests.
  enum Source: Hashable, Sendable {
    /// Clients that have not authenticated; nil where there is no address.
    case address(ClientAddress?)
    /// A provider that is beyond its pace.
    case provider(String)
    /// All sources past `GatewayLimits.refusalSummaries`.
    case others
  }

  fileprivate struct Summary {
    var source: Source
    var count: Int
    var last: RefusedPush
  }

  private struct State {
    var all: RateBucket
    /// Not recorded yet. While there are any, a flush is scheduled.
    var summaries: [Summary] = []
  }

  let recorder: any RefusalRecorder
  private let limits: GatewayLimits
  private let clock: GatewayClock
  private let logger: Logger
  private let eventLoop: any EventLoop
  private let bySource: RateBuckets<Source>
  private let state: Mutex<State>

  /// - Parameter eventLoop: for the timer, which runs only while something was counted.
  init(
    _ recorder: any RefusalRecorder, limits: GatewayLimits, clock: GatewayClock, logger: Logger,
    eventLoop: any EventLoop
  ) {
    self.recorder = recorder
    self.limits = limits
    self.clock = clock
    self.logger = logger
    self.eventLoop = eventLoop
    bySource = RateBuckets(limit: limits.rememberedAddresses, ratePerSecond: limits.forgivenRefusalsPerSecond)
    state = Mutex(State(all: RateBucket(now: clock.uptime())))
  }

  /// Records the refusal, now or together with others.
  ///
  /// - Returns: whether the source is within `GatewayLimits.refusalEvents`.
  func note(_ refusal: RefusedPush, of source: Source) -> Bool {
    let now = clock.uptime()
    let isWithin = bySource.add(to: source, capacity: Double(limits.refusalEvents), now: now).isAdded
    let (isWritten, isFirst) = state.withLock { state in
      let rate = limits.forgivenRefusalsOfAllPerSecond
      if isWithin && state.all.add(capacity: Double(limits.refusalEventsOfAll), drainingPerSecond: rate, now: now) {
        return (true, false)
      }
      count(refusal, of: source, in: &state)
      return (false, state.summaries.count == 1 && state.summaries[0].count == 1)
    }
    if isWritten { record(refusal, of: source) }
    if isFirst { eventLoop.scheduleTask(in: TimeAmount(limits.refusalSummaryInterval)) { self.flush() } }
    return isWithin
  }

  private func count(_ refusal: RefusedPush, of source: Source, in state: inout State) {
    let isKnown = state.summaries.contains { $0.source == source }
    let source = isKnown || state.summaries.count < limits.refusalSummaries ? source : .others
    guard let index = state.summaries.firstIndex(where: { $0.source == source }) else {
      return state.summaries.append(Summary(source: source, count: 1, last: refusal))
    }
    state.summaries[index].count += 1
    state.summaries[index].last = refusal
  }

  /// Records what was counted.
  func flush() {
    let summaries = state.withLock { state in
      defer { state.summaries = [] }
      return state.summaries
    }
    for summary in summaries { record(summary.refusal, of: summary.source) }
  }

  /// In the log too, where it is a stranger's: docs/http2.md has a rule for fail2ban that reads it.
  private func record(_ refusal: RefusedPush, of source: Source) {
    recorder.note(refusal)
    if case .provider = source { return }
    logger.notice(
      "refused",
      metadata: [
        "from": "\(refusal.source ?? "-")", "reason": "\(refusal.reason)", "status": "\(refusal.status)",
      ])
  }
}

extension RefusalMeter.Summary {
  /// A single refusal is recorded as it is.
  fileprivate var refusal: RefusedPush {
    guard count > 1 else { return last }
    return RefusedPush(
      id: nil, topic: nil, status: last.status, reason: last.reason,
      detail: "\(grouped(Int64(count))) more requests of \(source) were refused; the last: \(last.detail)",
      source: source == .others ? nil : last.source)
  }
}

extension RefusalMeter.Source: CustomStringConvertible {
  var description: String {
    switch self {
    case .address(let address): address.map { "\($0)" } ?? "a client without an address"
    case .provider(let name): "provider '\(name)'"
    case .others: "other addresses"
    }
  }
}

extension GatewayLimits {
  fileprivate var forgivenRefusalsPerSecond: Double { 1_000_000 / Double(refusalForgiveness.inMicroseconds) }

  /// In the proportion of the events that all may have to those of one.
  fileprivate var forgivenRefusalsOfAllPerSecond: Double {
    forgivenRefusalsPerSecond * Double(refusalEventsOfAll) / Double(max(refusalEvents, 1))
  }
}

/// The refusals of one connection, over all front ends. For use on any thread.
public final class ConnectionRefusals: Sendable {
  private let gateway: Gateway
  private let address: ClientAddress?
  private let ipAddress: String?
  private let strangers = Atomic(0)
  private let provider = Mutex<Provider?>(nil)

  /// - Parameter ipAddress: the source of its events; nil where it has none.
  init(_ gateway: Gateway, address: ClientAddress?, ipAddress: String?) {
    self.gateway = gateway
    self.address = address
    self.ipAddress = ipAddress
  }

  /// Counts the connection's refusals for that provider from now on.
  public func authenticated(as provider: Provider) {
    self.provider.withLock { $0 = provider }
  }

  /// Nil until a provider has authenticated.
  var providerName: String? { provider.withLock { $0?.name } }

  /// Records that a request was refused.
  ///
  /// - Parameter isCounted: whether the request was counted in its provider's pace; if not, it is now.
  /// - Returns: whether it is one too many: it is answered 429, and the connection ends.
  public func note(_ refusal: RefusedPush, isCounted: Bool) -> Bool {
    var refusal = refusal
    refusal.source = ipAddress
    if let provider = provider.withLock({ $0 }) {
      // One that came too fast was asked about before.
      if isCounted || (refusal.status != 429 && gateway.admitsRequest(of: provider)) {
        gateway.refusals.recorder.note(refusal)
      } else {
        _ = gateway.refusals.note(refusal, of: .provider(provider.name))
      }
      return false
    }
    let count = strangers.add(1, ordering: .relaxed).newValue
    return !gateway.refusals.note(refusal, of: .address(address)) && count > gateway.limits.refusalsBeforeEnd
  }
}
