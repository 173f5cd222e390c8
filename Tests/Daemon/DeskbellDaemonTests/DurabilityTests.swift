// Published effects are on the disk. A commit that waits for the disk reserves event numbers anew; one that does not
// uses some of those: so the rows show which kind it was.

import CSQLite
import Clocks
import FoundationEssentials
import HandsetCore
import HandsetStore
import Testing

@testable import DeskbellDaemon
@testable import Host

@Suite struct DurabilityTests {
  private let app = AppID("com.example.mail")!
  private let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!

  /// Returns the numbers that are reserved and not used.
  private func reserved(_ folder: Folder) throws -> Int64 {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    try #require(sqlite3_open("\(folder.state)/deskbell.sqlite", &database) == SQLITE_OK)
    let sql = "SELECT reserved_event - next_event FROM handset WHERE handset = 1"
    try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return sqlite3_column_int64(statement, 0)
  }

  @Test("A wake that shows something waits for the disk, as a push does; reports, refusals and empty wakes do not")
  func whatWaits() async throws {
    let folder = try Folder()
    let clock = VirtualClock(startingAt: TimeRig.start)
    let host = try TestHost(store: HandsetStore(directory: folder.state), clock: clock)
    let lamp = Input.report(DriverReport(.lamp(lit: true), uptime: .seconds(100)))
    let refusal = Input.refused(RefusedPush(id: nil, topic: nil, status: 400, reason: "a", detail: "b"))
    let tea = LocalNotification(
      app: app, identifier: "tea", push: PushID(high: 0, low: 1), trigger: .interval(.seconds(60), repeats: false),
      badge: .number(1), sound: .system)
    func submit(_ inputs: Input..., leaves expected: Int64? = nil) async throws {
      for input in inputs { await host.expectAccepted(input) }
      // Completes the tables, which another connection reads.
      _ = try await host.read { _, store, number, _ in try store.events(of: number, after: 0, limit: 1) }
      if let expected { #expect(try reserved(folder) == expected, "\(inputs)") }
    }
    try await submit(
      .install(AppManifest(id: app, name: "Mail"), token: token), .register(app, .all, token: token), .schedule(tea),
      leaves: 256)
    try await submit(lamp, leaves: 255)
    try await submit(refusal, leaves: 254)
    try await submit(.wake, leaves: 254)
    clock.move(by: .seconds(60))
    try await submit(.wake, leaves: 256)
    try await submit(lamp, leaves: 255)
    // An effect that falls due together with a report is published with it.
    try await submit(.schedule(tea))
    clock.move(by: .seconds(60))
    try await submit(lamp, leaves: 256)
    await host.stop()
    #expect(try reserved(folder) == 0)
  }
}
