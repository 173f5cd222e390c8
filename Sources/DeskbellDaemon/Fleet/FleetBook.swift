// What the fleet has to know of a desk: its tokens and providers, so that gateways can judge pushes; its events, for
// 'deskbell fleet explain'; that it is there. The desk owns all of it, and says all of it again for each connection.

import Clocks
import FleetLink
import FoundationEssentials
import HandsetCore
import HandsetStore
import Logging
import NATSClient
import NIOCore
import PushGateway
import Synchronization

/// Announces a desk.
final class FleetBook: Sendable {
  enum Limits {
    /// Records that wait for their acknowledgement.
    static let window = 256
    /// Events of one message.
    static let events = 256
    static let pause = TimeAmount.seconds(1)
  }

  private struct State {
    /// What the fleet knows of this desk since the last connection, by subject.
    var announced: [String: [UInt8]] = [:]
    /// Claims that are stored, and were seen to be since the last connection.
    var claimed: Set<String> = []
    /// Whether `announced` also has the providers that were announced before this start.
    var isRecalled = false
    var mustAnnounce = false
    var position: UInt64 = 0
    /// The position that the fleet knows.
    var lastSeen: UInt64?
    /// Of each handset, the last event that was told.
    var told: [HandsetID: UInt64] = [:]
    /// Those that have more.
    var untold: Set<HandsetID> = []
  }

  private let name: String
  private let handsets: [StoredHandset]
  private let environment: String
  private let connection: FleetConnection
  private let inbox: FleetInbox
  private let host: Host
  private let providers: ProvidersControl
  private let logger: Logger
  private let began = SystemClock.wallTime()
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  private let wakes: AsyncStream<Void>

