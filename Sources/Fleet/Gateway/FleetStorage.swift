// A message is sent repeatedly until the servers acknowledge it or its time is over. Each has an identifier, so they
// store it once however often it arrives.

import FleetLink
import FleetMember
import NATSClient
import NIOCore
import Synchronization

/// A store for messages, with retries.
final class FleetStorage: Sendable {
  enum Limits {
    /// The time for which a message is tried. Its provider waits for it.
    static let patience = TimeAmount.seconds(5)
    /// The time for which one attempt waits for the acknowledgement.
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
  private let waiting = Mutex((count: 0, bytes: 0))

  init(_ connection: FleetConnection) {
    self.connection = connection
  }

  /// - Parameter completion: called exactly once, on any thread: with nil if it is stored; otherwise with the reason
  ///   why it is not, or may not be.
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

  /// Publishes a message that is not stored: only a connected desk receives it.
  /// - Returns: the reason if it cannot be sent; otherwise nil.
  func send(_ message: NATSMessage) -> String? {
    connection.nats.publish(message) ? nil : "there is no connection to the fleet's servers"
  }
}
