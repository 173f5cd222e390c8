import FleetLink
import FleetMember
import HandsetStore
import Host
import NATSClient
import NIOCore

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
        var place = try await jetStream.place(
          name, of: reading.stream, subjects: reading.subjects, after: sequence)
        let reader = StreamReader(name, of: reading.stream, over: nats)
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
