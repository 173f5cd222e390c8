// A desk reads its own part of the stream. Messages that arrive together share a commit, which also stores the position
// in the stream. Each connection begins behind that position, so no message is lost and none is read twice.

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
import Services
import Synchronization
import SystemThreads

/// One desk of a fleet: its part of the stream, its registry, its events.
public final class FleetDesk: Service {
  enum Limits {
    /// Pushes with expiration 0 that wait for the host. Further ones are dropped, which their expiration permits.
    static let unstored = 256
  }

  private struct Groups {
    var names: [String] = []
    /// True if pushes still wait. Clearings by other desks of the group are applied after them.
    var hasBacklog = true
    /// A reader of each group's clearings, while pushes are read.
    var readers: [String: Task<Void, Never>] = [:]

    mutating func stopReaders() {
      for reader in readers.values { reader.cancel() }
      readers = [:]
    }
  }

  private let connection: FleetConnection
  private let book: FleetBook
  private let inbox: FleetInbox
  private let host: Host
  private let queue: InputQueue
  private let handsets: [StoredHandset]
  private let names: HandsetNames
  private let unstored = Mutex(0)
  private let groups = Mutex(Groups())
  private let checkGroups = Signal<Void>()

  private var name: String { connection.name }
  private var logger: Logger { connection.logger }

  /// - Parameters:
  ///   - inbox: one of the host's sinks.
  ///   - environment: the one of Apple's two services that the desk's tokens are for.
  ///   - providerChanges: has an element for each change of the stored providers.
  public init(
    _ connection: FleetConnection, inbox: FleetInbox, host: Host, queue: InputQueue, handsets: [StoredHandset],
    names: HandsetNames, environment: PushEnvironment, providerChanges: AsyncStream<Void>
  ) {
    (self.connection, self.inbox, self.host, self.queue) = (connection, inbox, host, queue)
    (self.handsets, self.names) = (handsets, names)
    book = FleetBook(
      handsets: handsets, environment: environment.rawValue, connection: connection, inbox: inbox, host: host,
      providerChanges: providerChanges)
    connection.nats.subscribe(to: FleetNames.unstoredPushes(to: connection.name)) { [weak self] in
      self?.takeUnstored($0)
    }
    connection.nats.subscribe(to: FleetNames.roll) { [weak self] _ in self?.answerRoll() }
  }

