import HTTP
import HandsetCore
import Logging
import NIOCore
import Synchronization

/// The refusals of all connections. Each is an event, and any client that reaches the port can cause them without end.
/// The first few of a source are recorded at once, one by one. Further ones are counted and recorded together, less
/// often the longer they go on: a record costs the disk about 8 KB, and in the long run a refusal should cost it less
/// than 10 bytes.
final class RefusalMeter: Sendable {
  enum Source: Hashable, Sendable, CustomStringConvertible {
    /// The address of unauthenticated clients; nil if there is none.
    case address(ClientAddress?)
    /// A provider beyond its rate.
    case provider(String)
    /// All sources beyond `PortLimits.refusalSummaries`.
    case others

    var description: String {
      switch self {
      case .address(let address): address.map { "\($0)" } ?? "a client without an address"
      case .provider(let name): "provider '\(name)'"
      case .others: "other addresses"
      }
    }
  }

  private struct Summary {
    var source: Source
    var count: Int
    var last: RefusedPush

    /// The refusal to record: a single one as it is, several as one.
    var refusal: RefusedPush {
      guard count > 1 else { return last }
      return RefusedPush(
        id: nil, topic: nil, status: last.status, reason: last.reason,
        detail: "\(grouped(Int64(count))) more requests of \(source) were refused; the last: \(last.detail)",
        source: source == .others ? nil : last.source, provider: source == .others ? nil : last.provider)
    }
  }

  /// The refusals of a source since its last pause.
  private struct Spell {
    var refusals = 0
    var last: Duration
  }

  private struct State {
    var all: RateBucket
    var spells: [Source: Spell] = [:]
    /// The refusals that are not recorded yet. While there are any, a flush is scheduled.
    var summaries: [Summary] = []
    /// The time that the next ones wait, and the time at which the last one was counted.
    var interval: Duration
    var counted: Duration
  }

  let recorder: any RefusalRecorder
  private let limits: PortLimits
  private let clock: PortClock
  private let logger: Logger
  private let eventLoop: any EventLoop
  private let state: Mutex<State>

  /// - Parameter eventLoop: runs the timer, which is scheduled only while counted refusals wait.
  init(
    _ recorder: any RefusalRecorder, limits: PortLimits, clock: PortClock, logger: Logger,
    eventLoop: any EventLoop
  ) {
    self.recorder = recorder
    self.limits = limits
    self.clock = clock
    self.logger = logger
    self.eventLoop = eventLoop
    let now = clock.uptime()
    state = Mutex(State(all: RateBucket(now: now), interval: limits.refusalSummaryInterval, counted: now))
  }

  /// Records the refusal, now or together with others.
  ///
  /// - Returns: true if the source is within `PortLimits.refusalEvents`.
  func note(_ refusal: RefusedPush, of source: Source) -> Bool {
    let now = clock.uptime()
    let all = Double(limits.refusalEventsOfAll)
    let (isWithin, isWritten, wait) = state.withLock { state -> (Bool, Bool, Duration?) in
      let isWithin = self.isWithin(source, in: &state, now)
      if isWithin && state.all.add(capacity: all, drainingPerSecond: all / 3_600, now: now) { return (true, true, nil) }
      let isFirst = state.summaries.isEmpty
      if isFirst && now - state.counted >= limits.refusalPause { state.interval = limits.refusalSummaryInterval }
      state.counted = now
      count(refusal, of: source, in: &state)
      return (isWithin, false, isFirst ? state.interval : nil)
    }
    if isWritten { record(refusal, of: source) }
    if let wait { eventLoop.scheduleTask(in: TimeAmount(wait)) { self.flush() } }
    return isWithin
  }

  private func isWithin(_ source: Source, in state: inout State, _ now: Duration) -> Bool {
    var spell = state.spells[source] ?? Spell(last: now)
    if now - spell.last >= limits.refusalPause { spell.refusals = 0 }
    spell.last = now
    spell.refusals = min(spell.refusals + 1, limits.refusalEvents + 1)
    if state.spells[source] == nil && state.spells.count >= limits.rememberedAddresses {
      // The more recent half stays, so that this happens rarely.
      let kept = state.spells.sorted { $0.value.last > $1.value.last }.prefix(limits.rememberedAddresses / 2)
      state.spells = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
    state.spells[source] = spell
    return spell.refusals <= limits.refusalEvents
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

  /// Forgets the sources, and the refusals that are not recorded yet.
  func forget() {
    let now = clock.uptime()
    state.withLock { state in
      // The timer of a flush may be scheduled; it then finds nothing.
      (state.spells, state.summaries) = ([:], [])
      (state.all, state.interval, state.counted) = (RateBucket(now: now), limits.refusalSummaryInterval, now)
    }
  }

  func flush() {
    let summaries = state.withLock { state in
      state.interval = min(state.interval * 2, limits.refusalSummaryIntervalLimit)
      return exchange(&state.summaries, with: [])
    }
    for summary in summaries { record(summary.refusal, of: summary.source) }
  }

  /// Records a refusal, also in the log if the client is unauthenticated: a fail2ban rule in docs/http2.md reads it.
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

/// The refusals of one connection, over all front ends. For use on any thread.
public final class ConnectionRefusals: Sendable {
  private let port: Port
  let address: ClientAddress?
  private let ipAddress: String?
  private let strangers = Atomic(0)
  private let provider = Mutex<Provider?>(nil)

  /// - Parameter ipAddress: the source of its events; nil if it has none.
  init(_ port: Port, address: ClientAddress?, ipAddress: String?) {
    self.port = port
    self.address = address
    self.ipAddress = ipAddress
  }

  /// Counts the connection's refusals for that provider from now on.
  public func authenticated(as provider: Provider) {
    self.provider.withLock { $0 = provider }
  }

  /// The name of the provider; nil until one has authenticated.
  var providerName: String? { provider.withLock { $0?.name } }

  /// Records that a request was refused.
  ///
  /// - Parameter isCounted: true if the request was counted in its provider's rate; if not, it is now.
  /// - Returns: true if it is one too many: it is answered 429, and the connection ends.
  public func note(_ refusal: RefusedPush, isCounted: Bool) -> Bool {
    port.countRefusal(status: refusal.status)
    var refusal = refusal
    refusal.source = ipAddress
    if let provider = provider.withLock({ $0 }) {
      refusal.provider = provider.name
      // The rate was checked before, if the request was refused with 429.
      if isCounted || (refusal.status != 429 && port.admitsRequest(of: provider)) {
        port.refusals.recorder.note(refusal)
      } else {
        _ = port.refusals.note(refusal, of: .provider(provider.name))
      }
      return false
    }
    let count = strangers.add(1, ordering: .relaxed).newValue
    return !port.refusals.note(refusal, of: .address(address)) && count > port.limits.refusalsBeforeEnd
  }
}
