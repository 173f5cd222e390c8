// The size limit of the database, the events that are dropped to keep it, and the pages that are returned.

import CSQLite
import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct RoomTests {
  private static let megabyte = 1024 * 1024

  private func size(_ directory: String, _ suffix: String = "") throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/deskbell.sqlite" + suffix)
    return try #require(attributes[.size] as? Int)
  }

  private func large(_ number: UInt64, bytes: Int) -> Push {
    push(number, payload: [UInt8](repeating: 0x61, count: bytes))
  }

  @Test func `What is deleted goes back to the disk, a few pages at a time`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      try rig.installMail()
      for number in 1...30 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: RoomTests.megabyte))) }
      #expect(try !rig.store.giveBack())
      let full = try size(directory) + size(directory, "-wal")
      // Below the limit no pages are returned: they are used again.
      for notification in rig.handset.listed().prefix(7) { try rig.commit(.clearNotification(notification.id)) }
      let free = try rig.store.database.freeBytes()
      #expect(free > 6 * RoomTests.megabyte && free <= StoreLimits.freeBytes)
      #expect(try !rig.store.giveBack())
      #expect(try rig.store.database.freeBytes() == free)

      try rig.commit(.clearCenter)
      #expect(try rig.store.database.freeBytes() > 29 * RoomTests.megabyte)
      var left = try rig.store.database.freeBytes()
      var steps = 0
      while try rig.store.giveBack() {
        steps += 1
        let now = try rig.store.database.freeBytes()
        #expect(left - now == StoreLimits.pagesGivenBackAtOnce * 4_096)
        left = now
        // A push in between is stored like any other.
        if steps == 3 {
          try rig.commit(.push(push(100)), durable: true)
          left = try rig.store.database.freeBytes()
        }
      }
      #expect(steps >= 29)
      #expect(try rig.store.database.freeBytes() == 0)
      #expect(try size(directory) < RoomTests.megabyte && full > 29 * RoomTests.megabyte)
      #expect(try size(directory, "-wal") == 0)
      #expect(try !rig.store.giveBack())
      #expect(try rig.reloaded() == rig.handset.stored)
      #expect(try sql(directory, "PRAGMA integrity_check") == "ok")
      // Commits wait for the disk again.
      #expect(try rig.store.database.integer("PRAGMA synchronous -- after giving back") == 2)
    }
  }

  @Test func `Beyond its size the oldest events go, and the newest thousand stay whatever is stored`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(
        directory: directory, eventLimit: Policy.eventLimit, databaseBytes: 16 * RoomTests.megabyte)
      var rig = Rig(store)
      try rig.installMail()
      let report = Input.report(DriverReport(.deviceLost(problem: String(repeating: "x", count: 400)), uptime: .zero))
      let installed = rig.handset.record.nextEvent - 1
      /// Returns the range of events that are not the app's, which has few and keeps them.
      func events() throws -> ClosedRange<UInt64> {
        let first = try #require(try store.events(of: 1, after: installed, limit: 1).first).sequence
        let last = try store.database.integer("SELECT max(sequence + events - 1) FROM event WHERE handset = 1")
        return first...UInt64(try #require(last))
      }
      let soft = 15 * RoomTests.megabyte
      // Some 550 bytes each: there is room for less than 30,000.
      var lost = installed + 1
      for _ in 1...200 {
        try store.commit((1...200).map { _ in rig.take(report) }, of: 1, durable: false)
        #expect(try store.database.bytesInUse() <= soft)
        let first = try events().lowerBound
        // Only a few are dropped for the few new ones.
        #expect(first >= lost && first - lost <= 512)
        lost = first
      }
      #expect(lost > 8_000)
      #expect(try events().upperBound == rig.handset.record.nextEvent - 1)
      #expect(try events().count > 20_000)
      // Other rows take their room, down to the last thousand.
      for number in 1...24 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: 620 * 1024))) }
      #expect(try store.eventCount(of: 1) == StoreLimits.eventsKept)
      #expect(try rig.reloaded() == rig.handset.stored)
    }
  }

  @Test func `One byte too many is refused with what to do, and what is cleared makes room`() throws {
    try withDirectory { directory in
      let store = try HandsetStore(
        directory: directory, eventLimit: Policy.eventLimit, databaseBytes: 4 * RoomTests.megabyte)
      var rig = Rig(store)
      try rig.installMail()
      for number in 1...3 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: RoomTests.megabyte))) }
      let before = rig.handset
      let turn = rig.take(.push(large(4, bytes: 2 * RoomTests.megabyte)))
      let error = #expect(throws: StoreError.self) { try store.commit([turn], of: 1, durable: true) }
      #expect(error?.description.contains("clear Notification Center or uninstall apps") == true)
      rig.handset.undo(turn.changes)
      #expect(rig.handset == before)
      #expect(try size(directory) <= 4 * RoomTests.megabyte)
      try rig.commit(.clearCenter)
      try rig.commit(.push(large(5, bytes: 2 * RoomTests.megabyte)))
      #expect(try rig.reloaded() == rig.handset.stored)
    }
  }

  @Test func `One that is larger than it may be can still become smaller`() throws {
    try withDirectory { directory in
      var handset = Handset()
      do {
        var rig = try Rig(directory)
        try rig.installMail()
        for number in 1...16 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: RoomTests.megabyte))) }
        handset = rig.handset
      }
      let store = try HandsetStore(
        directory: directory, eventLimit: Policy.eventLimit, databaseBytes: 4 * RoomTests.megabyte)
      var rig = Rig(store)
      rig.handset = handset
      try rig.commit(.push(push(50)), .clearSection(Rig.mail))
      while try store.giveBack() {}
      #expect(try size(directory) < RoomTests.megabyte)
      #expect(try rig.reloaded() == rig.handset.stored)
    }
  }

  /// A database as version 0.1.0 left it: six migrations, and pages that are never returned.
  @Test func `A database of 0.1.0 comes with everything in it, knows its sizes, and gives back`() throws {
    try withDirectory { directory in
      try prepareFirstRelease(in: directory)
      #expect(try sql(directory, "PRAGMA auto_vacuum") == "0")
      #expect(try sql(directory, "PRAGMA user_version") == "6")
      let lines = [1, 2].map { number in
        #"{"app":"a","event":"lamp","lit":true,"push":"\#(pushID(7))","sequence":\#(number),"uptimeMicroseconds":5,"#
          + #""wallMicroseconds":6}"#
      }
      try sql(
        directory,
        """
        INSERT INTO handset VALUES (1, 4, 4, 1, 0, 0);
        INSERT INTO handset_setting VALUES (1, 'vibrate-on-ring', 'off');
        INSERT INTO app VALUES (1, '\(Rig.mail)', 'Mäil', 1, NULL, NULL, '', '[]', '{}', 0);
        INSERT INTO app_state VALUES (1, '\(Rig.mail)', x'01', 'registered', 'alert', NULL, 'notRunning', 3, 0, NULL);
        INSERT INTO token VALUES (1, x'01', '\(Rig.mail)', NULL);
        INSERT INTO notification VALUES (1, 1, '\(Rig.mail)', '\(pushID(1))', 'active', NULL, 1, 0, NULL, 1);
        INSERT INTO notification VALUES (1, 2, '\(Rig.mail)', '\(pushID(2))', 'passive', 'c', 1, 1, NULL, 1);
        INSERT INTO notification VALUES (1, 3, '\(Rig.mail)', '\(pushID(3))', 'active', NULL, 1, 0, NULL, 0);
        INSERT INTO notification_content VALUES
          (1, 1, 5, 'Mäil', 'Title', 'Sub', 'Böxy', 'View', 'thread', zeroblob(4000)),
          (1, 2, 6, 'Mäil', NULL, NULL, NULL, NULL, NULL, x'');
        INSERT INTO event VALUES (1, 1, '\(lines[0])', NULL), (1, 2, '\(lines[1])', 'R4.good S2.on'), (1, 3, '{', NULL);
        """)
      let store = try HandsetStore(directory: directory)
      #expect(try sql(directory, "PRAGMA auto_vacuum") == "2")
      #expect(try sql(directory, "PRAGMA integrity_check") == "ok")
      let (contents, damage) = try store.load(handset: 1)
      #expect(damage == [])
      #expect(contents.apps.map(\.manifest.name) == ["Mäil"])
      #expect(contents.apps.map(\.state.badge) == [3])
      #expect(contents.record.settings.vibrateOnRing == false)
      #expect(contents.notifications.map(\.push) == [pushID(1), pushID(2), pushID(3)])
      // The third has lost its words, and still counts.
      let words = "MäilTitleSubBöxyViewthread".utf8.count
      #expect(contents.notifications.map(\.size) == [512 + words + 4_000, 512 + "Mäil".utf8.count, 512])
      #expect(try store.content(of: NotificationID(number: 1), handset: 1)?.size == contents.notifications[0].size)
      let unreadable = EventReport(unreadable: 3, problem: "it is no event in JSON").line
      #expect(try store.events(of: 1, after: 0, limit: 9).map(\.line) == lines + [unreadable])
      let found = try #require(try store.events(of: 1, naming: pushID(7), after: 0, limit: 9))
      #expect(found.last == 3)
      #expect(found.found.map(\.report.line) == lines)
      #expect(found.found.map(\.rulings) == [[], ["R4.good", "S2.on"]])
      var handset = Handset(contents)
      _ = handset.handle(.start(.daemon), at: Moment(uptime: .seconds(1), wall: WallTime(seconds: 1_800_000_000)))
      #expect(handset.brokenInvariants() == [])
    }
  }
}

/// Makes the tables of version 0.1.0: a store of this version would write columns that those do not have.
/// - Parameter steps: the number of the schema's steps; version 0.1.0 has six.
func prepareFirstRelease(in directory: String, steps: Int = 6) throws {
  let state = try StateDirectory(directory)
  let database = try SQLiteConnection(path: try state.privateFile(HandsetStore.fileName), in: state)
  try database.execute("PRAGMA auto_vacuum = 0; PRAGMA journal_mode = WAL")
  for (index, migration) in Schema.migrations.prefix(steps).enumerated() {
    try database.execute(migration.script)
    try database.run("INSERT INTO migration VALUES (?, ?)", .integer(Int64(index + 1)), .text(migration.name))
  }
  try database.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(steps)")
}