  public func run(until stop: StopRequest) async {
    let pulse = connection.eventLoop.scheduleRepeatedTask(
      initialDelay: FleetConnection.pulse, delay: FleetConnection.pulse
    ) { [weak self] _ in self?.answerRoll() }
    defer { pulse.cancel() }
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) {
        for await _ in self.checkGroups.values { await self.learnGroups() }
      }
      group.addTask(executorPreference: TaskThreads.shared) { await self.follow() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.book.run() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.publishClears() }
      await stop.wait()
      group.cancelAll()
    }
    connection.nats.end()
  }

  /// Answers at once, since the servers may need seconds to return the groups.
  private func answerRoll() {
    book.answerRoll()
    checkGroups.send()
  }

  // MARK: The stream

  private func follow() async {
    let reading = FleetConnection.Reading(
      stream: FleetNames.pushes, consumer: name, subjects: FleetNames.pushes(to: name), key: name)
    await connection.read(reading, by: host) { (note, place, position) throws(NATSError) in
      connection.show(nil)
      book.position = position.sequence
      book.announce()
      groups.withLock { ($0.names, $0.hasBacklog) = (note.groups, true) }
      // A crash may have left kept pushes behind.
      if place.backlog == 0 { try await endBacklog(arrivals, at: position) }
    } take: { (messages, place, stream) throws(NATSError) in
      var inputs: [Addressed] = []
      var (ends, broadcasts) = (false, 0)
      for message in messages {
        if broadcasts == InputQueue.Limits.streamBroadcasts {
          let position = StreamPosition(consumer: name, stream: stream, sequence: place.sequence)
          if ends { try await endBacklog(inputs, at: position) } else { try await store(inputs, at: position) }
          (inputs, ends, broadcasts) = ([], false, 0)
        }
        let arrival = try place.take(message)
        if var input = read(message.message) {
          if arrival.isBacklog, case .push(let push) = input.input { input.input = .keep(push) }
          if case .broadcast = input.input { broadcasts += 1 }
          inputs.append(input)
        }
        if arrival.endsBacklog { (inputs, ends) = (inputs + arrivals, true) }
      }
      let position = StreamPosition(consumer: name, stream: stream, sequence: place.sequence)
      if ends { try await endBacklog(inputs, at: position) } else { try await store(inputs, at: position) }
      book.position = place.sequence
    } failed: { error in
      // A clearing could be for a push that has not arrived yet.
      groups.withLock { groups in
        groups.hasBacklog = true
        groups.stopReaders()
      }
      let isUnknown = error.code == NATSError.noConsumer
      connection.show(
        isUnknown ? "the servers have no consumer '\(name)'; 'deskbell fleet add \(name)' makes it" : error.problem)
    }
  }

  /// Delivers the kept pushes once no more wait.
  private func endBacklog(_ inputs: [Addressed], at position: StreamPosition) async throws(NATSError) {
    try await store(inputs, at: position)
    groups.withLock { groups in
      groups.hasBacklog = false
      followClears(of: &groups)
    }
  }

  /// Reads the groups: the administrator may have made or removed one since the connection was made.
  private func learnGroups() async {
    guard let note = try? await connection.jetStream.consumer(name, of: FleetNames.pushes).note else { return }
    let isNews = groups.withLock { groups in
      let isNews = groups.names != note.groups && !groups.hasBacklog
      groups.names = note.groups
      if isNews { followClears(of: &groups) }
      return isNews
    }
    guard isNews else { return }
    logger.notice("\(connection.device): groups: \(note.groups.isEmpty ? "none" : note.groups.joined(separator: ", "))")
  }

  private typealias Addressed = (input: Input, recipient: InputQueue.Recipient)

  /// The inputs that deliver the kept pushes.
  private var arrivals: [Addressed] { handsets.map { (.forward, .handset($0.id)) } }

  /// Stores the inputs and the position behind them, and retries while the disk fails.
  private func store(_ inputs: [Addressed], at position: StreamPosition) async throws(NATSError) {
    let batch = StreamBatch(inputs: inputs, position: position)
    var pause = FleetConnection.ReadingLimits.firstPause
    while let problem = await queue.submit(batch) {
      guard !Task.isCancelled else { throw NATSError(problem) }
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
      if case .broadcast(let push, _) = content.input {
        return (content.input, .broadcast(push.topic, among: handsets.map(\.id)))
      }
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

  // MARK: Clearings

  // Notifications that are cleared at one desk of a group are cleared at the others. The clearings go through a stored
  // stream, so a desk that was away receives them when it returns.

  /// Exchanges the clearings of these groups from now on. Called once no pushes wait for the desk.
  private func followClears(of groups: inout Groups) {
    inbox.follow(groups.names)
    for group in groups.names where groups.readers[group] == nil {
      groups.readers[group] = Task(executorPreference: TaskThreads.shared) { await self.readClears(of: group) }
    }
    for (group, reader) in groups.readers where !groups.names.contains(group) {
      reader.cancel()
      groups.readers[group] = nil
    }
  }

  private func publishClears() async {
    await withDiscardingTaskGroup { tasks in
      for await _ in inbox.clearSignal.values {
        for group in inbox.beginPublishing() {
          tasks.addTask(executorPreference: TaskThreads.shared) { await self.publishClears(of: group) }
        }
      }
      tasks.cancelAll()
    }
    groups.withLock { $0.stopReaders() }
  }

  /// Publishes a group's clearings. The servers may not know the group; the other groups do not wait for it.
  private func publishClears(of group: String) async {
    while !Task.isCancelled, let record = inbox.nextClear(of: group) {
      // The encoding of texts cannot fail.
      let payload = (try? JSONEncoder().encode(record)).map { Array($0) } ?? []
      do throws(NATSError) {
        try await connection.jetStream.store(NATSMessage(subject: FleetNames.clears(in: group), payload: payload))
        inbox.published(group)
      } catch {
        guard error.isTransient else {
          connection.logger.warning("\(connection.device): group \(group) does not learn of a clearing: \(error)")
          inbox.published(group)
          continue
        }
        await connection.pause(.seconds(1))
      }
    }
  }

  private func readClears(of group: String) async {
    let reading = FleetConnection.Reading(
      stream: FleetNames.clears, consumer: FleetNames.clearConsumer(of: name, in: group),
      subjects: FleetNames.clears(in: group), key: "\(name)/\(group)")
    await connection.read(reading, by: host) { _, _, _ in
    } take: { (messages, place, stream) throws(NATSError) in
      var inputs: [Addressed] = []
      for message in messages {
        _ = try place.take(message)
        guard let (input, doer) = FleetDesk.clearing(message.message, of: group) else { continue }
        inputs += handsets.filter { doer != (name, $0.name) }.map { (input, .handset($0.id)) }
      }
      let position = StreamPosition(consumer: reading.key, stream: stream, sequence: place.sequence)
      if let problem = await queue.submit(StreamBatch(inputs: inputs, position: position)) {
        throw NATSError(problem)
      }
    } failed: {
      connection.logger.info("\(connection.device): group \(group): \($0)")
    }
  }

  /// Returns the clearing in a record of a group, with its desk and handset; nil if it is no such record.
  static func clearing(
    _ message: NATSMessage, of group: String
  ) -> (input: Input, doer: (desk: String, handset: String))? {
    guard message.payload.count <= 4_096,
      let record = try? JSONDecoder().decode(ClearRecord.self, from: Data(message.payload)),
      let app = AppID(record.app)
    else { return nil }
    let input = Input.retract(app, collapseID: "\(group)/\(record.id)", record.removed ? .removed : .seen)
    return (input, (record.desk, record.handset))
  }
}

extension FleetConnection {
  enum ReadingLimits {
    /// The pause after a failure: the first, and the longest. Each failure doubles it.
    static let firstPause = TimeAmount.milliseconds(250)
    static let longestPause = TimeAmount.seconds(10)
  }

  /// The part of a stream that a desk reads.
  struct Reading {
    var stream: String
    /// The consumer with the administrator's note for the desk; the desk's own consumers are named after it.
    var consumer: String
    var subjects: String
    var key: String
  }

  /// Reads from the position in the database, across all losses of the connection, until the task is cancelled.
  /// - Parameters:
  ///   - begin: called for each connection, with the administrator's note for the desk.
  ///   - take: stores the messages, and the position behind them.
  ///   - failed: called when the stream cannot be read at the moment.
  func read(
    _ reading: Reading, by host: Host,
    begin: (ConsumerNote, StreamPlace, StreamPosition) async throws(NATSError) -> Void,
    take: ([StreamMessage], inout StreamPlace, _ stream: String) async throws(NATSError) -> Void,
    failed: (NATSError) -> Void
  ) async {
    var pause = ReadingLimits.firstPause
    let names = FleetNames.readers(of: reading.consumer)
    var turn = 0
    while !Task.isCancelled {
      do throws(NATSError) {
        let (note, sequence) = try await position(of: reading, in: host)
        turn += 1
        let name = names[turn % names.count]
        let made = try await jetStream.makeConsumer(
          name, of: reading.stream, subjects: reading.subjects, after: sequence, replacing: true)
        var place = StreamPlace(sequence: sequence, backlog: made.numPending)
        let reader = StreamReader(name, of: reading.stream, over: nats)
        defer { reader.stop() }
        pause = ReadingLimits.firstPause
        try await begin(
          note, place, StreamPosition(consumer: reading.key, stream: note.stream, sequence: sequence))
        while !Task.isCancelled { try await take(reader.next(), &place, note.stream) }
      } catch {
        guard !Task.isCancelled else { return }
        failed(error)
        await self.pause(pause)
        pause = min(pause + pause, ReadingLimits.longestPause)
      }
    }
  }

  /// Returns the administrator's note for the desk, and the last message in the database; 0 for none.
  private func position(
    of reading: Reading, in host: Host
  ) async throws(NATSError) -> (note: ConsumerNote, sequence: UInt64) {
    guard let note = try await jetStream.consumer(reading.consumer, of: reading.stream).note else {
      throw NATSError("consumer '\(reading.consumer)' was not made by 'deskbell fleet add'", isTransient: false)
    }
    do {
      let known = try await host.write { store in try store.positions().first { $0.consumer == reading.key } }
      // A recreated stream begins at 1.
      return (note, known?.stream == note.stream ? known?.sequence ?? 0 : 0)
    } catch {
      throw NATSError("the position in the stream cannot be read: \(error)")
    }
  }
}
