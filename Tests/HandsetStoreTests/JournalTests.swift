// Events as lines: their order, their bound, and the same cost whatever is stored.

import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct JournalTests {
  @Test func `An event is one line of JSON with sorted keys`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      try rig.commit(.setHandsetSetting(.badgeShows, "sum"))
      let wall = rig.now.wall.microseconds
      #expect(
        try rig.store.events(of: 1, after: 0, limit: 10) == [
          StoredEvent(
            sequence: 1,
            line: #"{"event":"setting","key":"badge-shows","sequence":1,"uptimeMicroseconds":100010000,"#
              + #""value":"sum","wallMicroseconds":\#(wall)}"#)
        ])
    }
  }

  @Test func `Text from outside stays on its line`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      try rig.commit(
        .refused(RefusedPush(id: nil, topic: nil, status: 400, reason: "a/b", detail: "x\n\"y\"\u{0}\u{2028}é")))
      let line = try #require(try rig.store.events(of: 1, after: 0, limit: 1).first?.line)
      #expect(!line.contains("\n"))
      #expect(line.contains(#""reason":"a/b""#))
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["detail"] as? String == "x\n\"y\"\u{0}\u{2028}é")
    }
  }

  @Test func `A reader goes on from the last it has`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory)
      for _ in 1...5 { try rig.commit(.report(DriverReport(.lamp(lit: true), uptime: .zero))) }
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
      #expect(try rig.store.eventSequences(of: 1) == 1...5)
    }
  }

  @Test func `One event past the limit drops the oldest`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory, eventLimit: 10)
      let report = Input.report(DriverReport(.lamp(lit: true), uptime: .zero))
      for _ in 1...10 { try rig.commit(report) }
      #expect(try rig.store.eventSequences(of: 1) == 1...10)
      try rig.commit(report)
      #expect(try rig.store.eventSequences(of: 1) == 2...11)
      // A batch longer than the journal leaves its own tail.
      try rig.store.commit((1...25).map { _ in rig.take(report) }, of: 1, durable: false)
      #expect(try rig.store.eventSequences(of: 1) == 27...36)
      #expect(try rig.store.events(of: 1, after: 0, limit: 100).map(\.sequence) == Array(27...36))
    }
  }

  @Test func `A push costs SQLite the same steps with little and with much stored`() throws {
    try withDirectory { directory in
      var rig = try Rig(directory, eventLimit: 20)
      try rig.installMail()
      func steps(_ number: UInt64) throws -> Int {
        let before = rig.store.database.work(SQLITE_STMTSTATUS_VM_STEP)
        try rig.commit(.push(push(number, badge: Int(number))))
        return rig.store.database.work(SQLITE_STMTSTATUS_VM_STEP) - before
      }
      for number in 1...10 { try rig.commit(.push(push(UInt64(number), badge: 1))) }
      let few = try steps(11)
      try rig.store.commit(
        (12...900).map { number in rig.take(.push(push(number, badge: 1))) }, of: 1, durable: false)
      #expect(try steps(901) == few)
      #expect(few > 0)
      #expect(rig.store.database.work(SQLITE_STMTSTATUS_FULLSCAN_STEP) == 0)
    }
  }
}
