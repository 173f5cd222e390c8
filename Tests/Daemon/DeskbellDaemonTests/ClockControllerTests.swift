// A month in a moment: events that fall due while the virtual clock is advanced happen in order, each at its own time.

import Clocks
import DaemonTestSupport
import FoundationEssentials
import HandsetStore
import NIOPosix
import Synchronization
import Testing
import WebCalls

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

private let mail = AppID("com.example.mail")!

private struct EventFacts: Decodable, Equatable {
  var event: String
  var app: String?
  var uptimeMicroseconds: Int64
  var wallMicroseconds: Int64

  static func read(_ lines: [String]) throws -> [EventFacts] {
    try lines.map { try JSONDecoder().decode(EventFacts.self, from: Data($0.utf8)) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ClockControllerTests {
  @Test("U9: a month of expirations in one advance, in order, each stamped with its own moment")
  func monthOfExpirations() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    let day: Int64 = 86_400
    // In low power, the handset holds pushes that would wake an app (U7).
    await rig.accepted(.setCondition(.lowPower, true))
    // Submitted from the last to the first, with two at one moment.
    let hours = (1...60).map { $0 * 11 + ($0 % 7) * 3 } + [300, 300]
    var expected: [(wall: Int64, app: String)] = []
    for (index, hour) in hours.enumerated().reversed() {
      let app = AppID("app-\(index)")!
      await rig.install(app)
      let expires = TimeRig.start.wall.advanced(by: .seconds(Int64(hour) * 3_600) + .microseconds(index))
      await rig.accepted(TimeRig.update(UInt64(index + 1), for: app, expires: expires))
      expected.append((expires.microseconds, app.text))
    }
    expected.sort { ($0.wall, $0.app) < ($1.wall, $1.app) }
    let before = try await rig.eventLines().count

    let report = try await rig.controller().advance(by: .seconds(30 * day))
    #expect(report.clock == "virtual")
    #expect(report.wallMicroseconds == TimeRig.start.wall.microseconds + 30 * day * 1_000_000)
    #expect(report.uptimeMicroseconds == 100_000_000 + 30 * day * 1_000_000)

    let events = try EventFacts.read(Array(try await rig.eventLines().dropFirst(before)))
    let due = expected.filter { $0.wall <= report.wallMicroseconds }
    #expect(due.count == 62)
    #expect(
      events
        == due.map { wall, app in
          EventFacts(
            event: "discarded", app: app,
            uptimeMicroseconds: 100_000_000 + wall - TimeRig.start.wall.microseconds, wallMicroseconds: wall)
        })
    await rig.stop()
  }

  @Test("N3: a banner ends at its own moment, not at the end of the advance, and not before")
  func bannerEnds() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    await rig.install(mail)
    await rig.accepted(
      .push(
        Push(
          id: PushID(high: 0, low: 1), token: TimeRig.token(mail), topic: mail, message: Message(body: .literal("x")))))
    let controller = rig.controller()
    _ = try await controller.advance(by: .seconds(4))
    #expect(rig.output.last?.banner == true)
    _ = try await controller.advance(by: .seconds(60))
    let last = try #require(rig.output.last)
    #expect(!last.banner)
    #expect(last.at == .seconds(100) + Policy.bannerDuration)
    #expect(rig.clock.now().uptime == .seconds(164))
    await rig.stop()
  }

