// A message that is to be stored is sent again until the engine acknowledges it or its time is over. Each has an
// identifier, so the engine stores it once however often it comes.

import FleetLink
import HandsetCore
import NATSClient
import NIOCore
import Synchronization

/// Stores messages, with patience.
final class FleetStorage: Sendable {
  enum Limits {
    /// How long a message is tried. Its provider waits for it.
    static let patience = TimeAmount.seconds(5)
    /// How long one attempt waits for the acknowledgement.
    static let attempt = TimeAmount.milliseconds(1_500)
    /// Between two attempts.
    static let pause = TimeAmount.milliseconds(50)
    /// Messages that wait for their acknowledgement, and the bytes in them. One more is refused.
    static let waiting = 8_192
    static let waitingBytes = 32 * 1024 * 1024
  }

  private let connection: FleetConnection
  private let waiting = Mutex((count: 0, bytes: 0))

  init(_ connection: FleetConnection) {
    self.connection = connection
  }

  /// - Parameter completion: called exactly once, on any thread: with nil where it is stored, else with why it is not, or
  ///   not known to be.
  func store(_ message: NATSMessage, completion: @escaping @Sendable (String?) -> Void) {
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

  private func attempt(
    _ message: NATSMessage, until deadline: NIODeadline, completion: @escaping @Sendable (String?) -> Void
  ) {
    connection.jetStream.store(message, within: Limits.attempt) { [self] result in
      guard case .failure(let error) = result else { return completion(nil) }
      guard error.isTransient, .now() + Limits.pause < deadline else { return completion(error.problem) }
      connection.eventLoop.scheduleTask(in: Limits.pause) { [self] in
        attempt(message, until: deadline, completion: completion)
      }
    }
  }

  /// Hands a message over that is not stored: whoever listens gets it.
  /// - Returns: why it cannot be handed over; nil where it was.
  func send(_ message: NATSMessage) -> String? {
    connection.nats.publish(message) ? nil : "there is no connection to the fleet's servers"
  }
}
