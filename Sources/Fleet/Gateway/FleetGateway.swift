// A gateway of a fleet: the push port of `deskbell serve`, with the fleet's servers behind it instead of handsets. It
// stores nothing but its certificate, so a fleet may have any number of gateways.

import Clocks
import FleetLink
import FleetMember
import FoundationEssentials
import HandsetCore
import Host
import Logging
import NATSClient
import NIOCore
import PushPort
import Services
import Synchronization

/// The part of a gateway behind its port: it judges pushes by the registry, stores them in the fleet's stream, and keeps
/// the registry up to date.
public final class FleetGateway: Service, PushReceiver, KeyedReceiver, PublishingReceiver, ChannelKeeper {
  enum Limits {
    /// The time for which a message is tried. Its provider waits for it.
    static let patience = TimeAmount.seconds(5)
    static let attempt = TimeAmount.milliseconds(1_500)
    /// The time between two attempts; longer if the servers have the message and have not stored it.
    static let pause = TimeAmount.milliseconds(50)
    static let processing = TimeAmount.milliseconds(500)
    /// The number of such answers until the message gets a new identifier. The servers may have lost the message but not
    /// its identifier, as after the loss of a leader, and would repeat the answer as long as they know duplicates.
    static let processingAnswers = 3
    /// The messages that may wait for their acknowledgement, and the bytes in them. Further ones are refused.
    static let waiting = 8_192
    static let waitingBytes = 32 * 1024 * 1024
  }

  private let connection: FleetConnection
  private let registry: FleetRegistry
  private let providers: FleetProviders
  private let channels: FleetChannels
  private let began = SystemClock.wallTime()
  private let waiting = Mutex((count: 0, bytes: 0))

  private static let removed = "the provider was removed during its request"

  private var logger: Logger { connection.logger }

  /// - Parameter environment: the one of Apple's two services that the gateway emulates.
  public init(_ connection: FleetConnection, environment: PushEnvironment) throws {
    self.connection = connection
    registry = FleetRegistry(environment: environment.rawValue)
    providers = try FleetProviders(environment: environment, logger: connection.logger)
    channels = FleetChannels(environment: environment.rawValue)
    connection.nats.subscribe(to: FleetNames.roll) { [weak self] _ in self?.answerRoll() }
  }

  public var directory: ProviderDirectory { providers.directory }

  /// True if the whole registry was read, so that pushes can be judged.
  public var isReady: Bool { registry.isComplete && providers.isComplete }

