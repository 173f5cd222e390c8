// Each refusal is an event, and anybody who reaches the port can cause refusals without end. The first few of a source are
// recorded at once, one by one; further ones are counted and recorded together, once a second.

import HandsetCore
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

  let limits: GatewayLimits
  private let recorder: any RefusalRecorder
  private let rates: RequestRates
  private let clock: GatewayClock
  private let eventLoop: any EventLoop
  private let bySource: RateBuckets<Source>
  private let state: Mutex<State>

  /// - Parameter eventLoop: for the timer, which runs only while something was counted.
  init(
    _ recorder: any RefusalRecorder, limits: GatewayLimits, rates: RequestRates, clock: GatewayClock,
    eventLoop: any EventLoop
  ) {
    self.recorder = recorder
    self.limits = limits
    self.rates = rates
    self.clock = clock
    self.eventLoop = eventLoop
    bySource = RateBuckets(limit: limits.rememberedAddresses, ratePerSecond: limits.forgivenRefusalsPerSecond)
    state = Mutex(State(all: RateBucket(now: clock.uptime())))
  }

  /// Records that a provider's request was refused.
  ///
  /// - Parameter isCounted: whether the request was counted in the provider's pace; if not, it is now.
  func note(_ refusal: RefusedPush, of provider: Provider, isCounted: Bool) {
    if isCounted || rates.admitRequest(of: provider) {
      recorder.note(refusal)
    } else {
      _ = note(refusal, of: .provider(provider.name))
    }
  }

  /// Records the refusal, now or together with others.
  ///
  /// - Returns: whether the source is within `GatewayLimits.refusalEvents`.
  func note(_ refusal: RefusedPush, of source: Source) -> Bool {
    let now = clock.uptime()
    let isWithin = bySource.add(to: source, capacity: Double(limits.refusalEvents), now: now)
    let (isWritten, isFirst) = state.withLock { state in
      state.all.drain(perSecond: limits.forgivenRefusalsOfAllPerSecond, now: now)
      if isWithin && state.all.level + 1 <= Double(limits.refusalEventsOfAll) {
        state.all.add()
        return (true, false)
      }
      count(refusal, of: source, in: &state)
      return (false, state.summaries.count == 1 && state.summaries[0].count == 1)
    }
    if isWritten { recorder.note(refusal) }
    if isFirst { eventLoop.scheduleTask(in: TimeAmount(limits.refusalSummaryInterval)) { self.flush() } }
    return isWithin
  }

  private func count(_ refusal: RefusedPush, of source: Source, in state: inout State) {
    var source = source
    if let index = state.summaries.firstIndex(where: { $0.source == source }) {
      return state.summaries[index].add(refusal)
    }
    if state.summaries.count >= limits.refusalSummaries {
      source = .others
      if let last = state.summaries.indices.last, state.summaries[last].source == source {
        return state.summaries[last].add(refusal)
      }
    }
    state.summaries.append(Summary(source: source, count: 1, last: refusal))
  }

  /// Records what was counted.
  func flush() {
    let summaries = state.withLock { state in
      defer { state.summaries = [] }
      return state.summaries
    }
    for summary in summaries { recorder.note(summary.refusal) }
  }
}

extension RefusalMeter.Summary {
  fileprivate mutating func add(_ refusal: RefusedPush) {
    count += 1
    last = refusal
  }

  /// A single refusal is recorded as it is.
  fileprivate var refusal: RefusedPush {
    guard count > 1 else { return last }
    return RefusedPush(
      id: nil, topic: nil, status: last.status, reason: last.reason,
      detail: "\(grouped(Int64(count))) more requests of \(source) were refused; the last: \(last.detail)")
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
  private let meter: RefusalMeter
  private let address: ClientAddress?
  private let strangers = Atomic(0)
  private let provider = Mutex<Provider?>(nil)

  init(_ meter: RefusalMeter, address: ClientAddress?) {
    self.meter = meter
    self.address = address
  }

  /// Counts the connection's refusals for that provider from now on.
  public func authenticated(as provider: Provider) {
    self.provider.withLock { $0 = provider }
  }

  /// Records that a request was refused.
  ///
  /// - Parameter isCounted: whether the request was counted in its provider's pace.
  /// - Returns: whether it is one too many: it is answered 429, and the connection ends.
  public func note(_ refusal: RefusedPush, isCounted: Bool) -> Bool {
    if let provider = provider.withLock({ $0 }) {
      meter.note(refusal, of: provider, isCounted: isCounted)
      return false
    }
    let count = strangers.add(1, ordering: .relaxed).newValue
    return !meter.note(refusal, of: .address(address)) && count > meter.limits.refusalsBeforeEnd
  }
}
