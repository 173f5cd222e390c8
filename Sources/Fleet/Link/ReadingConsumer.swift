import NATSClient
import NIOCore

/// The first message that a consumer for one reader delivers.
public enum ReadingStart: Hashable, Sendable {
  /// The newest message of each subject.
  case newest
  /// The message after this position; 0 for all.
  case behind(UInt64)
}

extension JetStream {
  /// Creates a consumer for one reader: without acknowledgements, in one server's memory, deleted without its reader.
  public func makeConsumer(
    _ name: String, of stream: String, subjects: String, from start: ReadingStart, headersOnly: Bool = false
  ) async throws(NATSError) -> ConsumerInfo {
    var settings = ReadingSettings(name: name, filterSubject: subjects, headersOnly: headersOnly ? true : nil)
    if case .behind(let sequence) = start {
      // The position may come from another member of the fleet, so the addition must not trap.
      (settings.deliverPolicy, settings.optStartSeq) = ("by_start_sequence", max(sequence, sequence &+ 1))
    }
    return try await ask("CONSUMER.CREATE.\(stream).\(name).\(subjects)", ConsumerRequest(settings, of: stream))
  }

  /// Creates a consumer, replacing one of that name.
  public func replaceConsumer(
    _ name: String, of stream: String, subjects: String, from start: ReadingStart, headersOnly: Bool = false
  ) async throws(NATSError) -> ConsumerInfo {
    do throws(NATSError) {
      try await removeConsumer(name, of: stream, within: Limits.removal)
    } catch {
      // There is none, or its server is down; then creating it fails, and the next one has another name.
    }
    return try await makeConsumer(name, of: stream, subjects: subjects, from: start, headersOnly: headersOnly)
  }

  /// Reads the present messages through a consumer that was created for this, and removes the consumer.
  public func readAll(
    _ pending: UInt64, by name: String, of stream: String, _ take: (StreamMessage) -> Void
  ) async throws(NATSError) {
    let reader = StreamReader(name, of: stream, over: connection)
    defer { reader.stop() }
    var missing = pending
    if missing > 0 { reader.start() }
    while missing > 0 {
      // Messages that are removed meanwhile never arrive, and the servers do not report their removal.
      let timer = connection.eventLoop.scheduleTask(in: Limits.quiet) {
        let problem = "messages of \(stream) were removed while they were read"
        reader.stop(NATSError(problem))
      }
      defer { timer.cancel() }
      for message in try await reader.next() where missing > 0 {
        take(message)
        missing = message.pending == 0 ? 0 : missing - 1
      }
    }
    // If this fails, the servers delete the consumer later, because it has no reader.
    try? await removeConsumer(name, of: stream)
  }

  /// Reads a bucket's values, and then their changes, until the task is cancelled. It continues after every loss of the
  /// connection.
  /// - Parameters:
  ///   - stream: the bucket's stream.
  ///   - take: called with the values in their order. All are repeated after a loss.
  ///   - idle: called when all values that have arrived were taken.
  ///   - complete: called each time the newest value of every key was taken.
  ///   - failed: called when the bucket cannot be read at the moment.
  public func watch(
    _ stream: String, take: (StreamMessage) -> Void, idle: () -> Void = {}, complete: () -> Void,
    failed: (NATSError) -> Void
  ) async {
    while !Task.isCancelled {
      do throws(NATSError) {
        try await watchOnce(stream, take: take, idle: idle, complete: complete)
      } catch {
        guard !Task.isCancelled else { return }
        failed(error)
        try? await connection.eventLoop.scheduleTask(in: Limits.pause) {}.futureResult.get()
      }
    }
  }

  private func watchOnce(
    _ stream: String, take: (StreamMessage) -> Void, idle: () -> Void, complete: () -> Void
  ) async throws(NATSError) {
    let keys = "$\(stream.replacing("_", with: ".", maxReplacements: 1)).>"
    let name = "watch-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let made = try await makeConsumer(name, of: stream, subjects: keys, from: .newest)
    if made.numPending == 0 { complete() }
    var place = StreamPlace(sequence: 0, backlog: made.numPending)
    let reader = StreamReader(name, of: stream, over: connection)
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

  /// Removes a consumer.
  /// - Throws: `NATSError` `noConsumer` if there is none.
  public func removeConsumer(
    _ name: String, of stream: String, within time: TimeAmount = Limits.answer
  ) async throws(NATSError) {
    struct Done: Decodable { var success: Bool }
    let _: Done = try await ask("CONSUMER.DELETE.\(stream).\(name)", within: time)
  }
}

private struct ReadingSettings: Encodable {
  var name: String
  var filterSubject: String
  var deliverPolicy = "last_per_subject"
  var optStartSeq: UInt64?
  var headersOnly: Bool?
  let ackPolicy = "none"
  let memStorage = true
  let numReplicas = 1
  let inactiveThreshold = JetStream.Limits.forgotten.nanoseconds
}

/// The request for a new or changed consumer.
public struct ConsumerRequest<Settings: Encodable>: Encodable {
  let streamName: String
  let config: Settings

  public init(_ settings: Settings, of stream: String) {
    (streamName, config) = (stream, settings)
  }
}
