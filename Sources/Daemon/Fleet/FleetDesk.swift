// A desk reads its own part of the stream. Messages that arrive together share a commit, which also stores the position
// in the stream. Each connection begins behind that position, so no message is lost and none is read twice.

import FleetLink
import HandsetCore
import HandsetStore
import Logging
import NATSClient
import NIOCore
import PushPort
import ServiceLifecycle
import Synchronization

/// The desks of this daemon.
struct FleetService: Service {
  let desks: [FleetDesk]

  func run() async {
    await withDiscardingTaskGroup { group in
      for desk in desks { group.addTask(executorPreference: TaskThreads.shared) { await desk.run() } }
      try? await gracefulShutdown()
      group.cancelAll()
    }
  }
}

/// One desk of a fleet: its part of the stream, its registry, its events.
final class FleetDesk: Sendable {
  enum Limits {
    /// Pushes with expiration 0 that wait for the host. Further ones are dropped, which their expiration permits.
    static let unstored = 256
  }

  private struct Groups {
    /// The groups that the desk belongs to.
    var names: [String] = []
    /// True if pushes still wait. Clearings by other desks of the group are applied after them.
    var hasBacklog = true
  }

  private let member: FleetSettings.Member
  private let connection: FleetConnection
  private let book: FleetBook
  private let clears: FleetClears
  private let host: Host
  private let queue: InputQueue
  private let handsets: [StoredHandset]
  private let names: HandsetNames
  private let logger: Logger
  private let unstored = Mutex(0)
  private let groups = Mutex(Groups())
  /// The requests to check whether the groups have changed.
  private let groupChecks: AsyncStream<Void>
  private let checkGroups: AsyncStream<Void>.Continuation

  private var name: String { member.name }

  /// - Parameters:
  ///   - inbox: one of the host's sinks.
  ///   - handsets: the handsets of the desk.
  ///   - names: the names of all handsets.
  init(
    _ member: FleetSettings.Member, _ settings: FleetSettings, runtime: Runtime, inbox: FleetInbox, host: Host,
    queue: InputQueue, handsets: [StoredHandset], names: HandsetNames, providers: ProvidersResource
  ) throws(DaemonError) {
    (self.member, self.host, self.queue, self.handsets) = (member, host, queue, handsets)
    (self.names, logger) = (names, runtime.outsideLogger)
    (groupChecks, checkGroups) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    connection = try FleetConnection(member, settings, runtime: runtime)
    book = FleetBook(
      of: member, handsets: handsets, environment: runtime.configuration.pushEnvironment.rawValue,
      connection: connection, inbox: inbox, host: host, providers: providers, logger: runtime.outsideLogger)
    clears = FleetClears(
      of: member.name, handsets: handsets, connection: connection, inbox: inbox, host: host, queue: queue,
      logger: runtime.outsideLogger)
    connection.nats.subscribe(to: FleetNames.unstoredPushes(to: member.name)) { [weak self] in self?.takeUnstored($0) }
    connection.nats.subscribe(to: FleetNames.roll) { [weak self] _ in self?.answerRoll() }
  }

