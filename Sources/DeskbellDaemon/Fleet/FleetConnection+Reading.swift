import FleetLink
import HandsetStore
import NATSClient
import NIOCore

extension FleetConnection {
  enum ReadingLimits {
    /// After something failed: the first time, and at most. Each failure doubles it.
    static let firstPause = TimeAmount.milliseconds(250)
    static let longestPause = TimeAmount.seconds(10)
  }

  /// What a desk reads of a stream.
  struct Reading {
    var stream: String
    /// The consumer that tells the desk what it has to know, and after which its own are called.
    var consumer: String
    var subjects: String
    /// What the database calls it.
    var key: String
  }

  /// Reads from where the database is, over every loss of the connection, until the task is cancelled.
  /// - Parameters:
  ///   - begin: called for each connection, with what the administrator wrote to the desk.
  ///   - take: stores what has come, and the position behind it.
  ///   - failed: called when it cannot be read at the time.
  func read(
    _ reading: Reading, by host: Host,
    begin: (ConsumerNote, StreamPlace, StreamPosition) async throws(JetStreamError) -> Void,
    take: ([StreamMessage], inout StreamPlace, _ stream: String) async throws(JetStreamError) -> Void,
    failed: (JetStreamError) -> Void
  ) async {
    var pause = ReadingLimits.firstPause
    let names = FleetNames.readers(of: reading.consumer)
    var turn = 0
    while !Task.isCancelled {
      do throws(JetStreamError) {
        let (note, sequence) = try await position(of: reading, in: host)
        turn += 1
        let name = names[turn % names.count]
        var place = try await jetStream.place(
          name, of: reading.stream, subjects: reading.subjects, after: sequence)
        let reader = StreamReader(name, of: reading.stream, over: nats, eventLoop: eventLoop)
        defer { reader.stop() }
        reader.start()
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

  /// What the administrator wrote to the desk, and the last message that the database has; 0 for none.
  private func position(
    of reading: Reading, in host: Host
  ) async throws(JetStreamError) -> (note: ConsumerNote, sequence: UInt64) {
    guard let note = try await jetStream.consumer(reading.consumer, of: reading.stream).note else {
      throw JetStreamError(
        code: 0, problem: "consumer '\(reading.consumer)' was not made by 'deskbell fleet add'", isTransient: false)
    }
    do {
      let known = try await host.write { store in try store.positions().first { $0.consumer == reading.key } }
      // A stream that was made anew begins at 1.
      return (note, known?.stream == note.stream ? known?.sequence ?? 0 : 0)
    } catch {
      throw JetStreamError(code: 0, problem: "the position in the stream cannot be read: \(error)", isTransient: true)
    }
  }
}
