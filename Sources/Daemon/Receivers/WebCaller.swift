// Makes the queued calls. The queue itself belongs to the handset and is on disk; only the times of the next attempts
// are here. So no call is lost with the process; one answered in its last moment is repeated under the same identifier.

import HTTP
import HandsetCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A client that calls receivers, one call of an app at a time, and retries with growing pauses.
public final class WebCaller: Sendable {
  public struct Place: Hashable, Sendable {
    public var handset: HandsetID
    public var number: UInt64
  }

  private struct Entry {
    var call: QueuedCall
    var attempts = 0
    let added: Duration
    var due: Duration
    var isUnderWay = false
  }

  private struct State {
    var entries: [Place: Entry] = [:]
    var busy: Set<AppAddress> = []
    var timer: Scheduled<Void>?
    var isShutDown = false
    var isAdvanceDue = false
    /// Called when nothing is under way or due.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The system's authorities take some megabytes, so they are loaded only while calls wait.
    var tls: NIOSSLContext?
  }

  private let handsetName: @Sendable (HandsetID) -> String
  private let key: @Sendable (AppAddress) async -> AppKey?
  private let now: @Sendable () -> WallTime
  private let uptime: @Sendable () -> Duration
  /// True if time passes by itself. Otherwise no timer is set, and the owner of the clock calls `clockMoved`.
  private let hasTimer: Bool
  private let report: @Sendable (Place, CallOutcome) -> Void
  private let limits: CallLimits
  private let eventLoop: any EventLoop
  private let executor: any TaskExecutor
  /// The threads that look up names: libc blocks meanwhile, for at most the time of one call each.
  private let resolvers: NIOThreadPool
  private let neighbours = Neighbours()
  private let state = Mutex(State())

  /// - Parameters:
  ///   - key: returns the app's key; nil if it cannot be read now.
  ///   - now: returns the time on the handsets' clock.
  ///   - virtualUptime: the clock of the retries, if only its owner moves it; nil for the machine's.
  ///   - report: receives the outcome of a call. Called on any thread; may be called twice for the same outcome.
  public init(
    limits: CallLimits = CallLimits(), eventLoop: any EventLoop, executor: any TaskExecutor,
    handsetName: @escaping @Sendable (HandsetID) -> String, key: @escaping @Sendable (AppAddress) async -> AppKey?,
    now: @escaping @Sendable () -> WallTime, virtualUptime: (@Sendable () -> Duration)? = nil,
    report: @escaping @Sendable (Place, CallOutcome) -> Void
  ) {
    uptime = virtualUptime ?? { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }
    hasTimer = virtualUptime == nil
    (self.handsetName, self.key, self.now, self.report) = (handsetName, key, now, report)
    self.limits = limits
    self.eventLoop = eventLoop
    self.executor = executor
    resolvers = NIOThreadPool(numberOfThreads: limits.underWay)
  }

  public func add(_ call: QueuedCall, of handset: HandsetID) {
    let now = uptime()
    state.withLock { state in
      guard !state.isShutDown else { return }
      let place = Place(handset: handset, number: call.number)
      if state.entries.isEmpty { resolvers.start() }
      state.entries[place] = Entry(call: call, added: now, due: now)
    }
    advanceSoon()
  }

  /// Makes no more attempts. The result of one under way is discarded.
  public func remove(_ call: QueuedCall, of handset: HandsetID) {
    state.withLock { state in
      state.entries[Place(handset: handset, number: call.number)] = nil
      if state.entries.isEmpty { state.tls = nil }
    }
    resumeWaiting()
  }

  /// Makes no more attempts. Results of those under way are discarded; a name look-up delays nothing.
  public func shutDown() {
    state.withLock { state in
      state.isShutDown = true
      state.entries = [:]
      state.timer?.cancel()
    }
    resumeWaiting()
    Task(executorPreference: executor) { [resolvers] in try? await resolvers.shutdownGracefully() }
  }

  // MARK: When

  /// Schedules one `advance` for all calls added meanwhile, and runs it on none of their threads.
  private func advanceSoon() {
    let wasDue = state.withLock { exchange(&$0.isAdvanceDue, with: true) }
    if !wasDue { eventLoop.execute { [weak self] in self?.advance() } }
  }

  private func advance() {
    let ready = state.withLock { state in
      state.isAdvanceDue = false
      guard !state.isShutDown else { return [(Place, QueuedCall, Int)]() }
      var ready: [(Place, QueuedCall, Int)] = []
      let now = uptime()
      let waiting = state.entries.filter { !$0.value.isUnderWay }.sorted { left, right in
        (left.value.due, left.key.number) < (right.value.due, right.key.number)
      }
      for (place, entry) in waiting where entry.due <= now && state.busy.count < limits.underWay {
        // An app's calls are made in the order of its answers, unless one has to be retried.
        guard state.busy.insert(AppAddress(entry.call.app, on: place.handset)).inserted else { continue }
        state.entries[place]?.isUnderWay = true
        ready.append((place, entry.call, entry.attempts + 1))
      }
      exchange(&state.timer, with: nil)?.cancel()
      if hasTimer, let next = waiting.first(where: { $0.value.due > now })?.value.due {
        state.timer = eventLoop.scheduleTask(in: TimeAmount(next - now)) { [weak self] in self?.advance() }
      }
      return ready
    }
    for (place, call, attempt) in ready {
      Task(executorPreference: executor) { [self] in
        finish(place, call, attempt, await attemptOnce(call, of: place.handset))
      }
    }
  }