  /// Runs until the task is cancelled.
  func run() async {
    let pulse = connection.eventLoop.scheduleRepeatedTask(
      initialDelay: FleetConnection.pulse, delay: FleetConnection.pulse
    ) { [weak self] _ in self?.answerRoll() }
    defer { pulse.cancel() }
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.groupChecks { await self.learnGroups() }
      }
      group.addTask(executorPreference: TaskThreads.shared) { await self.follow() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.book.run() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.clears.run() }
    }
    connection.nats.end()
  }

  /// Answers at once, since the servers may need seconds to return the groups.
  private func answerRoll() {
    book.answerRoll()
    checkGroups.yield()
  }

  // MARK: The stream

  private func follow() async {
    let reading = FleetConnection.Reading(
      stream: FleetNames.pushes, consumer: name, subjects: FleetNames.pushes(to: name), key: name)
    await connection.read(reading, by: host) { (note, place, position) throws(JetStreamError) in
      connection.show(nil)
      book.position = position.sequence
      book.announce()
      groups.withLock { $0 = Groups(names: note.groups) }
      // A crash may have left kept pushes behind.
      if place.backlog == 0 { try await endBacklog(arrivals, at: position) }
    } take: { (messages, place, stream) throws(JetStreamError) in
      var inputs: [Addressed] = []
      var ends = false
      for message in messages {
        let arrival = try place.take(message)
        if var input = read(message.message) {
          if arrival.isBacklog, case .push(let push) = input.input { input.input = .keep(push) }
          inputs.append(input)
        }
        if arrival.endsBacklog { (inputs, ends) = (inputs + arrivals, true) }
      }
      let position = StreamPosition(consumer: name, stream: stream, sequence: place.sequence)
      if ends { try await endBacklog(inputs, at: position) } else { try await store(inputs, at: position) }
      book.position = place.sequence
    } failed: { error in
      rest()
      let isUnknown = error.code == JetStreamError.noConsumer
      connection.show(
        isUnknown ? "the servers have no consumer '\(name)'; 'deskbell fleet add \(name)' makes it" : error.problem)
    }
  }

  /// Delivers the kept pushes once no more wait.
  private func endBacklog(_ inputs: [Addressed], at position: StreamPosition) async throws(JetStreamError) {
    try await store(inputs, at: position)
    groups.withLock { groups in
      groups.hasBacklog = false
      clears.follow(groups.names)
    }
  }

  /// Stops clearing while pushes cannot be read: a clearing could be for a push that has not arrived yet.
  private func rest() {
    groups.withLock { groups in
      groups.hasBacklog = true
      clears.rest()
    }
  }

  /// Reads the groups: the administrator may have made or removed one since the connection was made.
  private func learnGroups() async {
    guard let note = try? await connection.jetStream.consumer(name, of: FleetNames.pushes).note else { return }
    let isNews = groups.withLock { groups in
      let isNews = groups.names != note.groups && !groups.hasBacklog
      groups.names = note.groups
      if isNews { clears.follow(note.groups) }
      return isNews
    }
    guard isNews else { return }
    logger.notice("\(connection.device): groups: \(note.groups.isEmpty ? "none" : note.groups.joined(separator: ", "))")
  }

  private typealias Addressed = (input: Input, recipient: InputQueue.Recipient)

  /// The inputs that deliver the kept pushes.
  private var arrivals: [Addressed] { handsets.map { (.forward, .handset($0.id)) } }

  /// Stores the inputs and the position behind them, and retries while the disk fails.
  private func store(_ inputs: [Addressed], at position: StreamPosition) async throws(JetStreamError) {
    let batch = StreamBatch(inputs: inputs, position: position)
    var pause = FleetConnection.ReadingLimits.firstPause
    while let problem = await queue.submit(batch) {
      guard !Task.isCancelled else { throw JetStreamError(code: 0, problem: problem, isTransient: true) }
      logger.warning("\(connection.device): pushes wait: \(problem)")
      await connection.pause(pause)
      pause = min(pause + pause, FleetConnection.ReadingLimits.longestPause)
    }
  }

  /// Returns a message's input; nil if it cannot be read, which is logged.
  private func read(_ message: NATSMessage) -> Addressed? {
    do throws(BadStoredPush) {
      let content = try FleetMessage(message, for: name)
      if case .push(let push) = content.input, push.token != nil { return (content.input, .tokenOwner) }
      let named = content.handset.map { names.handset(named: $0) } ?? handsets.first?.id
      guard let id = named, handsets.contains(where: { $0.id == id }) else {
        throw BadStoredPush(problem: "this desk has no handset '\(content.handset ?? "")'")
      }
      return (content.input, .handset(id))
    } catch {
      logger.warning("\(connection.device): a message cannot be used: \(error.problem)")
      return nil
    }
  }

  /// Submits a push that is tried once.
  private func takeUnstored(_ message: NATSMessage) {
    guard let content = read(message) else { return }
    let isTaken = unstored.withLock { unstored in
      guard unstored < Limits.unstored else { return false }
      unstored += 1
      return true
    }
    guard isTaken else { return }
    queue.submit(content.input, to: content.recipient) { [weak self] _ in self?.unstored.withLock { $0 -= 1 } }
  }
}

extension Handsets {
  /// Returns the handsets of a desk, with the one on the board first if it is among them.
  /// - Throws: `DaemonError` if one of them does not exist.
  func of(_ member: FleetSettings.Member) throws(DaemonError) -> [StoredHandset] {
    var found = all
    if let listed = member.handsets {
      found = []
      for name in listed {
        guard let handset = all.first(where: { $0.name == name }) else {
          throw Configuration.noHandset(name, of: member)
        }
        found.append(handset)
      }
    }
    let isBoard = found.map { $0.id == board.id }
    return zip(found, isBoard).filter(\.1).map(\.0) + zip(found, isBoard).filter { !$0.1 }.map(\.0)
  }
}