  init(
    of member: FleetSettings.Member, handsets: [StoredHandset], environment: String, connection: FleetConnection,
    inbox: FleetInbox, host: Host, providers: ProvidersControl, logger: Logger
  ) {
    (name, self.handsets, self.environment, self.connection) = (member.name, handsets, environment, connection)
    (self.inbox, self.host, self.providers, self.logger) = (inbox, host, providers, logger)
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Up to which message of the stream everything is stored.
  var position: UInt64 {
    get { state.withLock(\.position) }
    set { state.withLock { $0.position = newValue } }
  }

  /// Everything is to be said again: the engine may have forgotten it.
  func announce() {
    state.withLock { state in
      // All differ from that, so all is said again, and what is gone is deleted.
      state.announced = state.announced.mapValues { _ in [] }
      (state.claimed, state.mustAnnounce) = ([], true)
    }
    wake.yield()
  }

  /// Until the task is cancelled.
  func run() async {
    await startEvents()
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.inbox.signals { self.wake.yield() }
      }
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.providers.changes() { self.announceChanges() }
      }
      for await _ in wakes {
        if !inbox.takeTokens().isEmpty { state.withLock { $0.mustAnnounce = true } }
        await tell()
      }
      group.cancelAll()
    }
  }

  private func announceChanges() {
    state.withLock { $0.mustAnnounce = true }
    wake.yield()
  }

  private func tell() async {
    let mustAnnounce = state.withLock { state in
      defer { state.mustAnnounce = false }
      return state.mustAnnounce
    }
    do throws(JetStreamError) {
      if mustAnnounce { try await tellRecords() }
      state.withLock { $0.untold.formUnion(inbox.takeEvents()) }
      for handset in state.withLock(\.untold) {
        try await tellEvents(of: handset)
        state.withLock { _ = $0.untold.remove(handset) }
      }
    } catch {
      if mustAnnounce { state.withLock { $0.mustAnnounce = true } }
      // Without a connection there is no hurry: the next one announces everything.
      guard connection.nats.isConnected, error.isTransient else {
        return logger.info("\(connection.device): the desk cannot be announced: \(error)")
      }
      connection.eventLoop.scheduleTask(in: Limits.pause) { [wake] in wake.yield() }
    }
  }

  /// Says that the desk is there.
  func answerRoll() {
    let (tokens, position) = state.withLock { state in
      (state.announced.keys.count { $0.hasPrefix("$KV.BELL_TOKENS.") }, state.position)
    }
    var record = AliveRecord(
      desk: name, version: Daemon.version, tokens: tokens, since: began.microseconds / 1_000)
    (record.handsets, record.position) = (handsets.count, position)
    guard let payload = try? JSONEncoder().encode(record) else { return }
    connection.nats.publish(NATSMessage(subject: FleetNames.alive(name), payload: Array(payload)))
    // While it is away, this is what is known of it.
    guard state.withLock({ $0.lastSeen != position }) else { return }
    connection.jetStream.store(
      NATSMessage(subject: FleetNames.lastSeen(name), payload: Array(payload))
    ) { [weak self] result in
      if case .success = result { self?.state.withLock { $0.lastSeen = position } }
    }
  }

  // MARK: Tokens and providers

  private func tellRecords() async throws(JetStreamError) {
    let (records, claims): ([String: [UInt8]], Set<String>)
    do {
      (records, claims) = try await self.records()
    } catch {
      throw JetStreamError(code: 0, problem: "\(error)", isTransient: true)
    }
    let recall = await recallProviders()
    let (announced, claimed) = state.withLock { ($0.announced, $0.claimed) }
    // First: gateways forget what they know of a token when another desk claims it.
    try await inWindows(claims.filter { !claimed.contains($0) }) { [self] claim throws(JetStreamError) in
      try await connection.jetStream.claim(claim)
      state.withLock { _ = $0.claimed.insert(claim) }
    }
    var changes = records.filter { announced[$0.key] != $0.value }.map { ($0.key, $0.value) }
    // What is gone for good is deleted.
    changes += announced.keys.filter { records[$0] == nil }.map { ($0, []) }
    try await inWindows(changes) { [self] change throws(JetStreamError) in
      let (subject, value) = change
      _ = try await connection.jetStream.store(
        value.isEmpty ? .deletion(of: subject) : NATSMessage(subject: subject, payload: value))
      state.withLock { $0.announced[subject] = value.isEmpty ? nil : value }
    }
    if announced.values.allSatisfy(\.isEmpty) { answerRoll() }
    if let recall { throw recall }
  }

  /// A provider that was removed while the servers were away, before a restart, is still announced.
  /// - Returns: why it could not be read.
  private func recallProviders() async -> JetStreamError? {
    if state.withLock(\.isRecalled) { return nil }
    let (stream, subjects) = (FleetNames.providers, FleetNames.providers(of: name))
    do throws(JetStreamError) {
      let made = try await connection.jetStream.replaceConsumer(
        name, of: stream, subjects: subjects, from: .newest, headersOnly: true)
      var known: Set<String> = []
      try await connection.jetStream.readAll(made.pending, by: name, of: stream, eventLoop: connection.eventLoop) {
        let subject = $0.message.subject
        // Claims stay for good.
        let isClaim = subject.split(separator: ".").last.flatMap(FleetNames.claimedKey) != nil
        if !$0.message.isDeletion, !isClaim { known.insert(subject) }
      }
      state.withLock { state in
        // They differ from that, so they are announced again or deleted.
        for subject in known where state.announced[subject] == nil { state.announced[subject] = [] }
        state.isRecalled = true
      }
      return nil
    } catch {
      return error
    }
  }

  /// Does it for all items, for so many at a time as may wait.
  private func inWindows<Item: Sendable>(
    _ items: some Collection<Item>, _ body: @escaping @Sendable (Item) async throws(JetStreamError) -> Void
  ) async throws(JetStreamError) {
    var rest = items[...]
    while !rest.isEmpty {
      let window = rest.prefix(Limits.window)
      rest = rest.dropFirst(Limits.window)
      let failure = await withTaskGroup(of: JetStreamError?.self) { group in
        for item in window {
          group.addTask(executorPreference: TaskThreads.shared) {
            do throws(JetStreamError) {
              try await body(item)
              return nil
            } catch {
              return error
            }
          }
        }
        return await group.reduce(nil) { $0 ?? $1 }
      }
      if let failure { throw failure }
    }
  }

  /// The desk's part of the registry now: records by subject, and claims of tokens and access keys.
  private func records() async throws -> (records: [String: [UInt8]], claims: Set<String>) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var records: [String: [UInt8]] = [:]
    var claims: Set<String> = []
    for handset in handsets {
      for (token, record) in try await tokens(of: handset) {
        let key = TokenKey(token)
        records[FleetNames.token(key, of: name)] = Array(try encoder.encode(record))
        claims.insert(FleetNames.claim(of: key, by: name))
      }
    }
    for provider in try await providers.stored() where provider.isForGateways {
      records[FleetNames.provider(provider.name, of: name)] = Array(try encoder.encode(provider))
      if let key = provider.accessKey {
        claims.insert(FleetNames.claim(ofAccessKey: TokenKey(digest: key.digest), by: name))
      }
    }
    return (records, claims)
  }

  private func tokens(of handset: StoredHandset) async throws -> [(DeviceToken, RegistryRecord)] {
    let (environment, began) = (environment, began.microseconds / 1_000)
    return await host.read(handset.id) { state, _, _, _ in
      state.tokens.map { token, known in
        var record = RegistryRecord(
          app: known.app.text, handset: handset.name, environment: environment, since: began)
        if let gone = known.goneSince {
          record.gone = gone.microseconds / 1_000
          if case .registered = state.apps[known.app]?.state.registration {
            record.kind = .expired
          } else {
            record.kind = .unregistered
          }
        }
        return (token, record)
      }
    }
  }

  // MARK: Events

  /// Events of before this start are not told: most were told then, and after a crash the last ones are missing.
  private func startEvents() async {
    for handset in handsets {
      let next = await host.read(handset.id) { state, _, _, _ in state.contents.record.nextEvent }
      state.withLock { $0.told[handset.id] = next - 1 }
    }
  }

  private func tellEvents(of handset: HandsetID) async throws(JetStreamError) {
    while true {
      let after = state.withLock { $0.told[handset] ?? 0 }
      let page: [EventReport]
      do {
        page = try await host.read(handset) { _, store, number, _ in
          try store.events(of: number, after: after, limit: Limits.events)
        }
      } catch {
        return logger.warning("\(connection.device): events cannot be read and are not told: \(error)")
      }
      guard let last = page.last else { return }
      let lines = page.filter { $0.push != nil }.map { "{\"desk\":\"\(name)\",\($0.line.dropFirst())\n" }
      if !lines.isEmpty {
        let message = NATSMessage(
          subject: FleetNames.events(of: name),
          fields: ["Nats-Msg-Id": "\(name):\(handset.number):\(last.sequence)"], payload: Array(lines.joined().utf8))
        _ = try await connection.jetStream.store(message)
      }
      state.withLock { $0.told[handset] = last.sequence }
    }
  }
}

extension Provider {
  /// The service of 2008 has no gateways.
  fileprivate var isForGateways: Bool { if case .password = credential { false } else { true } }

  /// The access key that it is known by; nil if it has another credential.
  fileprivate var accessKey: AccessKey? {
    switch credential {
    case .topic(let keyed), .hook(let keyed, _): keyed.key
    case .token, .certificate, .password: nil
    }
  }
}
