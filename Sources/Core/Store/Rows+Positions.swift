// The stored position of each consumer of a stream. The commit that stores the turns of a stream's messages stores the
// position too, so that after a crash no message is taken twice and none is left out.

import HandsetCore

/// The position up to which the messages of a stream are stored.
public struct StreamPosition: Hashable, Sendable {
  /// The consumer that it belongs to: `desk`, or `desk/group`.
  public var consumer: String
  /// The creation time of the stream: a stream that is made again numbers its messages from the start.
  public var stream: String
  /// The last message that is stored.
  public var sequence: UInt64

  public init(consumer: String, stream: String, sequence: UInt64) {
    self.consumer = consumer
    self.stream = stream
    self.sequence = sequence
  }
}

extension HandsetStore {
  /// Returns the positions of all consumers, by their names.
  /// - Throws: `StoreError.damaged` if one cannot be read: without it, messages would be taken twice.
  public func positions() throws(StoreError) -> [StreamPosition] {
    let statement = try database.query("SELECT consumer, stream, sequence FROM stream_position ORDER BY consumer")
    defer { statement.reset() }
    var positions: [StreamPosition] = []
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "stream_position")
      do throws(StoreDamage) {
        positions.append(
          StreamPosition(consumer: try row.text(0), stream: try row.text(1), sequence: try row.bits(2)))
      } catch {
        throw .damaged(error)
      }
    }
    return positions
  }

  func writePosition(_ position: StreamPosition) throws(StoreError) {
    try database.run(
      "REPLACE INTO stream_position (consumer, stream, sequence) VALUES (?, ?, ?)", .text(position.consumer),
      .text(position.stream), .bits(position.sequence))
  }
}