  private func finish(_ place: Place, _ call: QueuedCall, _ attempt: Int, _ result: Result<Int, CallFailure>) {
    var outcome: CallOutcome?
    state.withLock { state in
      state.busy.remove(AppAddress(call.app, on: place.handset))
      guard var entry = state.entries[place] else { return }
      entry.isUnderWay = false
      entry.attempts = attempt
      switch result {
      case .success(let status): outcome = .delivered(status: status, attempts: attempt)
      case .failure(let failure) where failure.isFinal || isTooOld(entry): outcome = .gaveUp(failure.description)
      case .failure(let failure):
        if attempt == 1 { outcome = .failed(failure.description) }
        entry.due = uptime() + limits.pause(after: attempt)
      }
      switch outcome {
      case nil, .failed: state.entries[place] = entry
      case .delivered, .gaveUp: state.entries[place] = nil
      }
      if state.entries.isEmpty { state.tls = nil }
    }
    if let outcome { report(place, outcome) }
    advanceSoon()
    resumeWaiting()
  }

  // MARK: On a virtual clock

  /// The time of the next attempt, or the present if one is under way; nil if no call waits.
  public var due: Duration? {
    let now = uptime()
    return state.withLock { $0.entries.values.map { $0.isUnderWay ? now : $0.due }.min() }
  }

  /// Makes the attempts that are due, and returns when their outcomes are reported.
  public func attemptsDue() async {
    advanceSoon()
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting.append(continuation) }
      resumeWaiting()
    }
  }

  private func resumeWaiting() {
    let now = uptime()
    let waiting = state.withLock { state in
      let isBusy = !state.busy.isEmpty || state.entries.values.contains { $0.isUnderWay || $0.due <= now }
      return isBusy ? [] : exchange(&state.waiting, with: [])
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns true if the call is too old by the wall clock (if the answer's time is plausible), or since it was added.
  private func isTooOld(_ entry: Entry) -> Bool {
    let answered = entry.call.answered
    let age = Duration.microseconds(now().microseconds) - .microseconds(answered.microseconds)
    let inMemory = uptime() - entry.added
    return max(answered.isPlausible ? age : .zero, inMemory) >= limits.lifetime
  }

  // MARK: One attempt

  private func attemptOnce(_ call: QueuedCall, of handset: HandsetID) async -> Result<Int, CallFailure> {
    do {
      let isAction = call.answer == .action
      let target = try CallTarget(call.call.url, from: isAction ? .provider : .manifest)
      let key = isAction ? nil : await self.key(AppAddress(call.app, on: handset))
      guard isAction || key != nil else { throw CallFailure("the app's key cannot be read now", isFinal: false) }
      let address = try await resolve(target)
      try target.examine(address, neighbours: neighbours)
      let time = now().microseconds / 1_000_000
      let request = try CallRequest(call, handset: handsetName(handset), key: key, at: time)
      let status = try await send(request, to: target, at: address)
      switch status {
      case 200..<300: return .success(status)
      case 300..<400: throw CallFailure("status \(status): redirects are not followed", isFinal: false)
      default: throw CallFailure("status \(status)", isFinal: status == 410)
      }
    } catch {
      return .failure(error as? CallFailure ?? CallFailure("\(error)", isFinal: false))
    }
  }

  /// Resolves the name. The address is checked before anything is sent to it, and no other is used: a name may have
  /// another one at its next look-up.
  private func resolve(_ target: CallTarget) async throws -> SocketAddress {
    if let address = try? SocketAddress(ipAddress: target.host, port: target.port) { return address }
    return try await resolvers.runIfActive {
      do {
        return try SocketAddress.makeAddressResolvingHost(target.host, port: target.port)
      } catch {
        throw CallFailure("\(target.host) has no address now", isFinal: false)
      }
    }
  }

  private func tlsContext() throws -> NIOSSLContext {
    try state.withLock { state in
      if let tls = state.tls { return tls }
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      let tls = try NIOSSLContext(configuration: configuration)
      state.tls = tls
      return tls
    }
  }

  private func send(_ request: CallRequest, to target: CallTarget, at address: SocketAddress) async throws -> Int {
    var limits = HTTPClient.Limits()
    limits.connectTimeout = self.limits.connectTimeout
    let tls = target.isSecure ? try tlsContext() : nil
    let client = HTTPClient(
      .tcp(host: target.host, port: target.port), at: address, limits: limits, group: eventLoop
    ) { channel in
      guard let tls else { return }
      // A numeric address is checked against the certificate's addresses.
      let isNumeric = (try? SocketAddress(ipAddress: target.host, port: target.port)) != nil
      try channel.pipeline.syncOperations.addHandler(
        NIOSSLClientHandler(context: tls, serverHostname: isNumeric ? nil : target.host))
    }
    return try await client.status(
      of: request.method, target.target, headers: request.headers, body: request.body,
      timeout: self.limits.answerTimeout)
  }
}

public struct CallLimits: Sendable, Hashable {
  /// Calls that are under way at a time, at most one for each app.
  public var underWay = 4
  public var connectTimeout: Duration = .seconds(5)
  /// The time from the connection to the status.
  public var answerTimeout: Duration = .seconds(10)
  /// The pause after the first failure; each further one doubles it.
  public var firstPause: Duration = .seconds(1)
  public var longestPause: Duration = .seconds(3600)
  /// The time after the user's answer at which attempts end.
  public var lifetime: Duration = .seconds(24 * 3600)

  public init() {}

  func pause(after attempts: Int) -> Duration {
    // After more doublings every pause is the longest.
    let doublings = min(attempts - 1, 30)
    return min(firstPause * (1 << doublings), longestPause)
  }
}
