import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class JournalTests {
  private var rig: Rig
  private var directory: String { rig.store.directory }

  init() throws { rig = try Rig.inNewFolder() }

  @Test func `Text from outside stays on its line`() throws {
    try rig.commit(
      .refused(RefusedPush(id: nil, topic: nil, status: 400, reason: "a/b", detail: "x\n\"y\"\u{0}\u{2028}é")))
    let line = try #require(try rig.store.events(of: 1, after: 0, limit: 1).first?.line)
    #expect(!line.contains("\n"))
    #expect(line.contains(#""reason":"a/b""#))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["detail"] as? String == "x\n\"y\"\u{0}\u{2028}é")
  }

  @Test func `A reader goes on from the last it has`() throws {
    for _ in 1...5 { try rig.commit(lampReport) }
    func sequences(after: UInt64, limit: Int) throws -> [UInt64] {
      try rig.store.events(of: 1, after: after, limit: limit).map(\.sequence)
    }
    #expect(try sequences(after: 0, limit: 2) == [1, 2])
    #expect(try sequences(after: 2, limit: 2) == [3, 4])
    #expect(try sequences(after: 4, limit: 2) == [5])
    #expect(try sequences(after: 5, limit: 2) == [])
    #expect(try sequences(after: .max, limit: 2) == [])
    #expect(try sequences(after: 0, limit: 0) == [])
    #expect(try sequences(after: 0, limit: -1) == [])
  }

  @Test func `One event past the limit drops the oldest`() throws {
    rig = try Rig.inNewFolder(eventLimit: 10)
    for _ in 1...10 { try rig.commit(lampReport) }
    #expect(try rig.kept() == Array(1...10))
    try rig.commit(lampReport)
    #expect(try rig.kept() == Array(2...11))
    // A batch longer than the journal leaves its own last events.
    try rig.store.commit((1...25).map { _ in rig.take(lampReport) }, of: 1, durable: false)
    #expect(try rig.kept() == Array(27...36))
    #expect(try rig.store.events(of: 1, after: 0, limit: 100).map(\.sequence) == Array(27...36))
  }

  @Test func `Refusals are kept beside the others, and neither displaces the other`() throws {
    rig = try Rig.inNewFolder(eventLimit: 4, refusedEventLimit: 3)
    try rig.commit(lampReport, refused(), lampReport)
    for _ in 1...10 { try rig.commit(refused()) }
    #expect(try rig.kept() == [1, 3, 11, 12, 13])
    try rig.commit(lampReport, refused(), lampReport)
    #expect(try rig.kept() == [1, 3, 12, 13, 14, 15, 16])
    // Also after a restart of the daemon, and in one batch.
    try rig.restart()
    try rig.store.commit((1...6).map { _ in rig.take(lampReport) }, of: 1, durable: true)
    #expect(try rig.kept() == [12, 13, 15, 19, 20, 21, 22])
    #expect(try rig.store.events(of: 1, after: 13, limit: 2).map(\.sequence) == [15, 19])
  }

  @Test func `A provider that is refused without end displaces its own refusals, and of the others none`() throws {
    rig = try Rig.inNewFolder(refusedEventLimit: 30)
    func refusal(_ provider: String?, topic: AppID? = nil) -> Input {
      .refused(
        RefusedPush(
          id: nil, topic: topic, status: 413, reason: "PayloadTooLarge", detail: String(repeating: "x", count: 200),
          provider: provider))
    }
    func kept(_ provider: String?) throws -> Int {
      try rig.store.events(of: 1, after: 0, limit: 1_000).count {
        $0.fields["provider"] == provider.map { .text($0) }
      }
    }
    for _ in 1...5 { try rig.commit(refusal("post")) }
    // Whatever topic it names.
    for _ in 1...100 { try rig.commit(refusal("loud", topic: Rig.chat)) }
    #expect(try kept("post") == 5)
    #expect(try kept("loud") == 25)
    // Also after a restart of the daemon, and beside clients that have not authenticated.
    try rig.restart()
    for _ in 1...100 { try rig.commit(refusal(nil)) }
    #expect(try kept("post") == 5)
    #expect(try kept("loud") == 12)
    #expect(try kept(nil) == 13)
  }

  @Test func `An app that fills the journal displaces its own events, and of the others none`() throws {
    rig = try Rig.inNewFolder(eventLimit: 60)
    try rig.installMail()
    /// Returns the numbers of the events of the app's pushes.
    func kept(_ app: AppID) throws -> [UInt64] {
      let events = try rig.store.events(of: 1, after: 0, limit: 1_000)
      return events.filter { $0.app == app.text && $0.push != nil }.map(\.sequence)
    }
    try rig.commit(.install(manifest(Rig.chat), token: token(3)), .register(Rig.chat, .all, token: token(4)))
    for number in UInt64(1)...5 { try rig.commit(.push(push(number, to: Rig.chat, token: 3))) }
    let quiet = try kept(Rig.chat)
    for number in UInt64(6)...100 { try rig.commit(.push(push(number))) }
    #expect(try kept(Rig.chat) == quiet)
    // Also after a restart of the daemon, after a batch that could not be stored, and in one batch.
    try rig.restart()
    try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON notification BEGIN SELECT RAISE(FAIL, 'x'); END")
    try rig.failToCommit((101...140).map { Input.push(push($0)) })
    try sql(directory, "DROP TRIGGER fault")
    for number in UInt64(101)...140 { try rig.commit(.push(push(number))) }
    try rig.store.commit((UInt64(141)...180).map { rig.take(.push(push($0))) }, of: 1, durable: true)
    #expect(try kept(Rig.chat) == quiet)
    let all = try rig.kept()
    #expect(all.count <= 60)
    #expect(all.count > 50)
    #expect(all.last == rig.handset.record.nextEvent - 1)
    // An app within its share loses nothing; the app that has most loses its oldest events.
    let busy = try kept(Rig.mail)
    #expect(busy == busy.sorted())
    #expect(busy.last == all.last)
  }

  @Test func `A turn of more events than a record takes is several records`() throws {
    try rig.installMail()
    let faults = (0...StoreLimits.eventsPerRecord).map { PayloadFault(path: "aps.\($0)", problem: "odd") }
    var push = push(1)
    push.faults = faults
    let first = rig.handset.record.nextEvent
    try rig.commit(.push(push))
    let records = try sql(
      directory,
      """
      SELECT group_concat(events) FROM (SELECT events FROM event WHERE sequence >= \(first) ORDER BY sequence)
      """)
    #expect(records == "\(StoreLimits.eventsPerRecord),3")
    let events = try rig.store.events(of: 1, after: first - 1, limit: 1_000)
    #expect(events.map(\.sequence) == Array(first..<first + UInt64(StoreLimits.eventsPerRecord) + 3))
    #expect(events.filter { $0.event == "ignored" }.count == faults.count)
    // A reader may stop and continue within a record.
    #expect(try rig.store.events(of: 1, after: first + 9, limit: 3).map(\.sequence) == Array(first + 10...first + 12))
  }

  @Test func `Turns of one commit share a record, up to its size, if their events take the same share`() throws {
    try rig.installMail()
    let first = rig.handset.record.nextEvent
    let inputs = [lampReport, lampReport, .push(push(1)), .push(push(2)), refused(), lampReport]
    try rig.store.commit(inputs.map { rig.take($0) }, of: 1, durable: false)
    func records(from first: UInt64, in table: String) throws -> String? {
      try sql(
        directory,
        """
        SELECT group_concat((sequence - \(first)) || ' ' || events)
        FROM (SELECT sequence, events FROM \(table) WHERE sequence >= \(first) ORDER BY sequence)
        """)
    }
    #expect(try records(from: first, in: "event") == "0 2,2 4,7 1")
    #expect(try records(from: first, in: "refused_event") == "6 1")
    #expect(
      try rig.store.events(of: 1, after: first - 1, limit: 9).map(\.event) == [
        "lamp", "lamp", "accepted", "presented", "accepted", "presented", "refused", "lamp",
      ])
    func commit(_ count: Int, _ input: Input) throws -> UInt64 {
      let next = rig.handset.record.nextEvent
      try rig.store.commit((1...count).map { _ in rig.take(input) }, of: 1, durable: false)
      return next
    }
    #expect(try records(from: commit(70, lampReport), in: "event") == "0 64,64 6")
    let long = DriverReport.Kind.deviceLost(problem: String(repeating: "x", count: 200))
    #expect(try records(from: commit(5, .report(DriverReport(long, uptime: .zero))), in: "event") == "0 3,3 2")
    #expect(try rig.kept() == Array(1..<rig.handset.record.nextEvent))
  }

  @Test func `Refusals and other events of one turn are kept apart, and read in order`() throws {
    try rig.installMail()
    var expiring = lasting(push(1))
    expiring.expiration = .at(rig.now.wall.advanced(by: .seconds(1)))
    try rig.commit(.setCondition(.offline, true), .push(expiring))
    rig.uptime += .seconds(5)
    let first = rig.handset.record.nextEvent
    try rig.commit(refused())
    #expect(try rig.store.events(of: 1, after: first - 1, limit: 9).map(\.event) == ["discarded", "refused"])
    #expect(try sql(directory, "SELECT count(*) FROM event WHERE sequence = \(first)") == "1")
    #expect(try sql(directory, "SELECT count(*) FROM refused_event WHERE sequence = \(first + 1)") == "1")
  }

  @Test func `The journal is searched page by page, whatever numbers are gone`() throws {
    rig = try Rig.inNewFolder(eventLimit: 2)
    func last(after sequence: UInt64, within limit: Int) throws -> UInt64? {
      try rig.store.events(of: 1, naming: pushID(1), after: sequence, limit: limit)?.last
    }
    #expect(try last(after: 0, within: 9) == nil)
    for number in 1...3 {
      let id = try #require(PushID("abcdef00-0000-4000-8000-00000000000\(number)"))
      try rig.commit(refused(id))
      for _ in 1...9 { try rig.commit(lampReport) }
    }
    #expect(try rig.kept() == [1, 11, 21, 29, 30])
    #expect(try last(after: 0, within: 2) == 11)
    #expect(try last(after: 11, within: 2) == 29)
    #expect(try last(after: 29, within: 2) == 30)
    #expect(try last(after: 30, within: 2) == nil)
  }

  @Test func `What the rules came to is kept with the event, across a restart, and goes with it`() throws {
    rig = try Rig.inNewFolder(eventLimit: 10)
    try rig.installMail()
    let turn = rig.take(.push(push(7, badge: 1)))
    try rig.store.commit([turn], of: 1, durable: true)
    try rig.restart()
    let accepted = try #require(turn.events.first { $0.name == "accepted" }).sequence
    let stored = try #require(turn.rulings.first?.rulings.map(\.code))
    #expect(stored.prefix(4) == ["R4.good", "F1.online", "R1.registered", "U2.person"])
    func found() throws -> [[String]] {
      try rig.store.events(of: 1, naming: push(7).id, after: 0, limit: 1_000)?.found
        .filter { $0.report.sequence == accepted }.map(\.rulings) ?? []
    }
    #expect(try found() == [stored])
    for number in 8...17 as ClosedRange<UInt64> { try rig.commit(.push(push(number))) }
    #expect(try found() == [])
  }

  @Test func `The events of a push are found by its identifier, however it is spelt, and no others`() throws {
    let id = try #require(PushID("ABCDEF00-0000-4000-8000-00000000000A"))
    let other = try #require(PushID("abcdef00-0000-4000-8000-00000000000b"))
    func refuse(_ push: PushID, _ detail: String) throws {
      try rig.commit(refused(push, detail))
    }
    try refuse(id, "one")
    // Its name within a text from outside does not count.
    try refuse(other, #"x","push":"abcdef00-0000-4000-8000-00000000000a","y"#)
    try refuse(try #require(PushID(id.description.lowercased())), "two")
    func found(_ id: PushID, of handset: HandsetID = 1, after sequence: UInt64, limit: Int) throws -> [UInt64]? {
      try rig.store.events(of: handset, naming: id, after: sequence, limit: limit)?.found.map(\.report.sequence)
    }
    #expect(try found(id, after: 0, limit: 9) == [1, 3])
    #expect(try found(id, after: 1, limit: 8) == [3])
    #expect(try found(id, after: 0, limit: 2) == [1])
    #expect(try found(other, after: 0, limit: 9) == [2])
    #expect(try found(id, of: 2, after: 0, limit: 9) == nil)
  }

  @Test func `A push costs SQLite the same steps with little and with much stored`() throws {
    rig = try Rig.inNewFolder(eventLimit: 20)
    try rig.installMail()
    func steps(_ number: UInt64) throws -> Int {
      let before = work(of: rig.store.database, SQLITE_STMTSTATUS_VM_STEP)
      try rig.commit(.push(named(push(number, badge: Int(number)))))
      return work(of: rig.store.database, SQLITE_STMTSTATUS_VM_STEP) - before
    }
    for number in 1...10 { try rig.commit(.push(named(push(UInt64(number), badge: 1)))) }
    let few = try steps(11)
    try rig.store.commit(
      (12...900).map { number in rig.take(.push(named(push(number, badge: 1)))) }, of: 1, durable: false)
    #expect(try steps(901) == few)
    #expect(few > 0)
    #expect(work(of: rig.store.database, SQLITE_STMTSTATUS_FULLSCAN_STEP) == 0)
  }
}

/// Returns the work of all statements of the connection since they were prepared.
/// - Parameter counter: one of SQLite's `SQLITE_STMTSTATUS_…`.
private func work(of database: SQLiteConnection, _ counter: Int32) -> Int {
  database.statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1.handle, counter, 0)) }
}
