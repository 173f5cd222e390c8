// The desk's data that the fleet needs: its tokens and providers, so that gateways can judge pushes; its events, for
// 'deskbell fleet explain'; its presence. The desk owns all of it, and announces all of it again on each connection.

import Clocks
import FleetLink
import FleetMember
import FoundationEssentials
import HandsetCore
import HandsetStore
import Host
import Logging
import NATSClient
import NIOCore
import PushPort
import Synchronization
import SystemThreads

/// The announcement of a desk's data to the fleet.
final class FleetBook: Sendable {
  enum Limits {
    /// The records that may wait for their acknowledgement.
    static let window = 256
    static let events = 256
    static let pause = TimeAmount.seconds(1)
  }

  private struct State {
    /// The values announced since the last connection, by subject.
    var announced: [String: [UInt8]] = [:]
    /// The claims that are known to be stored since the last connection.
    var claimed: Set<String> = []
    /// True if `announced` includes the providers that were announced before this start.
    var isRecalled = false
    var mustAnnounce = false
    var position: UInt64 = 0
    /// The last position that was stored for the fleet.
    var lastSeen: UInt64?
    var published: [HandsetID: UInt64] = [:]
    var unpublished: Set<HandsetID> = []
  }

  private let handsets: [StoredHandset]
  private let environment: String
  private let connection: FleetConnection
  private let inbox: FleetInbox
  private let host: Host
  private let providerChanges: AsyncStream<Void>
  private let began = SystemClock.wallTime()
  private let state = Mutex(State())

  private var name: String { connection.name }

  init(
    handsets: [StoredHandset], environment: String, connection: FleetConnection, inbox: FleetInbox, host: Host,
    providerChanges: AsyncStream<Void>
  ) {
    (self.handsets, self.environment, self.connection) = (handsets, environment, connection)
    (self.inbox, self.host, self.providerChanges) = (inbox, host, providerChanges)
  }

  /// The number of the stream's last message up to which everything is stored.
  var position: UInt64 {
    get { state.withLock(\.position) }
    set { state.withLock { $0.position = newValue } }
  }

  /// Announces everything again: the servers may have lost it.
  func announce() {
    state.withLock { state in
      // No value equals the empty one, so all are announced again, and removed records are deleted.
      state.announced = state.announced.mapValues { _ in [] }
      (state.claimed, state.mustAnnounce) = ([], true)
    }
    inbox.signal.send()
  }

