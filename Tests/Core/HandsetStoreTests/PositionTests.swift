import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class PositionTests: MailTests {
  private func position(_ sequence: UInt64, of consumer: String = "desk") -> StreamPosition {
    StreamPosition(consumer: consumer, stream: "2026-11-23T15:00:00.000000001Z", sequence: sequence)
  }

  @Test func `A position is stored with the turns, or without any, and is there after the next start`() throws {
    #expect(try rig.store.positions() == [])
    try rig.store.commit([], durable: true, positions: [position(0)])
    #expect(try rig.store.positions() == [position(0)])
    // The last position of a consumer counts.
    try rig.store.commit(
      [HandsetTurn(handset: 1, turn: rig.take(.wake))], durable: false,
      positions: [position(7), position(.max, of: "desk/group"), position(8)])
    try rig.store.commit(
      [HandsetTurn(handset: 1, turn: rig.take(.push(push(1, badge: 3))))], durable: true,
      positions: [position(9)])
    try rig.commit(.push(push(2, badge: 4)))
    try rig.restart()
    #expect(try rig.store.positions() == [position(9), position(.max, of: "desk/group")])
    #expect(try rig.reloaded().apps[Rig.mail]?.state.badge == 4)
    var other = position(1)
    other.stream = "made anew"
    try rig.store.commit([], durable: true, positions: [other])
    #expect(try rig.store.positions() == [other, position(.max, of: "desk/group")])
  }

  @Test(arguments: ["held", "stream_position"])
  func `Where the commit fails, turns and position are as before`(table: String) throws {
    try rig.commit(.setCondition(.lowPower, true))
    try rig.store.commit([], durable: true, positions: [position(1)])
    try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON \(table) BEGIN SELECT RAISE(FAIL, 'on purpose'); END")
    try rig.failToCommit([.push(update(2, payload: [9]))], positions: [position(2)])
    #expect(try rig.store.positions() == [position(1)])
    try sql(directory, "DROP TRIGGER fault")
    let again = rig.take(.push(update(2, payload: [9])))
    try rig.store.commit([HandsetTurn(handset: 1, turn: again)], durable: true, positions: [position(2)])
    #expect(try rig.reloaded() == rig.handset.stored)
    #expect(try rig.store.positions() == [position(2)])
  }

  @Test func `A position waits for the disk as its commit does`() throws {
    let trace = Trace(rig.store.database)
    try rig.store.commit([], durable: true, positions: [position(1)])
    #expect(trace.taken() == ["BEGIN IMMEDIATE", "COMMIT"])
  }

  @Test func `A position that cannot be read is no position: the error names it`() throws {
    try rig.store.commit([], durable: true, positions: [position(1)])
    try sql(directory, "UPDATE stream_position SET stream = CAST(x'FF' AS TEXT)")
    let error = #expect(throws: StoreError.self) { try rig.store.positions() }
    #expect(
      error?.description == "table 'stream_position', row 'desk', column 'stream': it is not UTF-8"
        + "; 'deskbell restore FILE' brings back a backup")
  }
}
