// Notifications that are cleared at one desk of a group are cleared at the others. The clearings go through a stored
// stream, so a desk that was away receives them when it returns.

import FleetLink
import FleetMember
import FoundationEssentials
import HandsetCore
import HandsetStore
import Host
import Logging
import NATSClient
import Synchronization

/// The exchange of clearings: it publishes this desk's to its groups, and applies those of the other desks.
final class FleetClears: Sendable {
  private let handsets: [StoredHandset]
  private let connection: FleetConnection
  private let inbox: FleetInbox
  private let host: Host
  private let queue: InputQueue
  /// A reader for each group, while pushes are read.
  private let readers = Mutex<[String: Task<Void, Never>]>([:])

  private var desk: String { connection.name }

  init(
    handsets: [StoredHandset], connection: FleetConnection, inbox: FleetInbox, host: Host, queue: InputQueue
  ) {
    (self.handsets, self.connection, self.inbox) = (handsets, connection, inbox)
    (self.host, self.queue) = (host, queue)
  }

  /// Exchanges the clearings of these groups from now on. Called once no pushes wait for the desk.
  func follow(_ groups: [String]) {
    inbox.follow(groups)
    readers.withLock { readers in
      for group in groups where readers[group] == nil {
        readers[group] = Task(executorPreference: TaskThreads.shared) { await self.read(group) }
      }
      for (group, reader) in readers where !groups.contains(group) {
        reader.cancel()
        readers[group] = nil
      }
    }
  }

  /// Stops clearing until the next `follow`: a clearing could be for a push that has not arrived yet.
  func rest() {
    readers.withLock { readers in
      for reader in readers.values { reader.cancel() }
      readers = [:]
    }
  }

  /// Runs until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { tasks in
      for await _ in inbox.clearSignal.values {
        for group in inbox.beginPublishing() {
          tasks.addTask(executorPreference: TaskThreads.shared) { await self.publish(group) }
        }
      }
      tasks.cancelAll()
    }
    rest()
  }

  /// Publishes a group's clearings. The servers may not know the group; the other groups do not wait for it.
  private func publish(_ group: String) async {
    while !Task.isCancelled, let clearing = inbox.nextClear(of: group) {
      let handset = handsets.first { $0.id == clearing.handset }?.name ?? ""
      let record = ClearRecord(
        desk: desk, handset: handset, app: clearing.app.text, id: clearing.id, removed: clearing.removed)
      // The encoding of texts cannot fail.
      let payload = (try? JSONEncoder().encode(record)).map { Array($0) } ?? []
      do throws(NATSError) {
        _ = try await connection.jetStream.store(NATSMessage(subject: FleetNames.clears(in: group), payload: payload))
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

  private func read(_ group: String) async {
    let reading = FleetConnection.Reading(
      stream: FleetNames.clears, consumer: FleetNames.clearConsumer(of: desk, in: group),
      subjects: FleetNames.clears(in: group), key: "\(desk)/\(group)")
    await connection.read(reading, by: host) { _, _, _ in
    } take: { (messages, place, stream) throws(NATSError) in
      var inputs: [(input: Input, recipient: InputQueue.Recipient)] = []
      for message in messages {
        _ = try place.take(message)
        guard let (input, doer) = FleetClears.clearing(message.message, of: group) else { continue }
        inputs += handsets.filter { doer != (desk, $0.name) }.map { (input, .handset($0.id)) }
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