  public func run(until stop: StopRequest) async {
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) { await self.readTokens() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.readProviders() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.readChannels() }
      let pulse = connection.eventLoop.scheduleRepeatedTask(
        initialDelay: FleetConnection.pulse, delay: FleetConnection.pulse
      ) { [weak self] _ in self?.answerRoll() }
      await stop.wait()
      pulse.cancel()
      group.cancelAll()
    }
  }

  private func readTokens() async {
    await connection.jetStream.watch(FleetNames.tokens) {
      if let problem = registry.take($0.message) {
        logger.warning("\(connection.device): \($0.message.subject) is left out: \(problem)")
      }
    } complete: {
      registry.complete()
      show()
    } failed: {
      registry.lose()
      connection.show("the registry cannot be read: \($0)")
    }
  }

  private func readProviders() async {
    await connection.jetStream.watch(FleetNames.providers) {
      providers.take($0)
    } idle: {
      if providers.isComplete { providers.build() }
    } complete: {
      providers.complete()
      show()
    } failed: {
      connection.show("the registry cannot be read: \($0)")
    }
  }

  private func readChannels() async {
    await connection.jetStream.watch(FleetNames.channels) {
      if let problem = channels.take($0.message) {
        logger.warning("\(connection.device): \($0.message.subject) is left out: \(problem)")
      }
    } complete: {
      channels.complete()
    } failed: {
      // Pushes do not need them. A fleet that an earlier version made has no channels before 'deskbell fleet init'.
      if channels.lose() { logger.notice("\(connection.device): channels cannot be read: \($0)") }
    }
  }

  private func show() {
    guard isReady else { return }
    connection.show(nil)
    logger.notice("\(connection.device): knows \(registry.count) tokens")
    answerRoll()
  }

  private func answerRoll() {
    var record = AliveRecord(
      gateway: connection.name, version: connection.version, tokens: registry.count,
      since: began.microseconds / 1_000)
    record.ready = isReady
    connection.answerRoll(record)
  }

  // MARK: Pushes

  // A message is sent repeatedly until the servers acknowledge it or its time is over. Each has an identifier, so they
  // store it once however often it arrives.

  public func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    guard let token = push.token, let (app, target) = registry.target(of: token) else {
      // Providers delete a token that is called bad.
      guard registry.isCurrent else { return completion(.failed("the registry cannot be read at the time")) }
      return completion(.stored(.refused(.badDeviceToken)))
    }
    guard app == push.topic.text else { return completion(.stored(.refused(.deviceTokenNotForTopic))) }
    switch target {
    case .gone(let since, .unregistered): completion(.stored(.refused(.unregistered(since: since))))
    case .gone(let since, .expired): completion(.stored(.refused(.expiredToken(since: since))))
    case .desk(let address): send(push, to: [address], group: nil, completion)
    case .group(let group, let desks): send(push, to: desks, group: group, completion)
    }
  }

  private func send(
    _ push: Push, to addresses: [HandsetAddress], group: String?,
    _ completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    // A provider is valid only for the desks that announced it, and cannot push to the apps of others.
    for address in addresses where !providers.allows(push.provider, push.topic, on: address.desk) {
      // Asked after that, so that no removal comes between. The next try is refused by its credential.
      guard providers.knows(push.provider) else { return completion(.failed(Self.removed)) }
      return completion(.stored(.refused(.badDeviceToken)))
    }
    let now = SystemClock.wallTime()
    let messages = addresses.map { FleetMessage.push(push, to: $0, group: group, from: connection.name, at: now) }
    deliver(messages, isStored: push.expiration != .once, completion)
  }

  private func deliver(
    _ messages: [NATSMessage], isStored: Bool, _ completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    guard isStored else {
      // Only a connected desk receives it.
      let isSent = messages.allSatisfy { connection.nats.publish($0) }
      return completion(isSent ? .stored(.accepted) : .failed("there is no connection to the fleet's servers"))
    }
    guard !messages.isEmpty else { return completion(.stored(.refused(.badDeviceToken))) }
    let state = Mutex((missing: messages.count, problem: String?.none))
    for message in messages {
      store(message) { fault in
        let (isOver, problem) = state.withLock { state in
          state = (state.missing - 1, state.problem ?? fault)
          return (state.missing == 0, state.problem)
        }
        if isOver { completion(problem.map { .failed($0) } ?? .stored(.accepted)) }
      }
    }
  }

  /// - Parameter completion: called exactly once, on any thread: with nil if it is stored; otherwise with the reason
  ///   why it is not, or may not be.
  private func store(_ message: NATSMessage, completion: @escaping @Sendable (String?) -> Void) {
    let bytes = message.payload.count
    let isTaken = waiting.withLock { waiting in
      guard waiting.count < Limits.waiting, waiting.bytes + bytes <= Limits.waitingBytes else { return false }
      waiting = (waiting.count + 1, waiting.bytes + bytes)
      return true
    }
    guard isTaken else { return completion("as many messages as can are waiting already") }
    attempt(message, until: .now() + Limits.patience) { [self] problem in
      waiting.withLock { $0 = ($0.count - 1, $0.bytes - bytes) }
      completion(problem)
    }
  }

  /// - Parameter answers: the number of answers that the message is being processed.
  private func attempt(
    _ message: NATSMessage, until deadline: NIODeadline, answers: Int = 0,
    completion: @escaping @Sendable (String?) -> Void
  ) {
    connection.jetStream.store(message, within: Limits.attempt) { [self] result in
      guard case .failure(let error) = result else { return completion(nil) }
      let isProcessing = error.code == NATSError.duplicateInProcess
      let pause = isProcessing ? Limits.processing : Limits.pause
      guard error.isTransient, .now() + pause < deadline else { return completion(error.problem) }
      var (next, answers) = (message, isProcessing ? answers + 1 : answers)
      if answers >= Limits.processingAnswers, let other = FleetMessage.identifiedAnew(message) {
        (next, answers) = (other, 0)
      }
      connection.eventLoop.scheduleTask(in: pause) { [self, next, answers] in
        attempt(next, until: deadline, answers: answers, completion: completion)
      }
    }
  }

  /// Gateways have no journal of events.
  public func note(_ refusal: RefusedPush) {
    logger.info("refused: \(refusal.status) \(refusal.reason): \(refusal.detail)")
  }

  // MARK: Channels

  public func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    guard channels.isCurrent else { return completion(.failed("the channels cannot be read at the moment")) }
    // A provider is valid only for the desks that announced it.
    let desks = registry.desks(withBroadcastsOf: app).filter { providers.allows(provider, app, on: $0) }
    guard !desks.isEmpty else {
      return completion(providers.knows(provider) ? .refused(.featureNotEnabled) : .failed(Self.removed))
    }
    switch request {
    case .create(let policy): create(policy, of: app, for: desks, completion)
    case .list: completion(.listed(channels.channels(of: app, for: desks)))
    case .read(let id):
      completion(channels.policy(of: id, of: app, for: desks).map { .found($0) } ?? .refused(.notRegistered))
    case .delete(let id):
      guard channels.policy(of: id, of: app, for: desks) != nil else { return completion(.refused(.notRegistered)) }
      store(.deletion(of: FleetNames.channel(id, of: app))) { [channels] problem in
        if problem == nil { channels.remove(id, of: app) }
        completion(problem.map { .failed($0) } ?? .deleted)
      }
    case .publish(let push, let id): publish(push, on: id, to: desks, completion)
    }
  }

  private func create(
    _ policy: StoragePolicy, of app: AppID, for desks: [String],
    _ completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    guard channels.hasRoom(for: app) else { return completion(.refused(.tooMany)) }
    let id = ChannelID.random()
    let record = channels.record(policy, of: app, for: desks, at: SystemClock.wallTime())
    // The encoding of texts and numbers cannot fail.
    let payload = (try? JSONEncoder().encode(record)).map { Array($0) } ?? []
    store(NATSMessage(subject: FleetNames.channel(id, of: app), payload: payload)) { [channels] problem in
      if problem == nil { channels.add(id, record) }
      completion(problem.map { .failed($0) } ?? .created(id))
    }
  }

  private func publish(
    _ push: Push, on id: ChannelID, to desks: [String], _ completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    let now = SystemClock.wallTime()
    guard let policy = channels.policy(of: id, of: push.topic, for: desks) else {
      return completion(.refused(.notRegistered))
    }
    guard let expiration = push.expiration(on: policy, now: now) else { return completion(.refused(.mustNotBeStored)) }
    var push = push
    push.expiration = expiration
    let messages = desks.map { [push] in
      FleetMessage.broadcast(push, on: id, to: $0, from: connection.name, at: now)
    }
    deliver(messages, isStored: push.expiration != .once) { outcome in
      if case .failed(let why) = outcome { completion(.failed(why)) } else { completion(.published) }
    }
  }

  // MARK: Requests with an access key

  /// - Parameter handset: `DESK/HANDSET`, or `DESK` for the one on its board; `FleetProviders` adds the desk.
  public func receive(
    _ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void
  ) {
    guard let app = input.topic, let address = handset.flatMap({ HandsetAddress($0) }) else {
      return completion(.failed("the access key belongs to no desk"))
    }
    var isStored = true
    if case .push(let push) = input { isStored = push.expiration != .once }
    do {
      let message = try FleetMessage.input(
        input, to: address, app: app, from: connection.name, at: SystemClock.wallTime())
      deliver([message], isStored: isStored, completion)
    } catch {
      completion(.failed("\(error)"))
    }
  }

  // MARK: The service of 2008

  /// False: publishing nodes belong to one handset, which has to answer for them itself.
  public func isKnown(_ device: DeviceID) -> Bool { false }

  public func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome {
    .failed("the gateway of a fleet does not have the service of 2008")
  }

  public func lastPublished(_ id: NodeID, on device: DeviceID) async -> LastPublished { .noNode }
}
