import FleetLink
import NATSClient
import NIOCore

extension FleetConnection {
  enum ReadingLimits {
    /// After something failed: the first time, and at most. Each failure doubles it.
    static let firstPause = TimeAmount.milliseconds(250)
    static let longestPause = TimeAmount.seconds(10)
  }

  /// Reads a consumer from where the database is, over every loss of the connection, until the task is cancelled.
  /// - Parameters:
  ///   - key: what the database calls the consumer.
  ///   - begin: called for each connection.
  ///   - take: stores what has come, and the place behind it. It is acknowledged then.
  ///   - failed: called when it cannot be read at the time.
  func read(
    _ consumer: String, of stream: String, as key: String, by host: Host,
    begin: (FleetPlace) async throws(JetStreamError) -> Void,
    take: ([StreamMessage], inout FleetPlace) async throws(JetStreamError) -> Void,
    failed: (JetStreamError) -> Void
  ) async {
    let reader = StreamReader(consumer, of: stream, over: nats, eventLoop: eventLoop)
    let lost = JetStreamError(code: 0, problem: "the connection is lost", isTransient: true)
    let watch = Task(executorPreference: TaskThreads.shared) { [self] in
      for await _ in changes() where !nats.isConnected { reader.stop(lost) }
      reader.stop(lost)
    }
    defer { watch.cancel() }
    var pause = ReadingLimits.firstPause
    while !Task.isCancelled {
      do throws(JetStreamError) {
        var place = try await FleetPlace.found(of: consumer, in: stream, as: key, over: self, host: host)
        reader.start()
        pause = ReadingLimits.firstPause
        try await begin(place)
        while !Task.isCancelled {
          let messages = try await reader.next()
          try await take(messages, &place)
          messages.last?.acknowledge(over: nats)
        }
      } catch {
        guard !Task.isCancelled else { return }
        failed(error)
        await self.pause(pause)
        pause = min(pause + pause, ReadingLimits.longestPause)
      }
    }
  }
}
