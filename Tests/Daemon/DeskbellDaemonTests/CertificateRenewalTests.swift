// A board's clock may be set by years at any time; its certificate must follow without the user's help.

import Clocks
import DaemonTestSupport
import FoundationEssentials
import HandsetCore
import NIOPosix
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import ServerIdentity

@Suite(.timeLimit(.minutes(10))) struct CertificateRenewalTests {
  private static let start: Int64 = 1_795_248_000
  private static let day: Int64 = 86_400

  private let folder: Folder
  private let clock = SettableClock(Self.start)
  private let alarms: WallAlarms
  private let log = LogLines()
  private let rings = Rings()
  private let certificates: CertificateFolder

  init() throws {
    folder = try Folder()
    let clock = clock
    alarms = WallAlarms(timer: clock) { clock.now }
    certificates = CertificateFolder(path: folder.path + "/tls", extraNames: ["bell.example"]) { clock.now }
  }

  /// Returns the time of renewal of a certificate made that many days after the start: two thirds of 397 days after its
  /// beginning, which is a day before it is made.
  private static func renewal(ofDay days: Int64) -> WallTime {
    WallTime(seconds: start + (days - 1) * day + 397 * day / 3 * 2)
  }

  @Test("The server's certificate is made anew at two thirds of its life, and when the clock is set beyond that")
  func clockSteps() async throws {
    let first = try certificates.current()
    #expect(first.made == .authority)
    #expect(first.renewAt == Self.renewal(ofDay: 0))
    let renewal = CertificateRenewal(
      of: certificates, current: first, alarms: alarms, logger: log.logger,
      uses: .init { [rings] _ in rings.ring("used") })
    // Rings after the check of the certificate, so that the end of a check without action is visible.
    let behind = alarms.alarm { [rings] in rings.ring("looked") }
    #expect(clock.armed == first.renewAt)

    clock.set(to: Self.start + 100 * Self.day)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == first.renewAt)
    // The start of a board without a battery clock.
    clock.set(to: 0)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == first.renewAt)

    clock.set(to: Self.start + 400 * Self.day)
    #expect(await rings.next(2) == ["used", "looked"])
    #expect(clock.armed == Self.renewal(ofDay: 400))
    // The passing of time has the same effect.
    clock.pass(to: Self.renewal(ofDay: 400).microseconds / 1_000_000)
    #expect(await rings.next(1) == ["used"])
    // The clock was wrong by years all the time: a certificate made in the future is not valid now.
    clock.set(to: Self.start + Self.day)
    #expect(await rings.next(2) == ["used", "looked"])
    #expect(clock.armed == Self.renewal(ofDay: 1))
    #expect(try certificates.current().made == .nothing)
    #expect(try certificates.current().certificatePEM == first.certificatePEM)
    #expect(log.all == [])
    _ = behind
    renewal.stop()
    await alarms.stop()
  }

  @Test("On a virtual clock it is renewed when the clock is moved there, before the move returns")
  func virtualClock() throws {
    let virtual = VirtualClock(startingAt: Moment(uptime: .zero, wall: WallTime(seconds: Self.start)))
    var certificates = certificates
    certificates.now = { virtual.now().wall }
    let first = try certificates.current()
    let used = Mutex(0)
    let renewal = CertificateRenewal(
      of: certificates, current: first, alarms: nil, logger: log.logger,
      uses: .init { _ in used.withLock { $0 += 1 } })
    virtual.move(by: .microseconds(first.renewAt.microseconds - virtual.now().wall.microseconds - 1))
    renewal.clockMoved()
    #expect(used.withLock(\.self) == 0)
    virtual.move(by: .microseconds(1))
    renewal.clockMoved()
    #expect(used.withLock(\.self) == 1)
    // Once: the next check is at the end of two thirds of its life.
    virtual.move(by: .seconds(2 * Self.day))
    renewal.clockMoved()
    #expect(used.withLock(\.self) == 1)
    #expect(try certificates.current().made == .nothing)
    renewal.stop()
  }

  @Test("Where it cannot be made the log says so, and it is tried again a day later; a lost authority stays one")
  func failure() async throws {
    let first = try certificates.current()
    let renewal = CertificateRenewal(
      of: certificates, current: first, alarms: alarms, logger: log.logger,
      uses: .init { [rings] _ in rings.ring("used") })
    let behind = alarms.alarm { [rings] in rings.ring("looked") }
    try FileManager.default.moveItem(atPath: certificates.path, toPath: folder.path + "/away")
    let due = Self.start + 400 * Self.day
    clock.set(to: due)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == WallTime(seconds: due + Self.day))
    #expect(!FileManager.default.fileExists(atPath: certificates.path))
    #expect(
      log.all == [
        "the server certificate cannot be renewed: \(certificates.path)/ca.pem: is missing; restore it and ca-key.pem, or all clients "
          + "need a new one"
      ])
    try FileManager.default.moveItem(atPath: folder.path + "/away", toPath: certificates.path)
    clock.pass(to: due + Self.day)
    #expect(await rings.next(1) == ["used"])
    #expect(try certificates.current().certificatePEM == first.certificatePEM)
    _ = behind
    renewal.stop()
    await alarms.stop()
  }

  @Test("A clock 15 years ahead is an error that says what to do, each day; back, all is as it was")
  func clockAhead() async throws {
    let first = try certificates.current()
    let standings = Mutex<[CertificateAuthority.Standing]>([])
    let uses = CertificateRenewal.Uses(
      certificate: { [rings] _ in rings.ring("used") }, standing: { now in standings.withLock { $0.append(now) } })
    let renewal = CertificateRenewal(
      of: certificates, current: first, alarms: alarms, logger: log.logger, uses: uses)
    let behind = alarms.alarm { [rings] in rings.ring("looked") }
    let ahead = Self.start + 15 * 365 * Self.day
    clock.set(to: ahead)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == WallTime(seconds: ahead + Self.day))
    clock.set(to: Self.start + 1)
    #expect(await rings.next(1) == ["looked"])
    #expect(clock.armed == first.renewAt)
    let error =
      "the certificate authority ended on 2036-11-18 by this machine's clock, which shows 2041-11-17: set the clock if "
      + "it is wrong, else make a new authority with 'deskbell ca renew' and give it to every client"
    #expect(log.all == [error])
    #expect(standings.withLock(\.self) == [.good, .ended(error), .good])
    #expect(try certificates.current().certificatePEM == first.certificatePEM)

    // The user makes a new one meanwhile: it is in service, and has its own time of renewal.
    let renewed = try renewal.renewAuthority()
    #expect(await rings.next(1) == ["used"])
    #expect(renewed.certificatePEM != first.certificatePEM)
    #expect(clock.armed == renewed.renewAt)
    #expect(standings.withLock(\.last) == .good)
    _ = behind
    renewal.stop()
    await alarms.stop()
  }

  @Test("What clients are given is by whom the port's certificate is, also after the files were restored from a backup")
  func agreement() async throws {
    let backup = try certificates.current()
    try FileManager.default.copyItem(atPath: certificates.path, toPath: folder.path + "/backup")
    let current = try CertificateAuthority.renew(
      in: certificates.path, now: certificates.now(), names: certificates.names)
    let tls = ServerTLS()
    try tls.use(current.identity)
    let renewal = CertificateRenewal(
      of: certificates, current: current, alarms: alarms, logger: LogLines().logger,
      uses: .init { [rings] identity in
        try tls.use(identity)
        rings.ring("used")
      })
    let control = CertificatesResource(
      tls: tls, renewal: renewal, machine: MachineAddress(eventLoops: MultiThreadedEventLoopGroup.singleton))
    #expect(try await control.certificateAuthority() == current.certificatePEM)
    let pin = try await control.certificate().pin

    try FileManager.default.removeItem(atPath: certificates.path)
    try FileManager.default.moveItem(atPath: folder.path + "/backup", toPath: certificates.path)
    clock.set(to: Self.start + 300 * Self.day)
    #expect(await rings.next(1) == ["used"])
    #expect(try await control.certificateAuthority() == backup.certificatePEM)
    #expect(try await control.certificate().pin == backup.identity.certificate?.pin)
    #expect(try await control.certificate().pin != pin)

    let renewed = try await control.renewCertificateAuthority()
    #expect(await rings.next(1) == ["used"])
    #expect(try await control.certificateAuthority() == renewed.certificate)
    renewal.stop()
    await alarms.stop()
  }
}
