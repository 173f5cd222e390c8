import HandsetCore
import Testing

@testable import HandsetStore

@Suite struct StoredHandsetTests {
  private let place = Place()
  private var directory: String { place.path }

  private func device(_ number: UInt8) -> DeviceID { DeviceID(bytes: [UInt8](repeating: number, count: 20))! }

  /// Opens the store with those handsets; each new one takes the next device ID.
  private func handsets(_ names: [String], devices: inout UInt8) throws -> ([String], [String]) {
    let store = try HandsetStore(directory: directory)
    let (listed, others) = try store.handsets(named: names) {
      devices += 1
      return device(devices)
    }
    for handset in listed + others { #expect(handset.device == device(UInt8(handset.id.number))) }
    return (listed.map { "\($0.id) \($0.name)" }, others.map { "\($0.id) \($0.name)" })
  }

  @Test func `Names find their handsets again; a new name takes over a number, or gets the next one`() throws {
    var devices: UInt8 = 0
    for (names, listed, others) in [
      (["1"], ["1 1"], []),
      (["1", "2", "3"], ["1 1", "2 2", "3 3"], []),
      // Handset 2 has a number for its name and is not listed; 1 and 3 are listed.
      (["3", "hall", "1"], ["3 3", "2 hall", "1 1"], []),
      (["hall"], ["2 hall"], ["1 1", "3 3"]),
      (["kitchen", "hall"], ["1 kitchen", "2 hall"], ["3 3"]),
      // A name that was chosen belongs to one handset, and no number is given out twice.
      (["a", "b", "c"], ["3 a", "4 b", "5 c"], ["1 kitchen", "2 hall"]),
      (["hall", "1"], ["2 hall", "6 1"], ["1 kitchen", "3 a", "4 b", "5 c"]),
    ] as [([String], [String], [String])] {
      let found = try handsets(names, devices: &devices)
      #expect(found == (listed, others))
    }
  }

  @Test(arguments: [Int64.max, 1 << 23, 0, -1])
  func `A number that no handset has is reported, and no other follows it`(number: Int64) throws {
    var devices: UInt8 = 0
    _ = try handsets(["hall"], devices: &devices)
    try sql(directory, "UPDATE device SET handset = \(number)")
    let damage = StoreDamage(
      table: "device", key: "\(number)", column: "handset", problem: "it is no handset's number")
    #expect(throws: StoreError.damaged(damage)) {
      try HandsetStore(directory: directory).handsets(named: ["hall", "kitchen"]) { device(9) }
    }
  }

  @Test func `One commit stores the turns of many handsets, or of none`() throws {
    // Rows are written at once, so that a trigger makes them fail.
    let store = try HandsetStore(directory: directory, eventLimit: Policy.eventLimit, latePages: 0)
    var rigs = (1...3).map { Rig(store, handset: HandsetID($0)) }
    for index in rigs.indices { try rigs[index].installMail() }
    // The same apps, tokens, pushes and numbers on each.
    func turns(_ number: UInt64) -> [HandsetTurn] {
      rigs.indices.map { HandsetTurn(handset: rigs[$0].number, turn: rigs[$0].take(.push(push(number, badge: 3)))) }
    }
    try store.commit(turns(1) + turns(2), durable: true)
    for rig in rigs {
      #expect(try rig.reloaded() == rig.handset.stored)
      #expect(try rig.kept() == Array(1..<rig.handset.record.nextEvent))
    }
    try sql(
      directory,
      "CREATE TRIGGER fault BEFORE INSERT ON event WHEN NEW.handset = 3 BEGIN SELECT RAISE(FAIL, 'x'); END")
    let before = rigs.map(\.handset)
    let failing = turns(3)
    #expect(throws: StoreError.self) { try store.commit(failing, durable: true) }
    for index in rigs.indices {
      rigs[index].handset.undo(failing[index].turn.changes)
      #expect(rigs[index].handset == before[index])
      #expect(try rigs[index].reloaded() == before[index].stored)
    }
  }

  @Test func `After a power cut no event number is used twice, and after an orderly end none is left out`() throws {
    func next(_ rig: Rig, afterBoot: Bool) throws -> UInt64 {
      try rig.store.load(handset: rig.number, afterBoot: afterBoot).contents.record.nextEvent
    }
    var rig = try Rig(directory)
    try rig.commit(.push(push(1)), durable: true)
    let durable = rig.handset.record.nextEvent
    let trace = Trace(rig.store.database)
    // Commits with reserved numbers do not wait for the disk.
    for _ in 1...StoreLimits.reservedEvents { try rig.commit(lampReport) }
    #expect(trace.taken().count { $0 == "PRAGMA synchronous = 1" } == Int(StoreLimits.reservedEvents))
    let reserved = durable + StoreLimits.reservedEvents
    #expect(rig.handset.record.nextEvent == reserved)
    // If all of them were lost, the next start would continue after them.
    try sql(directory, "UPDATE handset SET next_event = \(durable); DELETE FROM event WHERE sequence >= \(durable)")
    #expect(try next(rig, afterBoot: false) == durable)
    #expect(try next(rig, afterBoot: true) == reserved)
    // One more commit is durable, and reserves the next ones.
    _ = trace.taken()
    try rig.commit(lampReport)
    #expect(trace.taken() == ["BEGIN IMMEDIATE", "COMMIT"])
    #expect(try next(rig, afterBoot: true) == reserved + 1 + StoreLimits.reservedEvents)
    try rig.store.releaseReservedEvents()
    #expect(try next(rig, afterBoot: true) == reserved + 1)
    try rig.commit(lampReport)
    #expect(trace.taken().suffix(2) == ["BEGIN IMMEDIATE", "COMMIT"])
  }
}
