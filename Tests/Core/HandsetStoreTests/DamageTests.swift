// A row that cannot be read is left out, by name, with its dependents; the handset's own record fails the start.

import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class DamageTests: MailTests {
  /// Adds another app, and a notification and a held update of each.
  init() throws {
    try super.init()
    try rig.commit(
      .install(manifest(Rig.chat), token: token(2)), .register(Rig.chat, .all, token: token(3)),
      .setCondition(.lowPower, true), .setAppSetting(Rig.mail, .style, "alert"),
      .setHandsetSetting(.vibrateOnRing, "off"),
      .push(push(1)), .push(push(2, to: Rig.chat, token: 2)),
      .push(update(3, payload: [1])), .push(update(4, to: Rig.chat, token: 2, payload: [2])))
  }

  @Test(arguments: [
    ("level = 'loud'", "level", "'loud' is not an interruption level"),
    ("push = 'nonsense'", "push", "it is not a blob"),
    ("push = x'0102'", "push", "it is not a push's identifier"),
    ("is_seen = 2", "is_seen", "it is 2, neither 0 nor 1"),
    ("app = '-'", "app", "'-' is not an app's identifier"),
    ("alert_order = -1", "alert_order", "it is negative: -1"),
    ("alert_order = 99", "alert_order", "its number was never given out: the next is 2"),
    ("is_listed = 0, is_seen = 0", "is_seen", "it is unseen, and not listed where it could be seen"),
    ("size = 9223372036854775807", "size", "it is 9223372036854775807, more than all may have"),
    ("collapse_id = CAST(x'FF' AS TEXT)", "collapse_id", "it is not UTF-8"),
    ("key = 1 << 40 | 3", "number", "its number was never given out: the next is 3"),
  ])
  func `A notification that cannot be read is left out`(change: String, column: String, problem: String) throws {
    let (contents, damage) = try rig.load(after: "UPDATE notification SET \(change) WHERE key = 1 << 40 | 1")
    let row = column == "number" ? 3 : 1
    #expect(damage == ["table 'notification', row '\(row)', column '\(column)': \(problem)"])
    #expect(contents.notifications.map(\.app) == [Rig.chat])
    #expect(contents.apps.count == 2)
    #expect(contents.held.count == 2)
  }

  @Test(arguments: [
    ("UPDATE app_state SET badge = -1", "badge", "it is negative: -1"),
    ("UPDATE app_state SET lifecycle = 'asleep'", "lifecycle", "'asleep' is not a lifecycle"),
    ("UPDATE app_state SET registration = 'perhaps'", "registration", "'perhaps' is not a registration"),
    ("UPDATE app_state SET kinds = 'badge smell'", "kinds", "'badge smell' is not a list of kinds"),
    ("UPDATE app_state SET token = x''", "token", "it is no device token"),
    ("UPDATE app SET lamp_pattern = 'disco'", "lamp_pattern", "'disco' is not a lamp pattern"),
    ("UPDATE app SET strings = '['", "strings", "'[' is not strings in JSON"),
    ("DELETE FROM app_state", "token", "it is not a blob"),
  ])
  func `An app that cannot be read takes what hangs on it along, and none of it comes back with a new one`(
    script: String, column: String, problem: String
  ) throws {
    let (contents, damage) = try rig.load(after: "\(script) WHERE app = 'org.example.mail'")
    #expect(damage.first == "table 'app', row 'org.example.mail', column '\(column)': \(problem)")
    let orphans = ["held", "notification", "token"].map { table in
      "table '\(table)', row 'org.example.mail', column 'app': the app is not there, and 1 of its rows is left out"
    }
    #expect(Array(damage.dropFirst()) == orphans)
    #expect(contents.apps.map(\.id) == [Rig.chat])
    #expect(contents.tokens == [token(2): TokenRecord(app: Rig.chat)])
    #expect(Array(contents.held.keys) == [Rig.chat])
    var handset = Handset(contents)
    _ = handset.handle(.start(.daemon), at: rig.now)
    #expect(handset.brokenInvariants() == [])

    // Looking has deleted nothing.
    #expect(try sql(directory, "SELECT count(*) FROM notification") == "2")

    rig.handset = Handset(contents)
    let again = try rig.commitAndReload(.install(AppManifest(id: Rig.mail, name: "Mail"), token: token(8)))
    #expect(again.apps[Rig.mail]?.state == AppState(token: token(8)))
  }

  @Test func `A setting that cannot be read stands at its default`() throws {
    let (contents, damage) = try rig.load(
      after: """
        UPDATE app_setting SET value = 'shouting'; UPDATE handset_setting SET value = 'maybe';
        INSERT INTO handset_setting VALUES (1, 'colour', 'red')
        """)
    #expect(
      damage == [
        "table 'handset_setting', row 'colour', column 'key': 'colour' is not a setting",
        "table 'handset_setting', row 'vibrate-on-ring', column 'value': "
          + "setting 'vibrate-on-ring' cannot be 'maybe': expected on, off",
        "table 'app_setting', row 'org.example.mail style', column 'value': "
          + "setting 'style' cannot be 'shouting': expected none, banner, alert",
      ])
    #expect(contents.record.settings == HandsetSettings())
    #expect(contents.apps.first { $0.id == Rig.mail }?.state.settings == AppSettings())
  }

  /// Returns the broken invariants once the handset has started and gone tokens were forgotten.
  private func brokenAfterAMonth(_ contents: Handset.Contents) -> [String] {
    var handset = Handset(contents)
    _ = handset.handle(.start(.daemon), at: Moment(uptime: .seconds(1), wall: WallTime(seconds: 2_000_000_000)))
    return handset.brokenInvariants()
  }

  /// The row of an installed app's token must agree with its app: a token of another app, or one that is gone since
  /// another time, would be forgotten, and the app would receive no pushes.
  @Test(arguments: [
    ("app = 'org.example.other', gone_since = 1", "app", "it is the token of 'org.example.mail'"),
    ("app = 'org.example.other'", "app", "it is the token of 'org.example.mail'"),
    ("app = 'org.example.chat', gone_since = 1", "app", "it is the token of 'org.example.mail'"),
    ("gone_since = 1", "gone_since", "it is not since when 'org.example.mail' is unregistered"),
    ("token = x'0102030405'", "token", "it is not the token of 'org.example.mail'"),
  ])
  func `A token of which its row says something else than its app is made again from the app`(
    _ change: String, _ column: String, _ problem: String
  ) throws {
    let own = try #require(rig.handset.apps[Rig.mail]?.state.token)
    let row = column == "token" ? "01020304" : own.hex.prefix(8)
    let (contents, damage) = try rig.load(after: "UPDATE token SET \(change) WHERE app = 'org.example.mail'")
    #expect(
      damage == [
        "table 'token', row '\(row)…', column '\(column)': \(problem)",
        "table 'token', row 'org.example.mail', column 'token': the row is lost; made again from the app's",
      ])
    #expect(Handset(contents) == rig.handset.stored)
    #expect(brokenAfterAMonth(contents) == [])
  }

  @Test(arguments: ["DELETE FROM token", "UPDATE token SET gone_since = NULL", "UPDATE token SET gone_since = 1"])
  func `The token of an app that is unregistered is gone since then, whatever its row says`(_ change: String) throws {
    try rig.commit(.unregister(Rig.mail))
    let (contents, damage) = try rig.load(after: "\(change) WHERE app = 'org.example.mail'")
    #expect(
      damage.last
        == "table 'token', row 'org.example.mail', column 'token': the row is lost; made again from the app's")
    #expect(damage.count == (change.hasPrefix("DELETE") ? 1 : 2))
    #expect(Handset(contents) == rig.handset.stored)
    #expect(brokenAfterAMonth(contents) == [])
  }

  @Test func `Of two apps with one token the second is left out`() throws {
    let (contents, damage) = try rig.load(
      after: """
        UPDATE app_state SET token = (SELECT token FROM app_state WHERE app = 'org.example.chat')
        WHERE app = 'org.example.mail'
        """)
    #expect(
      damage.first == "table 'app', row 'org.example.mail', column 'token': it is the token of 'org.example.chat'")
    #expect(contents.apps.map(\.id) == [Rig.chat])
    #expect(brokenAfterAMonth(contents) == [])
  }

  @Test func `A held update that cannot be read is left out`() throws {
    let (contents, damage) = try rig.load(after: "UPDATE held SET push = 'x' WHERE app = 'org.example.chat'")
    #expect(damage == ["table 'held', row 'org.example.chat', column 'push': 'x' is not a push's identifier"])
    #expect(Array(contents.held.keys) == [Rig.mail])
  }

  @Test(arguments: [
    ("UPDATE handset SET next_event = -3", "next_event", "it is negative: -3"),
    ("DELETE FROM handset", "handset", "the row is lost"),
  ])
  func `Without its record the handset does not start`(script: String, column: String, problem: String) throws {
    let error = #expect(throws: StoreError.self) { try rig.load(after: script) }
    #expect(
      error?.description == "table 'handset', row '1', column '\(column)': \(problem)"
        + "; 'deskbell restore FILE' brings back a backup")
  }

  @Test func `A record that lags behind its events goes on after them`() throws {
    let last = rig.handset.record.nextEvent - 1
    let (contents, damage) = try rig.load(after: "UPDATE handset SET next_event = 2")
    #expect(
      damage == [
        "table 'handset', row '1', column 'next_event': event \(last) is stored and the next was to be 2; "
          + "going on from \(last + 1)"
      ])
    #expect(Handset(contents) == rig.handset.stored)
    try rig.commitAndReload(.push(push(9)))
  }

  @Test func `A record of events that was damaged says so, and hides none after it`() throws {
    func events() throws -> [EventReport] { try rig.store.events(of: 1, after: 0, limit: 1_000) }
    let whole = try events()
    let (first, count) = (whole[2].sequence, whole.count)
    // The last byte but four of the first event in a record is its own; the others show whether it was changed.
    try sql(
      directory,
      """
      UPDATE event SET record = CAST(substr(record, 1, length(record) - 5) || x'7F' || substr(record, -4) AS BLOB)
        WHERE sequence = \(first);
      UPDATE event SET record = x'02' WHERE sequence = 1;
      """)
    let found = try events()
    #expect(found.first == EventReport(unreadable: 1, problem: "its version 2 is unknown"))
    #expect(found.dropFirst().contains(EventReport(unreadable: first, problem: "its bytes were changed")))
    let left = whole.filter { event in found.contains { $0.sequence == event.sequence } }
    #expect(left.count > count / 2)
    #expect(found.filter { $0.event != "unreadable" } == left.filter { $0.sequence != 1 && $0.sequence != first })
  }

  @Test(arguments: [Int64.max, Int64.min, -1])
  func `Numbers of events that no journal has are counted again`(number: Int64) throws {
    rig = try Rig.inNewFolder(eventLimit: 8)
    for _ in 1...8 { try rig.commit(lampReport) }
    try sql(directory, "UPDATE handset SET events = \(number), refused_events = \(number)")
    try sql(directory, "UPDATE event SET events = \(number) WHERE sequence <= 4")
    rig.handset = Handset(try rig.store.load(handset: 1).contents)
    try rig.commit(refused())
    #expect(try rig.store.events(of: 1, after: 0, limit: 20).last?.event == "refused")
    #expect(try sql(directory, "SELECT refused_events FROM handset") == "1")
    for _ in 1...9 { try rig.commit(lampReport) }
    #expect(try sql(directory, "SELECT events FROM handset") == "8")
    #expect(try sql(directory, "SELECT group_concat(sequence) FROM event") == "11,12,13,14,15,16,17,18")
  }

  @Test func `A row within the record before it does not set a reader back`() throws {
    let whole = try rig.store.events(of: 1, after: 0, limit: 1_000)
    let first = try #require(
      try sql(directory, "SELECT sequence FROM event WHERE events > 1 ORDER BY sequence LIMIT 1").flatMap { Int($0) })
    try sql(directory, "INSERT INTO event VALUES (1, \(first + 1), 1, x'00')")
    #expect(try rig.store.events(of: 1, after: 0, limit: 1_000) == whole)
  }

  @Test func `Unreadable words are an error of the call that reads them, and of no other`() throws {
    let script = "UPDATE notification SET body = CAST(x'C0' AS TEXT) WHERE key = 1 << 40 | 1"
    #expect(try rig.load(after: script).damage == [])
    #expect(
      throws: StoreError.damaged(
        StoreDamage(table: "notification", key: "1", column: "body", problem: "it is not UTF-8"))
    ) {
      try rig.store.content(of: NotificationID(number: 1), handset: 1)
    }
    #expect(try rig.store.content(of: NotificationID(number: 2), handset: 1)?.body == "Hello")
  }
}