  func run() async {
    // The events before this start are skipped: most were sent then, and after a crash the last ones are missing.
    for handset in handsets {
      let next = await host.read(handset.id) { state, _, _, _ in state.contents.record.nextEvent }
      state.withLock { $0.published[handset.id] = next - 1 }
    }
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.providerChanges {
          self.state.withLock { $0.mustAnnounce = true }
          self.inbox.signal.send()
        }
      }
      for await _ in inbox.signal.values {
        if !inbox.takeTokens().isEmpty { state.withLock { $0.mustAnnounce = true } }
        await publish()
      }
      group.cancelAll()
    }
  }

  private func publish() async {
    let mustAnnounce = state.withLock { exchange(&$0.mustAnnounce, with: false) }
    do throws(NATSError) {
      if mustAnnounce { try await publishRecords() }
      state.withLock { $0.unpublished.formUnion(inbox.takeEvents()) }
      for handset in state.withLock(\.unpublished) {
        try await publishEvents(of: handset)
        state.withLock { _ = $0.unpublished.remove(handset) }
      }
    } catch {
      if mustAnnounce { state.withLock { $0.mustAnnounce = true } }
      // Without a connection there is no hurry: the next connection announces everything.
      guard connection.nats.isConnected, error.isTransient else {
        return connection.logger.info("\(connection.device): the desk cannot be announced: \(error)")
      }
      connection.eventLoop.scheduleTask(in: Limits.pause) { [inbox] in inbox.signal.send() }
    }
  }

  func answerRoll() {
    let (tokens, position) = state.withLock { state in
      let apps = FleetNames.apps(of: name)
      return (state.announced.keys.count { $0.hasPrefix("$KV.BELL_TOKENS.") && $0 != apps }, state.position)
    }
    var record = AliveRecord(
      desk: name, version: connection.version, tokens: tokens, since: began.microseconds / 1_000)
    (record.handsets, record.position) = (handsets.count, position)
    // This record is what the fleet has while the desk is away.
    guard let payload = connection.answerRoll(record), state.withLock({ $0.lastSeen != position }) else { return }
    connection.jetStream.store(NATSMessage(subject: FleetNames.lastSeen(name), payload: payload)) {
      [weak self] result in
      if case .success = result { self?.state.withLock { $0.lastSeen = position } }
    }
  }

  // MARK: Tokens and providers

  private func publishRecords() async throws(NATSError) {
    let (records, claims): ([String: [UInt8]], Set<String>)
    do {
      (records, claims) = try await self.records()
    } catch {
      throw NATSError("\(error)")
    }
    let recall = await recallProviders()
    let (announced, claimed) = state.withLock { ($0.announced, $0.claimed) }
    // Claims come first: gateways discard their record of a token when another desk claims it.
    try await inWindows(claims.filter { !claimed.contains($0) }) { [self] claim throws(NATSError) in
      try await connection.jetStream.claim(claim)
      state.withLock { _ = $0.claimed.insert(claim) }
    }
    var changes = records.filter { announced[$0.key] != $0.value }.map { ($0.key, $0.value) }
    // Records that no longer exist are deleted.
    changes += announced.keys.filter { records[$0] == nil }.map { ($0, []) }
    try await inWindows(changes) { [self] change throws(NATSError) in
      let (subject, value) = change
      try await connection.jetStream.store(
        value.isEmpty ? .deletion(of: subject) : NATSMessage(subject: subject, payload: value))
      state.withLock { $0.announced[subject] = value.isEmpty ? nil : value }
    }
    if announced.values.allSatisfy(\.isEmpty) { answerRoll() }
    if let recall { throw recall }
  }

  /// Reads the announced providers, as one may have been removed while the servers were away, before a restart.
  /// - Returns: the error if they could not be read.
  private func recallProviders() async -> NATSError? {
    if state.withLock(\.isRecalled) { return nil }
    let (stream, subjects) = (FleetNames.providers, FleetNames.providers(of: name))
    do throws(NATSError) {
      let made = try await connection.jetStream.makeConsumer(
        name, of: stream, subjects: subjects, after: nil, headersOnly: true, replacing: true)
      var known: Set<String> = []
      try await connection.jetStream.readAll(made.numPending, by: name, of: stream) {
        let subject = $0.message.subject
        // Claims are permanent.
        let isClaim = subject.split(separator: ".").last.flatMap(FleetNames.claimedKey) != nil
        if !$0.message.isDeletion, !isClaim { known.insert(subject) }
      }
      state.withLock { state in
        // No provider equals the empty value, so each is announced again or deleted.
        for subject in known where state.announced[subject] == nil { state.announced[subject] = [] }
        state.isRecalled = true
      }
      return nil
    } catch {
      return error
    }
  }

  /// Runs `body` for all items, at most `Limits.window` at a time.
  private func inWindows<Item: Sendable>(
    _ items: some Collection<Item>, _ body: @escaping @Sendable (Item) async throws(NATSError) -> Void
  ) async throws(NATSError) {
    var rest = items[...]
    while !rest.isEmpty {
      let window = rest.prefix(Limits.window)
      rest = rest.dropFirst(Limits.window)
      let failure = await withTaskGroup(of: NATSError?.self) { group in
        for item in window {
          group.addTask(executorPreference: TaskThreads.shared) {
            do throws(NATSError) {
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

  /// Returns the desk's current part of the registry: records by subject, and claims of tokens and access keys.
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
    records[FleetNames.apps(of: name)] = Array(try encoder.encode(await broadcastApps()))
    let providers = try await host.write { store in try store.providers(Provider.self).providers }
    for provider in providers {
      switch provider.credential {
      case .topic(let keyed), .hook(let keyed, _):
        claims.insert(FleetNames.claim(ofAccessKey: TokenKey(digest: keyed.key.digest), by: name))
      case .token, .certificate: break
      // Gateways do not have the service of 2008.
      case .password: continue
      }
      records[FleetNames.provider(provider.name, of: name)] = Array(try encoder.encode(provider))
    }
    return (records, claims)
  }

  private func broadcastApps() async -> BroadcastApps {
    let apps = await host.readEach(handsets.map(\.id)) { handset, _, _, _ in
      handset.apps.values.filter(\.manifest.hasBroadcasts).map(\.id)
    }.answers
    return BroadcastApps(environment: environment, Set(apps.joined()).sorted())
  }

  private func tokens(of handset: StoredHandset) async throws -> [(DeviceToken, RegistryRecord)] {
    let (environment, began) = (environment, began.microseconds / 1_000)
    return await host.read(handset.id) { state, _, _, _ in
      state.tokens.map { token, known in
        var record = RegistryRecord(
          app: known.app.text, handset: handset.name, environment: environment, since: began)
        if let gone = known.goneSince {
          record.gone = gone.microseconds / 1_000
          if case .registered = state.apps[known.app]?.state.registration, !known.isOfActivity {
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

  private func publishEvents(of handset: HandsetID) async throws(NATSError) {
    while true {
      let after = state.withLock { $0.published[handset] ?? 0 }
      let page: [EventReport]
      do {
        page = try await host.read(handset) { _, store, number, _ in
          try store.events(of: number, after: after, limit: Limits.events)
        }
      } catch {
        return connection.logger.warning("\(connection.device): events cannot be read and are not published: \(error)")
      }
      guard let last = page.last else { return }
      let lines = page.filter { $0.push != nil }.map { "{\"desk\":\"\(name)\",\($0.line.dropFirst())\n" }
      if !lines.isEmpty {
        let message = NATSMessage(
          subject: FleetNames.events(of: name),
          fields: ["Nats-Msg-Id": "\(name):\(handset.number):\(last.sequence)"], payload: Array(lines.joined().utf8))
        try await connection.jetStream.store(message)
      }
      state.withLock { $0.published[handset] = last.sequence }
    }
  }
}
