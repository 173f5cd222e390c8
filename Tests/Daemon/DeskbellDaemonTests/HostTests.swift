// The host around a real handset and a real database file: the order of answers, and the state after deliberate
// failures of the database.

import AppLink
import Dispatch
import FoundationEssentials
import NIOEmbedded
import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import HandsetStore
@testable import Host

private final class LosableSpeaker: Sendable {
  let isLost = Mutex(false)
}

/// A host in a temporary folder.
private struct HostRig {
  let folder: String
  let host: TestHost
  let output = RecordingSink()
  let speaker = LosableSpeaker()
  let clock = SteppedClock()
  static let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!
  static let app = AppID("com.example.mail")!

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID())").path
    host = try TestHost(
      store: HandsetStore(directory: folder), clock: clock, sinks: [output],
      speakerIsLost: { [speaker] in speaker.isLost.withLock(\.self) })
  }

  func installMail() async {
    let manifest = AppManifest(id: HostRig.app, name: "Mail", receivesBackgroundUpdates: true)
    await expectAccepted(.install(manifest, token: HostRig.token))
    await expectAccepted(.register(HostRig.app, .all, token: HostRig.token))
  }

  func expectAccepted(_ input: Input) async {
    await host.expectAccepted(input)
    // The answer comes before the effects; the host's next work comes after them.
    await host.isAtHand()
  }

  func breakStore() {
    breakCommits(in: folder)
  }

  func repairStore() { repairCommits(in: folder) }

  func push(_ number: UInt64, badge: Int) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: number), token: HostRig.token, topic: HostRig.app,
        message: Message(body: .literal("Letter \(number)")), badge: .number(badge), sound: .system))
  }

  /// Returns the same with an identifier from its provider.
  func named(_ number: UInt64) -> Input {
    guard case .push(var push) = push(number, badge: 1) else { preconditionFailure() }
    push.hasProviderID = true
    return .push(push)
  }

  func tearDown() async {
    await host.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

@Suite struct AppInputAdapterTests {
  @Test("A connection that ended while nothing could be stored does not overtake the one that came after it")
  func order() async throws {
    let rig = try HostRig()
    await rig.installMail()
    let loop = NIOAsyncTestingEventLoop()
    let adapter = AppInputAdapter(
      queue: rig.host.queue, link: try AppLink(socket: "", handsets: .one) { _ in }, eventLoop: loop)
    let mail = AppAddress(HostRig.app, on: .first)
    adapter.handle(.listening(mail.app, .background), of: mail)
    await rig.host.isAtHand()
    rig.breakStore()
    adapter.handle(.disconnected(mail.app), of: mail)
    await rig.host.isAtHand()
    adapter.handle(.listening(mail.app, .background), of: mail)
    rig.repairStore()
    await loop.advanceTime(by: .seconds(1))
    await rig.host.isAtHand()
    #expect(await rig.host.read { handset, _, _, _ in handset.listeners } == [HostRig.app])
    await loop.shutdownGracefully()
    await rig.tearDown()
  }

  @Test("What is given to an app comes with its payload, from the store; what it says of it is stored (U8)")
  func delivery() async throws {
    let rig = try HostRig()
    let manifest = AppManifest(id: HostRig.app, name: "Mail", receivesBackgroundUpdates: true, hasPrograms: true)
    await rig.expectAccepted(.install(manifest, token: HostRig.token))
    await rig.expectAccepted(.register(HostRig.app, .all, token: HostRig.token))
    let id = PushID(high: 3, low: 3)
    await rig.expectAccepted(
      .push(
        Push(
          id: id, token: HostRig.token, topic: HostRig.app, type: .background, contentAvailable: true, priority: 5,
          payload: Array(#"{"aps":{"content-available":1}}"#.utf8))))
    let (deliveries, payloads) = rig.output.record.withLock { ($0.deliveries, $0.payloads) }
    #expect(deliveries == [Delivery(app: HostRig.app, push: id, state: .background, attempt: 1)])
    #expect(payloads == [Array(#"{"aps":{"content-available":1}}"#.utf8)])
    await rig.expectAccepted(.completed(HostRig.app, id, .newData))
    let offers = await rig.host.read { handset, _, _, _ in handset.offers(for: HostRig.app) }
    #expect(offers == [])
    await rig.tearDown()
  }
}

@Suite struct HostTests {
  private let rig: HostRig

  init() async throws {
    rig = try HostRig()
    await rig.installMail()
  }

  @Test("N6: each place has as much of a message as fits there, title and subtitle too; an alert has all of it")
  func eachPlaceShortensWhatItShows() async throws {
    let text = MessageText.literal(String(repeating: "x", count: 300))
    await rig.expectAccepted(
      .push(
        Push(
          id: PushID(high: 0, low: 1), token: HostRig.token, topic: HostRig.app,
          message: Message(title: text, subtitle: text, body: text))))
    let places = NotificationContent.Place.allCases
    let reports = try await rig.host.read { handset, store, number, _ in
      try places.map { place in
        try NotificationReport(
          #require(handset.listed().first), of: handset, in: place, store: store, number: number)
      }
    }
    for (place, report) in zip(places, reports) {
      let shown =
        place.characters.map { String(repeating: "x", count: $0 - 1) + "…" } ?? String(repeating: "x", count: 300)
      #expect([report.title, report.subtitle, report.body] == [shown, shown, shown], "\(place)")
    }
    await rig.tearDown()
  }

  @Test("A4: of the sounds of a batch the last plays; the others are a word in the events of their pushes")
  func soundsOfABatch() async throws {
    let before = rig.output.record.withLock(\.eventArrivals)
    let gate = DispatchSemaphore(value: 0)
    rig.host.host.executor.submit { gate.wait() }
    for number in 1...3 { rig.host.queue.submit(rig.push(UInt64(number), badge: number), to: .tokenOwner) { _ in } }
    gate.signal()
    await rig.host.isAtHand()
    await rig.host.isAtHand()
    let record = rig.output.record.withLock { $0 }
    #expect(record.eventArrivals == before + 1)
    #expect(record.effects.compactMap(\.sound?.push) == [PushID(high: 0, low: 3)])
    let events = try await rig.host.read { _, store, number, _ in try store.events(of: number, after: 0, limit: 1_000) }
    let presented = events.filter { $0.event == "presented" }
    #expect(presented.map { $0.fields["sound"] } == [.text("default"), .text("default"), .text("default")])
    #expect(presented.map { $0.fields["silenced"] } == [.text("replaced"), .text("replaced"), nil])
    #expect(presented.map { $0.fields["rule"] } == [.text("A4"), .text("A4"), nil])
    #expect(!events.contains { $0.event == "sound-ended" })
    await rig.tearDown()
  }

  @Test("A5: while the speaker is lost, that a sound is not played is a word in the event of its push")
  func soundOfALostSpeaker() async throws {
    let before = rig.output.record.withLock(\.eventArrivals)
    for (number, isLost) in [(1, true), (2, false), (3, true)] {
      rig.speaker.isLost.withLock { $0 = isLost }
      await rig.expectAccepted(rig.push(UInt64(number), badge: number))
    }
    let record = rig.output.record.withLock { $0 }
    #expect(record.eventArrivals == before + 3)
    #expect(record.effects.compactMap(\.sound?.push) == [PushID(high: 0, low: 2)])
    let events = try await rig.host.read { _, store, number, _ in try store.events(of: number, after: 0, limit: 1_000) }
    let presented = events.filter { $0.event == "presented" }
    #expect(presented.map { $0.fields["sound"] } == [.text("default"), .text("default"), .text("default")])
    #expect(presented.map { $0.fields["vibration"] } == [.text("pulse"), .text("pulse"), .text("pulse")])
    #expect(presented.map { $0.fields["silenced"] } == [.text("speaker-lost"), nil, .text("speaker-lost")])
    #expect(presented.map { $0.fields["rule"] } == [.text("A5"), nil, .text("A5")])
    await rig.tearDown()
  }

  @Test("A report that nobody awaits is stored before the next reader reads, at its own moment")
  func reportForNobody() async throws {
    let before = rig.output.record.withLock(\.eventArrivals)
    let report = DriverReport(.lamp(lit: true), uptime: .seconds(3))
    rig.host.queue.report(.report(report), to: .first) { false }
    await rig.host.isAtHand()
    #expect(rig.output.record.withLock(\.eventArrivals) == before)
    let events = try await rig.host.read { _, store, number, _ in try store.events(of: number, after: 0, limit: 1_000) }
    #expect(events.last?.event == "lamp")
    #expect(events.last?.uptimeMicroseconds == 3_000_000)
    #expect(rig.output.record.withLock(\.eventArrivals) == before + 1)
    await rig.tearDown()
  }

  @Test("A commit that fails answers every push of its batch and leaves the handset as it was; the next tries again")
  func failingDatabase() async throws {
    await rig.expectAccepted(rig.push(1, badge: 1))
    let before = await rig.host.read { handset, _, _, _ in handset }
    let shown = rig.output.record.withLock { ($0.presentations.count, $0.effects.count, $0.eventArrivals) }

    rig.breakStore()
    let outcomes = await withTaskGroup(of: Input.Outcome.self) { group in
      for number in 2...40 { group.addTask { await rig.host.submit(rig.push(UInt64(number), badge: number)) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == 39)
    #expect(rig.host.devices.all.map(\.name) == ["store"])
    #expect(rig.host.devices.all.first?.problem?.contains("on purpose") == true)
    for outcome in outcomes {
      guard case .failed(let why) = outcome else {
        Issue.record("stored in a database that fails: \(outcome)")
        continue
      }
      #expect(why.contains("on purpose"))
    }
    #expect(await rig.host.read { handset, _, _, _ in handset } == before)
    // Nothing was shown, played or published that is not on the disk.
    let shownAfter = rig.output.record.withLock { ($0.presentations.count, $0.effects.count, $0.eventArrivals) }
    #expect(shownAfter == shown)

    rig.repairStore()
    await rig.expectAccepted(rig.push(41, badge: 41))
    let (badge, events) = try await rig.host.read { handset, store, number, now in
      (handset.presentation(at: now).badge, try store.events(of: number, after: 0, limit: 1_000).map(\.sequence))
    }
    #expect(badge == 41)
    #expect(rig.host.devices.all.map(\.problem) == [nil])
    #expect(events == Array(1...UInt64(events.count)), "no number is left out")
    await rig.tearDown()
  }

  @Test("What was cleared goes back to the disk once nothing waits")
  func givesBack() async throws {
    func size() throws -> Int {
      try ["", "-wal"].reduce(0) { sum, suffix in
        let file = "\(rig.folder)/deskbell.sqlite\(suffix)"
        return sum + (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0)
      }
    }
    let payload = [UInt8](repeating: 0x61, count: 512 * 1024)
    for number in 1...40 as ClosedRange<UInt64> {
      await rig.expectAccepted(
        .push(
          Push(
            id: PushID(high: 2, low: number), token: HostRig.token, topic: HostRig.app,
            message: Message(body: .literal("x")), payload: payload)))
    }
    #expect(try size() > 40 * 512 * 1024)
    await rig.expectAccepted(.clearCenter)
    // Each step is queued behind earlier work, so it is done by the next answer or by a later one.
    var steps = 0
    while try size() > 1024 * 1024, steps < 200_000 {
      await rig.host.isAtHand()
      steps += 1
    }
    #expect(try size() <= 1024 * 1024)
    await rig.expectAccepted(rig.push(1, badge: 1))
    await rig.tearDown()
  }

  @Test("P1: a push whose commit failed is no duplicate when it comes again; in one batch it is, and rings once")
  func theSameAgain() async throws {
    rig.breakStore()
    await rig.host.expectFailed(rig.named(1))
    rig.repairStore()
    // Inputs that arrive while the host's thread reads form one batch.
    let (outcomes, told) = AsyncStream.makeStream(of: Input.Outcome.self)
    await rig.host.read { _, _, _, _ in
      for _ in 1...3 { rig.host.queue.submit(rig.named(1), to: .tokenOwner) { told.yield($0) } }
    }
    var accepted = 0
    for await outcome in outcomes.prefix(3) { if case .stored(.accepted) = outcome { accepted += 1 } }
    #expect(accepted == 3)
    let names = try await rig.host.read { _, store, number, _ in
      try store.events(of: number, after: 0, limit: 1_000).map { $0.line.contains(#""event":"duplicate""#) }
    }
    #expect(names.count(where: \.self) == 2)
    let played = rig.output.record.withLock { $0.effects.count { if case .play = $0 { true } else { false } } }
    #expect(played == 1)
    await rig.tearDown()
  }

  @Test("After a failed commit the store works again once one has waited for the disk, which reports alone do not")
  func storeWorksAgain() async throws {
    rig.breakStore()
    await rig.host.expectFailed(rig.named(1))
    rig.repairStore()
    rig.host.queue.report(.report(DriverReport(.lamp(lit: true), uptime: .seconds(3))), to: .first) { false }
    let events = try await rig.host.read { handset, store, number, _ in
      try store.events(of: number, after: 0, limit: 99)
    }
    #expect(events.last?.line.contains(#""event":"lamp""#) == true)
    #expect(rig.host.devices.all.map(\.works) == [false])
    await rig.expectAccepted(rig.push(2, badge: 1))
    #expect(rig.host.devices.all.map(\.works) == [true])
    await rig.tearDown()
  }

  @Test("Pushes that wait share a commit, and each is answered with its own verdict")
  func sharedCommit() async throws {
    let other = Push(
      id: PushID(high: 1, low: 1), token: DeviceToken(bytes: [1])!, topic: HostRig.app, message: nil)
    let outcomes = await withTaskGroup(of: (UInt64, Input.Outcome).self) { group in
      for number in 1...500 as ClosedRange<UInt64> {
        group.addTask {
          (number, await rig.host.submit(number % 5 == 0 ? .push(other) : rig.push(number, badge: 3)))
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 1...500 as ClosedRange<UInt64> {
      let expected: Verdict = number % 5 == 0 ? .refused(.badDeviceToken) : .accepted
      guard case .stored(expected) = outcomes[number] else {
        Issue.record("push \(number): \(String(describing: outcomes[number]))")
        continue
      }
    }
    #expect(await rig.host.read { handset, _, _, _ in handset.listedCount(of: HostRig.app) } == 400)
    await rig.tearDown()
  }

  @Test("What is due while nothing can be stored is tried again at ever longer intervals, and at once when it can")
  func backingOff() async throws {
    let tea = LocalNotification(
      app: HostRig.app, identifier: "tea", push: PushID(high: 0, low: 1),
      trigger: .interval(.seconds(60), repeats: false), badge: .number(1))
    await rig.expectAccepted(.schedule(tea))
    await rig.host.isAtHand()
    rig.clock.moment.withLock { $0.uptime = .seconds(160) }
    let due = deadline(uptime: .seconds(160))
    #expect(rig.host.waker.asked.deadline == due && rig.host.waker.asked.pause == .zero)

    rig.breakStore()
    // A further push that cannot be stored does not extend the pause.
    let inputs: [Input] = [.wake, rig.push(2, badge: 1)] + Array(repeating: .wake, count: 8)
    for (input, pause) in zip(inputs, [100, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      await rig.host.expectFailed(input)
      await rig.host.isAtHand()
      #expect(rig.host.waker.asked.deadline == due && rig.host.waker.asked.pause == .milliseconds(pause))
    }

    rig.repairStore()
    await rig.expectAccepted(rig.push(3, badge: 2))
    await rig.host.isAtHand()
    #expect(rig.host.waker.asked.pause == .zero)
    #expect(await rig.host.read { handset, _, _, now in handset.pending(of: HostRig.app, at: now).isEmpty })
    // The pause begins anew.
    await rig.expectAccepted(.schedule(tea))
    rig.clock.moment.withLock { $0.uptime = .seconds(220) }
    rig.breakStore()
    await rig.host.expectFailed(.wake)
    await rig.host.isAtHand()
    #expect(rig.host.waker.asked.pause == .milliseconds(100))
    await rig.tearDown()
  }

  @Test("The banner's end is asked for, and a wake that comes then ends it (N3)")
  func wake() async throws {
    await rig.expectAccepted(rig.push(1, badge: 1))
    await rig.host.isAtHand()
    #expect(rig.host.waker.asked.deadline == deadline(uptime: .seconds(105)))
    rig.clock.moment.withLock { $0.uptime = .seconds(105) }
    await rig.expectAccepted(.wake)
    await rig.host.isAtHand()
    #expect(rig.output.record.withLock { $0.presentations.last?.banner } == nil)
    #expect(rig.host.waker.asked.deadline == nil)
    await rig.tearDown()
  }

  @Test("The first reading waits for the notifications, which a start leaves to the host, and for its first input")
  func start() async throws {
    for number in 1...3 { await rig.expectAccepted(rig.push(UInt64(number), badge: number)) }
    try await rig.host.write { store in
      try store.completeTables()
      try store.database.run("UPDATE notification SET push = 'nonsense' WHERE key = 1 << 40 | 2")
    }
    await rig.host.stop()

    // The rig's own host holds its folder.
    let folder = rig.folder + "-again"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.copyItem(atPath: rig.folder, toPath: folder)
    let store = try HandsetStore(directory: folder)
    let (contents, damage) = try store.loadFirst(handset: .first)
    #expect(contents.notifications.isEmpty && damage.isEmpty)
    let reported = Mutex<[String]>([])
    let again = try TestHost(
      store: store, handsets: [LoadedHandset(id: .first, contents: contents)], clock: rig.clock,
      start: HostStart(.daemon) { handset, damage in reported.withLock { $0.append("\(handset): \(damage)") } })
    let (pushes, last) = await again.read { handset, _, _, _ in
      (handset.contents.notifications.map(\.push.low), handset.record.nextEvent)
    }
    #expect(pushes == [1, 3])
    #expect(reported.withLock(\.self) == ["1: table 'notification', row '2', column 'push': it is not a blob"])
    #expect(last > contents.record.nextEvent)
    await again.stop()
    await rig.tearDown()
  }
}
