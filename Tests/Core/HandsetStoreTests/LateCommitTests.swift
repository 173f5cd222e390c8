// Small commits, whose rows are written into their tables later: nothing of them may be lost or stored twice.

import CSQLite
import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class LateCommitTests: MailTests {
  init() throws { try super.init(latePages: StoreLimits.latePages) }

  /// Returns the number of notifications in the table, without those of late commits.
  private func rows() throws -> Int { try #require(Int(sql(directory, "SELECT count(*) FROM notification") ?? "")) }

  @Test func `A push that comes alone writes one page, and a part of its rows' pages`() throws {
    func frames() throws -> Int { try max(0, size(directory, "-wal") - 32) / (24 + 4_096) }
    // The first ones make the pages.
    for number in 1...300 as ClosedRange<UInt64> { try rig.commit(.push(push(number, badge: 1)), durable: true) }
    var counts: [Int] = []
    for number in 301...600 as ClosedRange<UInt64> {
      try rig.store.database.emptyLog()
      try rig.commit(.push(push(number, badge: Int(number))), durable: true)
      counts.append(try frames())
    }
    #expect(counts.count { $0 == 1 } > 280)
    // 8 KB a push, with the rest for checkpoints.
    #expect(Double(counts.reduce(0, +)) / 300 < 8_000 / 4_120)
    #expect(try rig.reloadedFromCopy() == rig.handset.stored)
  }

  @Test func `After kill -9 everything that was committed is there, events and duplicates too`() throws {
    let installed = rig.handset.record.nextEvent - 1
    for number in 1...9 as ClosedRange<UInt64> {
      try rig.commit(.push(push(number, badge: Int(number))), durable: true)
    }
    try rig.commit(refused(), lampReport)
    #expect(try rows() == 0)
    try withCopy(of: directory, log: true) { copy in
      let other = try Rig(copy, latePages: StoreLimits.latePages)
      #expect(try other.reloaded() == rig.handset.stored)
      let events = try other.store.events(of: 1, after: installed, limit: 1_000)
      #expect(events.map(\.sequence) == Array(installed + 1..<rig.handset.record.nextEvent))
      // A second kill -9 finds the tables complete, and does not write them twice.
      #expect(try other.reloadedFromCopy() == rig.handset.stored)
    }
    try rig.restart()
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  @Test func `Readers find the rows; the next commits of one that goes on reading are not late`() throws {
    try rig.commit(.push(push(1)))
    let id = try #require(rig.handset.listed().first?.id)
    #expect(try rig.store.content(of: id, handset: 1)?.body == "Hello")
    #expect(try rows() == 1)
    for number in 1...StoreLimits.directCommits {
      try rig.commit(.push(push(1 + UInt64(number))))
      #expect(try rows() == 1 + number)
    }
    let last = rig.handset.record.nextEvent
    try rig.commit(.push(push(100)))
    #expect(try rows() == 1 + StoreLimits.directCommits)
    #expect(try rig.store.eventCount(of: 1) == Int(rig.handset.record.nextEvent) - 1)
    #expect(try rows() == 1 + StoreLimits.directCommits)
    #expect(try rig.store.events(of: 1, after: last - 1, limit: 1).first?.sequence == last)
    #expect(try rows() == 2 + StoreLimits.directCommits)
  }

  @Test func `What cannot be written into its table, as on a full disk, can be read`() throws {
    try rig.commit(.push(push(1)))
    let last = rig.handset.record.nextEvent - 1
    sqlite3_commit_hook(rig.store.database.handle, { _ in 1 }, nil)
    let id = try #require(rig.handset.listed().first?.id)
    #expect(try rig.store.content(of: id, handset: 1)?.body == "Hello")
    #expect(try rig.kept() == Array(1...last))
    #expect(throws: StoreError.self) { try rig.store.emptyLog() }
    #expect(try rows() == 0)
    sqlite3_commit_hook(rig.store.database.handle, nil, nil)
    #expect(try rig.kept() == Array(1...last))
    #expect(try rows() == 1)
  }

  @Test func `After a sync that failed rows can be read, also while the log cannot be written again`() throws {
    try rig.commit(.push(push(1)))
    let id = try #require(rig.handset.listed().first?.id)
    let log = "\(directory)/deskbell.sqlite-wal"
    try FileManager.default.moveItem(atPath: log, toPath: "\(log)-away")
    // No regular file: it is not opened.
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "\(log)-away")
    rig.store.database.hasLostSync = true
    #expect(try rig.store.content(of: id, handset: 1)?.body == "Hello")
    #expect(throws: StoreError.self) { try rig.store.completeTables() }
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.moveItem(atPath: "\(log)-away", toPath: log)
    #expect(try rows() == 0)
    #expect(try rig.store.content(of: id, handset: 1)?.body == "Hello")
    #expect(try rows() == 1)
  }

  @Test func `Rows are written when their pages are full, with a larger commit, while idle, and at the end`() throws {
    var number: UInt64 = 0
    func pushOne(bytes: Int = 0) throws {
      number += 1
      try rig.commit(.push(push(number, payload: [UInt8](repeating: 0x61, count: bytes))))
      #expect(try rig.reloadedFromCopy() == rig.handset.stored)
    }
    for _ in 1...StoreLimits.latePages { try pushOne(bytes: 3_000) }
    #expect(try rows() == 0)
    try pushOne(bytes: 3_000)
    #expect(try rows() == Int(number) - 1)
    // Its statements do not fit into a page.
    try pushOne(bytes: 5_000)
    #expect(try rows() == Int(number))
    try pushOne()
    try rig.commit(.setAppSetting(Rig.mail, .style, "alert"))
    #expect(try rows() == Int(number))
    for _ in 0...StoreLimits.latePages / 2 { try pushOne(bytes: 3_000) }
    #expect(try rows() < Int(number))
    #expect(try !rig.store.giveBack())
    #expect(try rows() == Int(number))
    try pushOne()
    try rig.store.releaseReservedEvents()
    try rig.store.emptyLog()
    #expect(try rows() == Int(number))
    let copied = try withCopy(of: directory, log: false) { try Rig($0).reloaded() }
    #expect(copied == rig.handset.stored)
  }

  @Test func `A commit that fails changes nothing, whether it is late or not`() throws {
    try rig.commit(.push(push(1, badge: 1)))
    for table in ["late", "event"] {
      try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON \(table) BEGIN SELECT RAISE(FAIL, 'x'); END")
      let before = rig.handset
      // The second is not small, and would write the one before it.
      let input = table == "late" ? Input.push(push(2, badge: 2)) : .setAppSetting(Rig.mail, .style, "alert")
      let turn = rig.take(input)
      #expect(throws: StoreError.self) { try rig.store.commit([turn], of: 1, durable: true) }
      rig.handset.undo(turn.changes)
      #expect(rig.handset == before)
      try sql(directory, "DROP TRIGGER fault")
      #expect(try rig.reloadedFromCopy() == rig.handset.stored)
      #expect(try rows() == 0)
    }
    try rig.commit(.push(push(3, badge: 3)), .setAppSetting(Rig.mail, .style, "alert"))
    try rig.commit(.push(push(4)))
    #expect(try rig.reloadedFromCopy() == rig.handset.stored)
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  /// Statements of an unknown number, that end too early, with a value of an unknown kind, a length without end or
  /// beyond the end, and a text that is not UTF-8.
  @Test(arguments: [
    "63", "01", "0104", "010105", "010104FFFFFFFFFFFFFFFFFF01", "01010402AA", "01010301FF", "0101020000",
    "0101018080808080808080808080",
  ])
  func `Late commits that cannot be read are damage`(bytes: String) throws {
    try rig.commit(.push(push(1)))
    try sql(directory, "UPDATE late SET statements = x'\(bytes)'")
    let error = #expect(throws: StoreError.self) { try rig.restart() }
    #expect(error?.description.hasPrefix("table 'late', row '1', column 'statements': statement ") == true)
    #expect(error?.isDamage == true)
  }

  @Test func `No bytes stop the program`() throws {
    var chance = SplitMix64(state: 1)
    for _ in 1...2_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &chance)).map { _ in UInt8.random(in: 0...12, using: &chance) }
      try? rig.store.database.run(statements: bytes, ofPage: 1)
    }
  }

  /// The first, 0.7.3, has no late commits.
  @Test(arguments: 1..<Schema.migrations.count) func `A database of an older version is copied and gets the new tables`(
    steps: Int
  ) throws {
    try rig.commit(.push(push(1, badge: 4)))
    try rig.restart()
    // Not from the rig, which is being changed.
    let directory = directory
    let file = directory + "/deskbell.sqlite"
    try rig.restart {
      try downgrade(directory, to: steps)
      #expect(try DatabaseCopy(of: file, at: file + "-copy").notificationCount() == 1)
    }
    #expect(try sql(directory, "SELECT count(*) FROM migration") == "\(Schema.migrations.count)")
    #expect(try rig.reloaded() == rig.handset.stored)
    try rig.commit(.push(push(2, badge: 5)))
    #expect(try rows() == 1)
    #expect(try rig.reloadedFromCopy() == rig.handset.stored)
    // A copy beside a running daemon is complete.
    #expect(try DatabaseCopy(of: file, at: file + "-second").notificationCount() == 2)
  }
}
