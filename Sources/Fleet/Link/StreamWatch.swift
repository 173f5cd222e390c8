// A gateway holds the registry in memory: it reads the newest value of each key, and then every change.

import FoundationEssentials
import NATSClient
import NIOCore

/// A reader of a bucket's values and their changes, which continues after every loss of the connection.
public struct StreamWatch: Sendable {
  enum Limits {
    static let pause = TimeAmount.milliseconds(500)
  }

  let stream: String
  let jetStream: JetStream
  let eventLoop: any EventLoop

  /// - Parameter stream: the bucket's stream.
  public init(_ stream: String, over connection: NATSConnection, eventLoop: any EventLoop) {
    (self.stream, jetStream, self.eventLoop) = (stream, JetStream(connection), eventLoop)
  }

  /// Reads until the task is cancelled.
  /// - Parameters:
  ///   - take: called with the values in their order. All are repeated after a loss.
  ///   - idle: called when all values that have arrived were taken.
  ///   - complete: called each time the newest value of every key was taken.
  ///   - failed: called when the bucket cannot be read at the moment.
  public func run(
    take: (StreamMessage) -> Void, idle: () -> Void = {}, complete: () -> Void, failed: (NATSError) -> Void
  ) async {
    while !Task.isCancelled {
      do throws(NATSError) {
        try await read(take: take, idle: idle, complete: complete)
      } catch {
        guard !Task.isCancelled else { return }
        failed(error)
        try? await eventLoop.scheduleTask(in: Limits.pause) {}.futureResult.get()
      }
    }
  }

  private func read(
    take: (StreamMessage) -> Void, idle: () -> Void, complete: () -> Void
  ) async throws(NATSError) {
    let keys = "$\(stream.replacing("_", with: ".", maxReplacements: 1)).>"
    let name = "watch-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let made = try await jetStream.makeConsumer(name, of: stream, subjects: keys, from: .newest)
    if made.numPending == 0 { complete() }
    var place = StreamPlace(sequence: 0, backlog: made.numPending)
    let reader = StreamReader(name, of: stream, over: jetStream.connection, eventLoop: eventLoop)
    defer { reader.stop() }
    reader.start()
    while !Task.isCancelled {
      for message in try await reader.next() {
        let arrival = try place.take(message)
        take(message)
        if arrival.endsBacklog { complete() }
      }
      idle()
    }
  }
}
