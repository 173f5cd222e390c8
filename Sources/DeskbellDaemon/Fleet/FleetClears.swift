// What is cleared at one desk of a group is cleared at the others. It goes through a stored stream, so a desk that was away
// hears of it when it returns.

import FleetLink
import FoundationEssentials
import HandsetCore
import HandsetStore
import Logging
import NATSClient

/// Tells the groups of a desk what was cleared here, and does here what was done at the others.
final class FleetClears: Sendable {
  private let desk: String
  private let handsets: [HandsetID]
  private let connection: FleetConnection
  private let inbox: FleetInbox
  private let host: Host
  private let queue: InputQueue
  private let logger: Logger
  private let groups: AsyncStream<[String]>
  private let newGroups: AsyncStream<[String]>.Continuation

  init(
    of desk: String, handsets: [HandsetID], connection: FleetConnection, inbox: FleetInbox, host: Host,
    queue: InputQueue, logger: Logger
  ) {
    (self.desk, self.handsets, self.connection, self.inbox) = (desk, handsets, connection, inbox)
    (self.host, self.queue, self.logger) = (host, queue, logger)
    (groups, newGroups) = AsyncStream.makeStream(of: [String].self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The groups of the desk, as the engine knows them now.
  func follow(_ groups: [String]) {
    inbox.follow(groups)
    newGroups.yield(groups)
  }

  /// Until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) { await self.tell() }
      group.addTask(executorPreference: TaskThreads.shared) {
        var readers: [String: Task<Void, Never>] = [:]
        for await names in self.groups {
          for name in names where readers[name] == nil {
            readers[name] = Task(executorPreference: TaskThreads.shared) { await self.read(name) }
          }
          for (name, reader) in readers where !names.contains(name) {
            reader.cancel()
            readers[name] = nil
          }
        }
        for reader in readers.values { reader.cancel() }
      }
    }
  }

  private func tell() async {
    for await _ in inbox.clearSignals {
      for clearing in inbox.takeClears() {
        let record = ClearRecord(desk: desk, app: clearing.app.text, id: clearing.id, removed: clearing.removed)
        guard let payload = try? JSONEncoder().encode(record) else { continue }
        let message = NATSMessage(subject: FleetNames.clears(in: clearing.group), payload: Array(payload))
        while !Task.isCancelled {
          do throws(JetStreamError) {
            _ = try await connection.jetStream.store(message)
            break
          } catch {
            guard error.isTransient else {
              logger.warning("\(connection.device): group \(clearing.group) does not hear of a clearing: \(error)")
              break
            }
            await connection.pause(.seconds(1))
          }
        }
      }
    }
  }

  private func read(_ group: String) async {
    let reading = FleetConnection.Reading(
      stream: FleetNames.clears, consumer: FleetNames.clearConsumer(of: desk, in: group),
      subjects: FleetNames.clears(in: group), key: "\(desk)/\(group)")
    await connection.read(reading, by: host) { _, _, _ in
    } take: { (messages, place, stream) throws(JetStreamError) in
      var inputs: [(input: Input, recipient: InputQueue.Recipient)] = []
      for message in messages {
        _ = try place.take(message)
        if let input = FleetClears.clearing(message.message, of: group, at: desk) {
          inputs += handsets.map { (input, .handset($0)) }
        }
      }
      let position = StreamPosition(consumer: reading.key, stream: stream, sequence: place.sequence)
      if let problem = await queue.submit(StreamBatch(inputs: inputs, position: position)) {
        throw JetStreamError(code: 0, problem: problem, isTransient: true)
      }
    } failed: {
      logger.info("\(connection.device): group \(group): \($0)")
    }
  }

  /// What a sibling has cleared; nil where this desk has done it itself, or it is no record of a clearing.
  static func clearing(_ message: NATSMessage, of group: String, at desk: String) -> Input? {
    guard message.payload.count <= 4_096,
      let record = try? JSONDecoder().decode(ClearRecord.self, from: Data(message.payload)), record.desk != desk,
      let app = AppID(record.app)
    else { return nil }
    return .retract(app, collapseID: "\(group)/\(record.id)", record.removed ? .removed : .seen)
  }
}
