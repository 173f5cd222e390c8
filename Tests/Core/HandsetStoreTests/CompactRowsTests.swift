// Migration of rows from before a turn's events were one record and a notification one row: nothing in them is lost.

import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct CompactRowsTests {
  /// Fills a database of the earlier schema, for two handsets.
  private func fill(_ directory: String) throws {
    let older = Array(Schema.migrations.prefix { $0.name != "compact rows" })
    #expect(older.count < Schema.migrations.count)
    do { _ = try HandsetStore(directory: directory, eventLimit: 4, migrations: older) }
    try sql(
      directory,
      """
      INSERT INTO handset (handset, next_notification, next_event, next_alert, reserved_event, events, refused_events)
        VALUES (1, 3, 8, 6, 9, 3, 1), (2, 2, 2, 1, 2, 1, 0);
      INSERT INTO app SELECT handset, '\(Rig.mail)', 'Mail', 1, NULL, NULL, '', '[]', '{}', 0 FROM handset;
      INSERT INTO app_state
        SELECT handset, '\(Rig.mail)', x'01', 'registered', 'alert', NULL, 'notRunning', 3, 0, NULL FROM handset;
      INSERT INTO token SELECT handset, x'01', '\(Rig.mail)', NULL FROM handset;
      INSERT INTO notification VALUES
        (1, 1, '\(Rig.mail)', '0123ABCD-ef00-4000-8000-00000000000A', 'critical', 'c', 1, 0, 5, 1, 700),
        (1, 2, '\(Rig.mail)', '0123abcd-ef00-4000-8000-00000000000b', 'passive', NULL, 0, 1, NULL, 0, 600),
        (2, 1, '\(Rig.mail)', '0123abcd-ef00-4000-8000-00000000000c', 'active', NULL, 1, 0, NULL, 0, 512);
      INSERT INTO notification_content VALUES
        (1, 1, 5, 'Mail', 'Title', 'Sub', 'Body', 'View', 'thread', x'0001'),
        (2, 1, 6, 'Post', NULL, NULL, NULL, NULL, NULL, x'');
      INSERT INTO event VALUES
        (1, 1, '\(line("accepted", 1))', 'R4.good F1.online'), (1, 2, '\(line("badge", 2))', NULL),
        (1, 7, '\(line("lamp", 7))', NULL), (2, 1, '\(line("due", 1))', 'L1.due');
      INSERT INTO refused_event VALUES (1, 5, '\(line("refused", 5))', 'R4.unknown');
      """)
  }

  private func line(_ event: String, _ sequence: Int) -> String {
    #"{"app":"a","event":"\#(event)","push":"0123ABCD-ef00-4000-8000-00000000000A","sequence":\#(sequence),"#
      + #""uptimeMicroseconds":5,"wallMicroseconds":6}"#
  }

  @Test func `Everything comes with it, and what is written then joins it`() throws {
    try withDirectory { directory in
      try fill(directory)
      var rig = try Rig(directory, eventLimit: 4)
      let (contents, damage) = try rig.store.load(handset: 1)
      #expect(damage == [])
      let shown = try #require(contents.notifications.first)
      #expect(shown.push.description == "0123ABCD-ef00-4000-8000-00000000000A")
      #expect(
        contents.notifications == [
          Notification(
            id: NotificationID(number: 1), app: Rig.mail, push: shown.push, level: .critical, collapseID: "c",
            isListed: true, isSeen: false, alertOrder: 5, hasAction: true, size: 700),
          Notification(
            id: NotificationID(number: 2), app: Rig.mail, push: PushID("0123ABCD-ef00-4000-8000-00000000000b")!,
            level: .passive, collapseID: nil, isListed: false, isSeen: true, alertOrder: nil, hasAction: false,
            size: 600),
        ])
      #expect(
        try rig.store.content(of: shown.id, handset: 1)
          == NotificationContent(
            arrived: WallTime(microseconds: 5), appName: "Mail", title: "Title", subtitle: "Sub", body: "Body",
            actionTitle: "View", threadID: "thread", payload: [0, 1]))
      #expect(try rig.store.content(of: shown.id, handset: 2)?.appName == "Post")
      let lines = [line("accepted", 1), line("badge", 2), line("refused", 5), line("lamp", 7)]
      #expect(try rig.store.events(of: 1, after: 0, limit: 9).map(\.line) == lines)
      #expect(try rig.store.events(of: 1, after: 2, limit: 1).map(\.line) == [lines[2]])
      let found = try #require(try rig.store.events(of: 1, naming: shown.push, after: 0, limit: 9))
      #expect(found.found.map(\.rulings) == [["R4.good", "F1.online"], [], ["R4.unknown"], []])

      rig.handset = Handset(contents)
      var push = push(9, token: 1)
      push.token = DeviceToken(bytes: [1])!
      push.id = PushID("0123ABCD-ef00-4000-8000-00000000000D")!
      try rig.commit(.push(push), .clearNotification(shown.id))
      #expect(try rig.reloaded() == rig.handset.stored)
      #expect(try rig.reloaded().listed().map(\.push.description) == ["0123ABCD-ef00-4000-8000-00000000000D"])
      // No events of the other part or the other handset are dropped.
      let kept = try rig.kept()
      #expect(kept.filter { $0 < 8 } == [2, 5, 7])
      #expect(try rig.store.events(of: 2, after: 0, limit: 9).map(\.line) == [line("due", 1)])
      #expect(try rig.store.load(handset: 2).contents.notifications.count == 1)
    }
  }

  @Test func `A turn of more events than a record takes is several records`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
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
  }

  @Test func `Refusals and other events of one turn are kept apart, and read in order`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      try rig.installMail()
      var expiring = lasting(push(1))
      expiring.expiration = .at(rig.now.wall.advanced(by: .seconds(1)))
      try rig.commit(.setCondition(.offline, true), .push(expiring))
      rig.uptime += .seconds(5)
      let first = rig.handset.record.nextEvent
      try rig.commit(.refused(RefusedPush(id: nil, topic: nil, status: 400, reason: "a", detail: "b")))
      #expect(try rig.store.events(of: 1, after: first - 1, limit: 9).map(\.event) == ["discarded", "refused"])
      #expect(try sql(directory, "SELECT count(*) FROM event WHERE sequence = \(first)") == "1")
      #expect(try sql(directory, "SELECT count(*) FROM refused_event WHERE sequence = \(first + 1)") == "1")
    }
  }

  @Test func `A state that a batch changes several times is stored as it was last, with its settings`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      try rig.installMail()
      var larger = manifest(Rig.mail)
      larger.name = "Larger"
      try rig.commit(
        .push(push(1, badge: 1)), .setAppSetting(Rig.mail, .style, "alert"), .install(larger, token: token(8)),
        .push(push(2, badge: 2)), .setAppSetting(Rig.mail, .sound, "off"), .push(push(3, badge: 3)))
      #expect(try rig.reloaded() == rig.handset.stored)
      #expect(try rig.reloaded().apps[Rig.mail]?.state.badge == 3)
      try rig.commit(.push(push(4, badge: 4)), .uninstall(Rig.mail), .install(larger, token: token(9)))
      #expect(try rig.reloaded() == rig.handset.stored)
    }
  }
}
