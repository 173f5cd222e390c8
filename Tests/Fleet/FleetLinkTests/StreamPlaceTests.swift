import NATSClient
import Testing

@testable import FleetLink

@Suite struct StreamPlaceTests {
  private func message(_ sequence: UInt64, delivery: UInt64, pending: UInt64) throws -> StreamMessage {
    try #require(
      StreamMessage(
        NATSMessage(subject: "s", reply: "$JS.ACK.BELL_PUSH.a_1.1.\(sequence).\(delivery).0.\(pending)")))
  }

  @Test func whatWaitedIsCounted() throws {
    var place = StreamPlace(sequence: 10, backlog: 2)
    #expect(try place.take(message(12, delivery: 1, pending: 1)) == (isBacklog: true, endsBacklog: false))
    #expect(try place.take(message(13, delivery: 2, pending: 4)) == (isBacklog: true, endsBacklog: true))
    #expect(try place.take(message(20, delivery: 3, pending: 3)) == (isBacklog: false, endsBacklog: false))
    #expect(place.sequence == 20)
  }

  /// Some of the three messages expired before they arrived.
  @Test func whatWillNotComeIsNotWaitedFor() throws {
    var place = StreamPlace(sequence: 0, backlog: 3)
    #expect(try place.take(message(3, delivery: 1, pending: 0)) == (isBacklog: true, endsBacklog: true))
  }

  @Test func aGapIsNoticed() throws {
    var place = StreamPlace(sequence: 10, backlog: 0)
    #expect(throws: NATSError.self) { try place.take(message(12, delivery: 2, pending: 0)) }
    #expect(throws: NATSError.self) { try place.take(message(10, delivery: 1, pending: 0)) }
    #expect(place.sequence == 10)
    #expect(try place.take(message(11, delivery: 1, pending: 0)) == (isBacklog: false, endsBacklog: false))
  }
}
