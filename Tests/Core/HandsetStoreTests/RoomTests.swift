import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite final class RoomTests: MailTests {
  private static let megabyte = 1024 * 1024

  private func large(_ number: UInt64, bytes: Int) -> Push {
    push(number, payload: [UInt8](repeating: 0x61, count: bytes))
  }

  @Test func `What is deleted goes back to the disk, a few pages at a time`() throws {
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

  @Test func `Beyond its size the oldest events go, and the newest thousand stay whatever is stored`() throws {
    rig = try Rig.inNewFolder(databaseBytes: 16 * RoomTests.megabyte)
    try rig.installMail()
    let store = rig.store
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

  @Test func `One byte too many is refused with what to do, and what is cleared makes room`() throws {
    rig = try Rig.inNewFolder(databaseBytes: 4 * RoomTests.megabyte)
    try rig.installMail()
    for number in 1...3 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: RoomTests.megabyte))) }
    let error = try rig.failToCommit([.push(large(4, bytes: 2 * RoomTests.megabyte))])
    #expect(error?.description.contains("clear Notification Center or uninstall apps") == true)
    #expect(try size(directory) <= 4 * RoomTests.megabyte)
    try rig.commit(.clearCenter)
    try rig.commitAndReload(.push(large(5, bytes: 2 * RoomTests.megabyte)))
  }

  @Test func `One that is larger than it may be can still become smaller`() throws {
    for number in 1...16 as ClosedRange<UInt64> { try rig.commit(.push(large(number, bytes: RoomTests.megabyte))) }
    try rig.restart(databaseBytes: 4 * RoomTests.megabyte)
    try rig.commit(.push(push(50)), .clearSection(Rig.mail))
    while try rig.store.giveBack() {}
    #expect(try size(directory) < RoomTests.megabyte)
    #expect(try rig.reloaded() == rig.handset.stored)
  }
}
