// A commit that fails leaves the database and, with its changes undone, the handset as they were; and the next works.

import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class FailureTests: MailTests {
  @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"])
  func `A trigger that raises takes the whole batch back`(how: String) throws {
    try rig.commit(
      .setCondition(.lowPower, true), .setAppSetting(Rig.mail, .style, "alert"), .push(push(1, badge: 4)))
    let lastEvent = try rig.kept().last

    try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON held BEGIN SELECT RAISE(\(how), 'on purpose'); END")
    let error = try rig.failToCommit([
      .push(push(2, badge: 0)), .setHandsetSetting(.vibrateOnRing, "off"), .push(push(3, badge: 7)),
      .push(update(4, payload: [9])), .install(manifest(Rig.chat), token: token(7)),
    ])
    #expect(error?.description == "\(directory)/deskbell.sqlite: on purpose (SQLite error 1811)")
    #expect(try rig.kept().last == lastEvent)

    // Changes that do not touch the fault are stored at once, the rest when it is gone.
    try rig.commit(.push(push(5, badge: 8)), durable: true)
    try sql(directory, "DROP TRIGGER fault")
    try rig.commit(.push(update(6, payload: [9])), durable: true)
    #expect(try rig.reloaded() == rig.handset.stored)
    #expect(rig.handset.apps[Rig.mail]?.state.badge == 8)
    #expect(try rig.store.heldPayload(of: Rig.mail, handset: 1) == [9])
  }

  @Test func `A full disk takes the whole batch back, and says what to do`() throws {
    let pages = try #require(try rig.store.database.integer("PRAGMA page_count"))
    try rig.store.database.execute("PRAGMA max_page_count = \(pages)")
    let large = [UInt8](repeating: 0x61, count: 4096)
    let pushes = (1...64).map { Input.push(push($0, payload: large)) }
    let error = try rig.failToCommit(pushes)
    #expect(
      error?.description == "\(directory)/deskbell.sqlite: database or disk is full (SQLite error 13); "
        + "free space on its file system, or, where it has its 256 MB, clear Notification Center or uninstall apps")
    try rig.store.database.execute("PRAGMA max_page_count = 1000000")
    try rig.store.commit(pushes.map { rig.take($0) }, of: 1, durable: true)
    #expect(try rig.reloaded() == rig.handset.stored)
    #expect(rig.handset.listed().count == 64)
  }

  @Test func `A database that somebody else holds is waited for no longer than the limit`() throws {
    var other: OpaquePointer?
    defer { sqlite3_close(other) }
    try #require(sqlite3_open(directory + "/deskbell.sqlite", &other) == SQLITE_OK)
    try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    let turn = rig.take(.push(push(1)))
    let waited = ContinuousClock().measure {
      let error = #expect(throws: StoreError.self) { try rig.store.commit([turn], of: 1, durable: false) }
      #expect(
        error?.description == "\(directory)/deskbell.sqlite: database is locked (SQLite error 5); "
          + "end the program that has it open")
    }
    #expect(waited >= .milliseconds(200))
    try #require(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    try rig.store.commit([turn], of: 1, durable: false)
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  @Test func `Only a batch that need not be durable does not wait for the disk, also where it fails`() throws {
    let trace = Trace(rig.store.database)
    try rig.commit(.push(push(1)), durable: true)
    #expect(trace.taken() == ["BEGIN IMMEDIATE", "COMMIT"])
    try rig.commit(.push(push(2)), durable: false)
    #expect(
      trace.taken() == ["PRAGMA synchronous = 1", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous = 2"])
    // The connection's own value; the text differs, because SQLite answers this statement when it is prepared.
    #expect(try rig.store.database.integer("PRAGMA synchronous -- after the push") == 2)

    try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON event BEGIN SELECT RAISE(FAIL, 'x'); END")
    let turn = rig.take(.push(push(3)))
    _ = trace.taken()
    #expect(throws: StoreError.self) { try rig.store.commit([turn], of: 1, durable: false) }
    #expect(
      trace.taken() == ["PRAGMA synchronous = 1", "BEGIN IMMEDIATE", "ROLLBACK", "PRAGMA synchronous = 2"])
    #expect(try rig.store.database.integer("PRAGMA synchronous -- after the failure") == 2)
  }

  @Test func `The log on disk shrinks to its limit after a batch that was larger`() throws {
    let large = [UInt8](repeating: 0x61, count: StoreLimits.journalSizeLimit / 400)
    try rig.store.commit(
      (1...400).map { number in rig.take(.push(push(number, payload: large))) }, of: 1, durable: false)
    #expect(try size(directory, "-wal") > StoreLimits.journalSizeLimit)
    try rig.commitAndReload(.push(push(401)))
    #expect(try size(directory, "-wal") == StoreLimits.journalSizeLimit)
  }

  @Test func `Turns that have nothing to store do not touch the database`() throws {
    rig = try Rig.inNewFolder()
    let before = try sql(directory, "PRAGMA data_version")
    try rig.store.database.execute("PRAGMA query_only = 1")
    try rig.store.commit([rig.take(.wake)], of: 1, durable: true)
    try rig.store.commit([], of: 1, durable: true)
    #expect(try sql(directory, "PRAGMA data_version") == before)
  }

  @Test func `What is committed outlives kill -9, and the lock does not`() async throws {
    // The child knows its directory by its parent's number: it is a process of its own and gets no other argument.
    let directory = FileManager.default.temporaryDirectory.path + "/deskbell-killed-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let directory = FileManager.default.temporaryDirectory.path + "/deskbell-killed-\(getppid())"
      var rig = try Rig(directory)
      try rig.installMail()
      try rig.commit(.push(push(1, badge: 2)), durable: true)
      kill(getpid(), SIGKILL)
    }
    let survivor = try Rig(directory).reloaded()
    #expect(survivor.apps[Rig.mail]?.state.badge == 2)
    #expect(survivor.listed().map(\.push) == [pushID(1)])
  }
}

/// The statements of a connection that begin, end or wait.
final class Trace {
  private let connection: SQLiteConnection
  private var statements: [String] = []

  init(_ connection: SQLiteConnection) {
    self.connection = connection
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        guard let context, let text else { return 0 }
        let statement = String(cString: text.assumingMemoryBound(to: CChar.self))
        let trace = Unmanaged<Trace>.fromOpaque(context).takeUnretainedValue()
        if ["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA synchronous"].contains(where: statement.hasPrefix) {
          trace.statements.append(statement)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { sqlite3_trace_v2(connection.handle, 0, nil, nil) }

  func taken() -> [String] {
    defer { statements = [] }
    return statements
  }
}
