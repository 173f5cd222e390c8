// Packs of notifications, which repeat what their rows say: they are there only while they do.

import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class PackTests: MailTests {
  private var chance = SplitMix64(state: 1)

  init() throws {
    try super.init(latePages: StoreLimits.latePages)
    try rig.commit(.install(manifest(Rig.chat), token: token(3)), .register(Rig.chat, .all, token: token(4)))
    try fill()
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  /// Stores notifications of all kinds with numbers up to 599: those of two packs, and newer ones.
  private func fill() throws {
    var contents = rig.handset.contents
    (contents.record.nextNotification, contents.record.nextAlert) = (600, 600)
    var turn = Turn(now: rig.now)
    for number in 1...599 as ClosedRange<UInt64> where number % 10 != 0 {
      let isListed = Bool.random(using: &chance)
      var notification = Notification(
        id: NotificationID(number: number), app: Bool.random(using: &chance) ? Rig.mail : Rig.chat,
        push: PushID(high: chance.next(), low: chance.next(), upperCaseDigits: UInt32(truncatingIfNeeded: number)),
        level: InterruptionLevel.allCases.randomElement(using: &chance)!,
        // Two texts that are equal and have other bytes.
        collapseID: [nil, "é\(number)", "e\u{301}\(number - 1)"][Int(number % 3)], isListed: isListed,
        isSeen: !isListed || Bool.random(using: &chance), alertOrder: number % 4 == 0 ? number : nil,
        hasAction: Bool.random(using: &chance), size: Int.random(in: 0...100_000, using: &chance))
      notification.sound = [
        .none, .system, .named("é"), .named("e\u{301}"), .critical(name: nil, volume: 0.25),
        .critical(name: "é", volume: 1),
      ].randomElement(using: &chance)!
      if notification.isUnseen && number % 7 == 0 {
        notification.repetition = Repetition(
          every: .seconds(60), times: 30, done: 2, since: rig.now.inWholeMicroseconds)
      }
      if number % 11 == 0 { notification.options = NotificationOptions(category: "c\(number % 2)") }
      contents.add(notification)
      let content = NotificationContent(
        arrived: rig.now.wall, appName: "Mail", title: nil, subtitle: nil, body: "Body", actionTitle: nil,
        threadID: nil, payload: [1])
      turn.changes.append(.added(notification, content))
    }
    turn.changes.append(.record(RecordChange(before: rig.handset.record, after: contents.record)))
    rig.handset = Handset(contents)
    try rig.store.commit([turn], of: 1, durable: false)
  }

  /// Returns the numbers of the packs, once all that was committed is in the tables.
  private func packs() throws -> String? {
    try rig.store.completeTables()
    return try sql(directory, "SELECT group_concat(pack - (1 << 32)) FROM notification_pack")
  }

  private func pack() throws { try rig.store.packNotifications(of: rig.handset, 1) }

  /// Changes the rows, so that a handset that is loaded from them differs.
  private func falsifyRows() throws {
    try sql(directory, "UPDATE notification SET size = 100001, push = zeroblob(16), level = 'critical'")
  }

  @Test func `Packs say what the rows say, and are read instead of them`() throws {
    try pack()
    #expect(try packs() == "0,1")
    #expect(try rig.reloaded() == rig.handset.stored)
    try falsifyRows()
    let (found, kept) = (Array(try rig.reloaded().contents.notifications), Array(rig.handset.contents.notifications))
    // The newest have no pack.
    let last = kept.firstIndex { $0.id.number >= 512 } ?? 0
    #expect(found[..<last] == kept[..<last])
    #expect(found[last...].allSatisfy { $0.size == 100_001 })
    // Equal ones may be written in other letters, or with other bytes.
    #expect(found[..<last].map(\.push.description) == kept[..<last].map(\.push.description))
    #expect(
      found.compactMap(\.collapseID).map { Array($0.utf8) } == kept.compactMap(\.collapseID).map { Array($0.utf8) })
    #expect(found[..<last].map { "\($0.sound)".utf8.count } == kept[..<last].map { "\($0.sound)".utf8.count })
  }

  @Test func `A commit that changes a notification removes its pack, also if it is late, and the next end writes it`()
    throws
  {
    try pack()
    let id = try #require(rig.handset.listed().first { $0.id.number > 256 && $0.id.number < 512 }).id
    try rig.commit(.clearNotification(id))
    #expect(!rig.store.late.isEmpty)
    #expect(try rig.reloadedFromCopy() == rig.handset.stored)
    #expect(try packs() == "0")
    #expect(try rig.reloaded() == rig.handset.stored)
    try rig.commit(.push(push(1)))
    try rig.restart()
    #expect(try rig.reloaded() == rig.handset.stored)
    try pack()
    #expect(try packs() == "0,1")
    try rig.commit(.clearCenter)
    #expect(try packs() == nil)
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  @Test func `A pack stays if the commit fails, and the next one removes it`() throws {
    try pack()
    // Only a commit that calls nobody may be late.
    let id = try #require(
      rig.handset.listed().map(\.id).first { id in
        var copy = rig.handset
        let turn = copy.handle(.clearNotification(id), at: rig.now)
        return id.number < 256 && !turn.changes.contains { if case .call = $0 { true } else { false } }
      })
    for table in ["late", "event"] {
      try sql(directory, "CREATE TRIGGER fault BEFORE INSERT ON \(table) BEGIN SELECT RAISE(FAIL, 'x'); END")
      try rig.failToCommit([.clearNotification(id)] + (table == "late" ? [] : [.setCondition(.lowPower, true)]))
      try sql(directory, "DROP TRIGGER fault")
      #expect(try packs() == "0,1")
    }
    try rig.commit(.clearNotification(id))
    #expect(try packs() == "1")
    #expect(try rig.reloaded() == rig.handset.stored)
  }

  @Test func `Of a handset with a row that cannot be read no pack is written, so that the next start reports it too`()
    throws
  {
    let (_, damage) = try rig.load(after: "UPDATE notification SET is_seen = 2 WHERE key = 1 << 40 | 1")
    #expect(damage.count == 1)
    try pack()
    #expect(try packs() == nil)
    try sql(directory, "UPDATE notification SET is_seen = 1, is_listed = 1 WHERE key = 1 << 40 | 1")
    _ = try rig.reloaded()
    try pack()
    #expect(try packs() == "0,1")
  }

  @Test func `The packs of an app that cannot be read are not read, and are removed with its rows`() throws {
    try pack()
    let (contents, damage) = try rig.load(after: "UPDATE app SET strings = '[' WHERE app = 'org.example.mail'")
    #expect(damage.contains { $0.hasPrefix("table 'notification', row 'org.example.mail'") })
    #expect(contents.notifications.allSatisfy { $0.app == Rig.chat })
    rig.handset = Handset(contents)
    try rig.commit(.install(AppManifest(id: Rig.mail, name: "Mail"), token: token(8)))
    #expect(try packs() == nil)
    #expect(try rig.reloaded().listed(of: Rig.mail) == [])
  }

  @Test func `Whatever bytes a pack has, its notifications are read from their rows or from it`() throws {
    try pack()
    let facts = try #require(
      try rig.store.database.first("SELECT facts FROM notification_pack WHERE pack = 1 << 32", []) { $0.bytes(0) })
    for round in 0..<300 {
      var bytes = facts
      if round % 3 == 0 {
        bytes = (0..<Int.random(in: 0...40, using: &chance)).map { _ in UInt8.random(in: 0...12, using: &chance) }
      } else if round % 3 == 1 {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &chance))
      } else {
        for _ in 0...round / 100 {
          bytes[Int.random(in: bytes.indices, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
        }
      }
      try rig.store.database.run("UPDATE notification_pack SET facts = ? WHERE pack = 1 << 32", .blob(bytes))
      let loaded = try rig.reloaded()
      #expect(round % 3 != 1 || loaded == rig.handset.stored)
    }
  }
}
