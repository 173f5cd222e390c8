// A board's clock is set by years at any time; its certificate has to keep up, and nobody is to notice.

import FoundationEssentials
import HandsetCore
import PushGateway
import Testing

@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct CertificateRenewalTests {
  private static let start: Int64 = 1_795_248_000
  private static let day: Int64 = 86_400

  @Test("The server's certificate is made anew when the clock is set past its end, and only then")
  func clockSteps() async throws {
    let folder = try Folder()
    let clock = SettableClock(Self.start)
    let alarms = WallAlarms(timer: clock) { clock.now }
    let log = LogLines()
    let rings = Rings()
    let renewal = CertificateRenewal(folder: folder.path + "/tls", extraNames: ["bell.example"]) { clock.now }
    let first = try renewal.current()
    #expect(first.made == .authority)
    #expect(first.renewAt == WallTime(seconds: Self.start + (397 - 30) * Self.day))
    renewal.renew(at: first.renewAt, alarms: alarms, logger: log.logger) { _ in rings.ring("used") }
    // Rings behind the look at the certificate, so that one which found nothing to do is seen to have ended.
    let behind = alarms.alarm { rings.ring("looked") }
    #expect(clock.armed == first.renewAt)

    clock.set(to: Self.start + 100 * Self.day)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == first.renewAt)
    // As a board without a battery clock starts.
    clock.set(to: 0)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == first.renewAt)

    clock.set(to: Self.start + 400 * Self.day)
    #expect(await rings.next(2) == ["used", "looked"])
    let second = WallTime(seconds: Self.start + (400 + 397 - 30) * Self.day)
    #expect(clock.armed == second)
    // Time itself comes to the same.
    clock.pass(to: Self.start + (400 + 397 - 30) * Self.day)
    #expect(await rings.next(1) == ["used"])
    #expect(try renewal.current().made == .nothing)
    #expect(try renewal.current().certificatePEM == first.certificatePEM)
    #expect(log.all == [])
    _ = behind
    renewal.stop()
    await alarms.stop()
  }

  @Test("Where it cannot be made the log says so, and it is tried again a day later")
  func failure() async throws {
    let folder = try Folder()
    let clock = SettableClock(Self.start)
    let alarms = WallAlarms(timer: clock) { clock.now }
    let log = LogLines()
    let rings = Rings()
    let renewal = CertificateRenewal(folder: folder.path + "/tls", extraNames: []) { clock.now }
    renewal.renew(at: try renewal.current().renewAt, alarms: alarms, logger: log.logger) { _ in rings.ring("used") }
    let behind = alarms.alarm { rings.ring("looked") }
    try FileManager.default.removeItem(atPath: folder.path + "/tls")
    try Data().write(to: URL(filePath: folder.path + "/tls"))
    clock.set(to: Self.start + 1)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == WallTime(seconds: Self.start + 1 + Self.day))
    #expect(log.all.count == 1)
    #expect(log.all.first?.hasPrefix("the server certificate cannot be renewed: \(folder.path)/tls") == true)
    try FileManager.default.removeItem(atPath: folder.path + "/tls")
    clock.pass(to: Self.start + 1 + Self.day)
    #expect(await rings.next(1) == ["used"])
    _ = behind
    renewal.stop()
    await alarms.stop()
  }
}
