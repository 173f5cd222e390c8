// Where a desk is in the stream, by its own database; the engine's consumer only says what it has sent.

import FleetLink
import HandsetStore
import NATSClient
import NIOCore

/// A consumer's place in a stream, and how much of what waits there was sent while nobody was there to take it.
struct FleetPlace {
  /// How long the engine waits for an acknowledgement before it sends again: as 'deskbell fleet add' sets it.
  static let redelivery = TimeAmount.seconds(10)

  private(set) var position: StreamPosition
  /// Messages that waited when the connection was made, and that have not come yet.
  private(set) var backlog: UInt64
  /// The groups that the desk belongs to.
  let groups: [String]
  /// The number of the last delivery.
  private var delivery: UInt64

  var sequence: UInt64 { position.sequence }

  private init(position: StreamPosition, backlog: UInt64, groups: [String], delivery: UInt64) {
    (self.position, self.backlog, self.groups, self.delivery) = (position, backlog, groups, delivery)
  }

  /// Where the desk goes on. What an earlier connection was sent and stored is acknowledged; what it was sent and did not
  /// store comes again before anything else, for which this waits.
  static func found(
    of consumer: String, in stream: String, as key: String, over connection: FleetConnection, host: Host
  ) async throws(JetStreamError) -> FleetPlace {
    var info = try await connection.jetStream.consumer(consumer, of: stream)
    guard let note = info.note else {
      throw JetStreamError(
        code: 0, problem: "consumer '\(consumer)' was not made by 'deskbell fleet add'", isTransient: false)
    }
    let known: StreamPosition?
    do {
      known = try await host.write { store in try store.positions().first { $0.consumer == key } }
    } catch {
      throw JetStreamError(code: 0, problem: "the place in the stream cannot be read: \(error)", isTransient: true)
    }
    // A stream that was made anew begins at 1.
    let isSame = known?.stream == note.stream
    let sequence = isSame ? known?.sequence ?? 0 : 0
    if info.unacknowledged > 0 {
      if sequence >= info.delivered.sequence {
        connection.acknowledge(info)
      } else {
        await connection.pause(FleetPlace.redelivery)
        info = try await connection.jetStream.consumer(consumer, of: stream)
      }
    }
    let unacknowledged = sequence >= info.delivered.sequence ? 0 : info.unacknowledged
    return FleetPlace(
      position: StreamPosition(consumer: key, stream: note.stream, sequence: sequence),
      backlog: info.pending + unacknowledged, groups: note.groups, delivery: info.delivered.delivery)
  }

  /// What a message is to the desk.
  struct Arrival {
    /// Whether it is not stored yet.
    var isNew: Bool
    /// Whether it waited while nobody was there.
    var isBacklog: Bool
    /// Whether it is the last of those.
    var endsBacklog: Bool
  }

  /// Notes a message.
  /// - Throws: `JetStreamError` where one before it is missing.
  mutating func take(_ message: StreamMessage) throws(JetStreamError) -> Arrival {
    guard message.delivery == delivery + 1 else {
      throw JetStreamError(code: 0, problem: "a message of the stream is missing", isTransient: true)
    }
    delivery = message.delivery
    let arrival = Arrival(
      isNew: message.sequence > position.sequence, isBacklog: backlog > 0, endsBacklog: backlog == 1)
    backlog -= backlog > 0 ? 1 : 0
    position.sequence = max(position.sequence, message.sequence)
    return arrival
  }
}

extension FleetConnection {
  /// Acknowledges all that the consumer has sent.
  fileprivate func acknowledge(_ info: JetStream.ConsumerInfo) {
    let place = info.delivered
    nats.publish(
      NATSMessage(
        subject:
          "$JS.ACK.\(info.stream).\(info.name).1.\(place.sequence).\(place.delivery).0.\(info.pending)",
        payload: Array("+ACK".utf8)))
  }
}
