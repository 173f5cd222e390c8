import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("N12: snoozes over the API") struct SnoozeRoutesTests {
  @Test("An app, and all of them; what is snoozed is listed and in the state", .daemonWithMail)
  func snoozes() async throws {
    #expect(try await asker.client.snoozes() == [])
    let app = try await asker.client.snooze(mail, forSeconds: 90)
    // The fixture's clock stands at 60 s.
    let wall = ControlRig.now.wall.microseconds
    let one = SnoozeReport(app: mail, untilUptimeMicroseconds: 150_000_000, untilWallMicroseconds: wall + 90_000_000)
    #expect(app == [one])
    let both = try await asker.client.snooze(nil, forSeconds: nil)
    let all = SnoozeReport(untilUptimeMicroseconds: 660_000_000, untilWallMicroseconds: wall + 600_000_000)
    #expect(both == [all, one])
    #expect(try await asker.client.state().snoozes == both)
    #expect(try await asker.client.snoozes() == both)
  }

  @Test("An app's ends alone; without an app every snooze ends", .daemonWithMail)
  func ends() async throws {
    _ = try await asker.client.snooze(mail, forSeconds: 60)
    _ = try await asker.client.snooze(nil, forSeconds: 86_400)
    try await asker.client.endSnooze(mail)
    #expect(try await asker.client.snoozes().map(\.app) == [nil])
    _ = try await asker.client.snooze(mail, forSeconds: 60)
    try await asker.client.endSnooze(nil)
    #expect(try await asker.client.snoozes() == [])
    try await asker.refuses([
      "DELETE /v1/apps/\(mail)/snooze":
        "409 '\(mail)' is not snoozed | Run 'deskbell snooze' to list what is snoozed."
    ])
  }

  @Test("One second too short, one too long", .daemonWithMail, arguments: [59, 86_401])
  func refuses(_ seconds: Int64) async throws {
    try await asker.refuses([
      #"PUT /v1/snoozes {"seconds":\#(seconds)}"#: "400 a snooze lasts 1m to 24h"
    ])
    #expect(try await asker.client.snoozes() == [])
  }
}