  @Test("Time does not go on while a hook runs, and what the hook says happens at the moment it was started at")
  func hooksAreWaitedFor() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    await rig.install(mail)
    let expires = TimeRig.start.wall.advanced(by: .seconds(60))
    await rig.accepted(TimeRig.update(1, for: mail, expires: expires))
    await rig.accepted(.lifecycle(mail, .background))
    let held = await rig.host.read { handset, _, _, _ in handset.held(for: mail) != nil }
    let waits = Mutex<[Duration]>([])
    let controller = rig.controller { [clock = rig.clock, host = rig.host] in
      let now = clock.now().uptime
      let isNew = waits.withLock { waits in
        defer { waits.append(now) }
        return waits.last != now
      }
      // A process that ends, once at each moment.
      if isNew { _ = await host.submit(.setBadge(mail, Int(now.components.seconds))) }
    }
    _ = try await controller.advance(by: .seconds(200))
    let badges = try EventFacts.read(try await rig.eventLines()).filter { $0.event == "badge" }
    let stops: [Int64] = held ? [100, 160, 300] : [100, 300]
    #expect(badges.map(\.uptimeMicroseconds) == stops.map { $0 * 1_000_000 })
    #expect(rig.clock.now().uptime == .seconds(300))
    await rig.stop()
  }

  @Test("One advance at a time")
  func refusals() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
    let controller = rig.controller {
      hasStarted.yield()
      for await _ in stream { return }
    }
    let first = Task { try await controller.advance(by: .seconds(1)) }
    for await _ in started { break }
    await #expect(throws: ControlError(409, "the clock is being advanced already", hint: "wait until that is done")) {
      try await controller.advance(by: .seconds(1))
    }
    continuation.finish()
    #expect(try await first.value.uptimeMicroseconds == 101_000_000)
    #expect(try await controller.advance(by: .seconds(1)).uptimeMicroseconds == 102_000_000)
    await rig.stop()
  }

  @Test("Where the store fails the clock stops at that moment, and goes on from there")
  func failingStore() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    await rig.install(mail)
    await rig.accepted(.setCondition(.lowPower, true))
    let expires = TimeRig.start.wall.advanced(by: .seconds(60))
    await rig.accepted(TimeRig.update(1, for: mail, expires: expires))
    breakCommits(in: folder.state)
    let controller = rig.controller()
    let error = await #expect(throws: ControlError.self) { try await controller.advance(by: .seconds(100)) }
    #expect(error?.status == 503 && error?.message.contains("on purpose") == true)
    #expect(rig.clock.now().wall == expires)
    repairCommits(in: folder.state)
    _ = try await controller.advance(by: .seconds(40))
    #expect(rig.clock.now().uptime == .seconds(200))
    let last = try #require(try EventFacts.read(try await rig.eventLines()).last)
    #expect(last.event == "discarded" && last.wallMicroseconds == expires.microseconds)
    await rig.stop()
  }

  /// A handset that always wants to be woken.
  private final class Sleepless: TimeKeeping {
    let wakes = Mutex(0)
    let limit: Int
    var count: Int { wakes.withLock(\.self) }

    init(wakes limit: Int) { self.limit = limit }

    func wakeAt() async -> Deadline? {
      wakes.withLock { $0 < limit } ? Deadline(uptime: .seconds(1), wall: nil) : nil
    }
    func wake() async -> Input.Outcome {
      wakes.withLock { $0 += 1 }
      return .stored(.accepted)
    }
    func note(_ moment: Moment, durable: Bool) async throws {}
  }

  @Test("As many wakes at one moment as the limit says, and not one more")
  func wakesAtOneMoment() async throws {
    let atLimit = Sleepless(wakes: ClockController.Limits.wakesAtOneMoment)
    _ = try await ClockController(host: atLimit, clock: VirtualClock(startingAt: TimeRig.start), moved: {})
      .advance(by: .seconds(1))
    let pastLimit = Sleepless(wakes: ClockController.Limits.wakesAtOneMoment + 1)
    let error = await #expect(throws: ControlError.self) {
      try await ClockController(host: pastLimit, clock: VirtualClock(startingAt: TimeRig.start), moved: {})
        .advance(by: .seconds(1))
    }
    #expect(error?.status == 500)
    #expect(pastLimit.count == ClockController.Limits.wakesAtOneMoment)
  }

  @Test("A daemon that starts again goes on where the clock stood; after a boot uptime begins anew")
  func restart() async throws {
    let folder = try Folder()
    let stood = try await TimeRig.live(in: folder) { rig in
      _ = try await rig.controller().advance(by: .seconds(86_400))
      return rig.clock.now()
    }
    #expect(stood.uptime == .seconds(86_500))
    #expect(try await TimeRig.live(in: folder, start: .daemon) { $0.clock.now() } == stood)
    #expect(
      try await TimeRig.live(in: folder, start: .board) { $0.clock.now() }
        == Moment(uptime: TimeRig.start.uptime, wall: stood.wall))
    #expect(Moment(noted: "nonsense") == nil)
    #expect(Moment(noted: "1 2 3") == nil)
    #expect(Moment(noted: stood.note) == stood)
  }

  @Test("It starts at the named time; a stored clock goes on to it, with its uptime, and never back")
  func namedStart() throws {
    let folder = try Folder()
    let start = WallTime(seconds: 1_767_225_600)
    func begin(_ first: WallTime?, _ kind: Start = .daemon) throws -> Moment {
      let store = try HandsetStore(directory: folder.state)
      return try VirtualClock.goingOn(in: store, after: kind, from: first, real: TimeRig.start).now()
    }
    #expect(try begin(start) == Moment(uptime: .seconds(100), wall: start))
    #expect(try begin(start) == Moment(uptime: .seconds(100), wall: start))
    let later = start.advanced(by: .seconds(60))
    #expect(try begin(later) == Moment(uptime: .seconds(160), wall: later))
    #expect(try begin(nil) == Moment(uptime: .seconds(160), wall: later))
    #expect(
      throws: DaemonError(
        "--clock-start 2026-01-01T00:00:59.999999Z: the stored clock shows 2026-01-01T00:01:00Z, and time does not go "
          + "back. Leave the option out, name a later time, or use another --state")
    ) { try begin(later.advanced(by: .microseconds(-1))) }
    #expect(try begin(nil) == Moment(uptime: .seconds(160), wall: later))
    #expect(try begin(later, .board) == Moment(uptime: .seconds(100), wall: later))
  }

  @Test("The file has the time of each step in libfaketime's format, readable by all, and nothing else stays")
  func clockFile() async throws {
    let (folder, log) = (try Folder(), LogLines())
    let clock = VirtualClock(startingAt: Moment(uptime: .zero, wall: WallTime(seconds: 1_767_225_600)))
    let file = ClockFile(path: folder.path + "/clocks/now", clock: clock, logger: log.logger)
    #expect(throws: (any Error).self) { try file.write() }
    try FileManager.default.createDirectory(atPath: folder.path + "/clocks", withIntermediateDirectories: false)
    @Sendable func text() throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }
    try file.write()
    #expect(try text() == "@2026-01-01 00:00:00\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o644)

    // Each step is in the file before what happens at it.
    let seen = Mutex<[String]>([])
    let steps = Stepper(clock: clock, every: .milliseconds(1_500)) {
      let text = (try? text()) ?? ""
      seen.withLock { $0.append(text) }
    }
    let controller = ClockController(host: steps, clock: clock, moved: file.clockMoved)
    _ = try await controller.advance(by: .seconds(4))
    #expect(seen.withLock(\.self) == ["@2026-01-01 00:00:01.500000\n", "@2026-01-01 00:00:03\n"])
    #expect(try text() == "@2026-01-01 00:00:04\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/clocks") == ["now"])

    try FileManager.default.removeItem(atPath: folder.path + "/clocks")
    _ = try await controller.advance(by: .milliseconds(100))
    #expect(log.all.count == 1 && log.all[0].hasPrefix("the clock file \(file.path) cannot be written"))
  }

  @Test("Joined, the clock stops where a receiver's call is due, and waits for the attempt")
  func receivers() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder)
    let outcomes = Mutex<[CallOutcome]>([])
    let caller = WebCaller(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), executor: globalConcurrentExecutor,
      handsetName: { _ in "desk" }, key: { _ in AppKey(bytes: Array(0..<32)) },
      now: { [clock = rig.clock] in clock.now().wall },
      virtualUptime: { [clock = rig.clock] in clock.now().uptime },
      report: { _, outcome in outcomes.withLock { $0.append(outcome) } })
    // Nothing listens at port 1.
    let call = QueuedCall(
      number: 1, app: mail, push: PushID(high: 0, low: 1), notification: NotificationID(number: 7), answer: .close,
      answered: TimeRig.start.wall, call: WebCall(url: "http://127.0.0.1:1/hook"))
    caller.add(call, of: .first)
    let host = HostTime(host: rig.host.host, queue: rig.host.queue, calls: caller)
    _ = try await ClockController(host: host, clock: rig.clock, moved: {}).advance(by: .seconds(10))
    // Attempts after 0, 1, 3 and 7 seconds; the next one after 15.
    #expect(caller.due == .seconds(115))
    #expect(rig.clock.now().uptime == .seconds(110))
    guard case .failed? = outcomes.withLock(\.first), outcomes.withLock(\.count) == 1 else {
      Issue.record("one failure is reported, not \(outcomes.withLock(\.self))")
      return
    }
    caller.shutDown()
    await rig.stop()
  }

  /// A handset that wants to be woken at regular times.
  private final class Stepper: TimeKeeping {
    private let due: Mutex<Duration>
    private let interval: Duration
    private let woken: @Sendable () -> Void

    init(clock: VirtualClock, every interval: Duration, woken: @escaping @Sendable () -> Void) {
      due = Mutex(clock.now().uptime + interval)
      self.interval = interval
      self.woken = woken
    }

    func wakeAt() async -> Deadline? { Deadline(uptime: due.withLock(\.self), wall: nil) }
    func wake() async -> Input.Outcome {
      woken()
      due.withLock { $0 += interval }
      return .stored(.accepted)
    }
    func note(_ moment: Moment, durable: Bool) async throws {}
  }

  @Test(
    "Times are written and read in UTC",
    arguments: [
      ("2026-01-01T00:00:00Z", 1_767_225_600_000_000), ("2026-02-28T23:59:59.000001Z", 1_772_323_199_000_001),
      ("1969-12-31T23:59:59.500000Z", -500_000),
    ])
  func times(_ text: String, _ microseconds: Int64) {
    #expect(WallTime(utc: text) == WallTime(microseconds: microseconds))
    #expect(WallTime(microseconds: microseconds).utc == text)
  }

  @Test(
    "Anything else is no time",
    arguments: [
      "", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00", "2026-01-01t00:00:00z",
      "2026-01-01 00:00:00Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567Z",
      "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z",
    ])
  func noTimes(_ text: String) {
    #expect(WallTime(utc: text) == nil)
  }

  @Test("The board sees the virtual uptime, and knows that waiting does not help")
  func boardClock() {
    let clock = VirtualClock(startingAt: Moment(uptime: .nanoseconds(1_999), wall: WallTime(microseconds: 5)))
    let board = VirtualBoardClock(clock: clock)
    #expect(board.now() == .microseconds(1))
    #expect(board.realTime(until: .microseconds(2)) == nil)
    clock.move(by: .microseconds(1))
    #expect(board.realTime(until: .microseconds(2)) == .zero)
    #expect(clock.now().wall == WallTime(microseconds: 6))
    clock.move(by: .seconds(-1))
    #expect(board.now() == .microseconds(2))
    #expect(clock.uptime(ofSystem: .seconds(9)) == .microseconds(2))
    #expect(SystemClock().uptime(ofSystem: .seconds(9)) == .seconds(9))
  }

  @Test func timeLeftIsTheEarlierAndRoundedUp() {
    let now = Moment(uptime: .seconds(10), wall: WallTime(seconds: 100))
    func left(_ uptime: Duration?, _ wall: WallTime?) -> Duration? {
      Deadline(uptime: uptime, wall: wall)?.timeLeft(at: now)
    }
    #expect(left(.seconds(12), nil) == .seconds(2))
    #expect(left(.seconds(12), WallTime(seconds: 101)) == .seconds(1))
    #expect(left(.seconds(10) + .nanoseconds(1), nil) == .microseconds(1))
    #expect(left(.seconds(9), WallTime(seconds: 200)) == .seconds(-1))
    #expect(left(nil, WallTime(microseconds: .min))! < .zero)
    #expect(left(nil, WallTime(microseconds: .max))! > .seconds(1_000_000_000))
  }
}
