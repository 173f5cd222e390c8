// Recorded inputs happen again: the events of a replay are the events of the run, byte for byte.

import FoundationEssentials
import Glibc
import HandsetStore
import TestSupport
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host
@testable import InputRecording

private struct RandomInputs {
  var random: SplitMix64
  let apps = ["mail", "news", "chess"].map { AppID($0)! }
  private var count: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  mutating func one<Choice>(_ choices: [Choice]) -> Choice { choices.randomElement(using: &random)! }

  mutating func next(now: Moment) -> Input {
    let app = one(apps)
    count += 1
    let id = PushID(high: 0xABCD, low: count)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45:
      return .push(
        Push(
          id: id, token: TimeRig.token(one(apps)), topic: one([app, app, apps[0]]),
          message: one([nil, Message(body: .literal("Text \(count)"))]),
          badge: one([.absent, .number(0), .number(7), .bad("x")]), sound: one([.none, .system, .named("bell")]),
          contentAvailable: one([true, false]), level: one(InterruptionLevel.allCases),
          collapseID: one([nil, "a", "b"]),
          expiration: one([.once, .at(now.wall.advanced(by: one([.seconds(-1), .seconds(90), .seconds(86_400)])))]),
          payload: Array("{\"n\":\(count)}".utf8)))
    case 45..<52:
      let manifest = AppManifest(
        id: app, name: app.text, receivesBackgroundUpdates: one([true, false]), sounds: ["bell"])
      return .install(manifest, token: TimeRig.token(app))
    case 52..<60: return .register(app, one([.all, [.badge], [.alert, .sound]]), token: TimeRig.token(app))
    case 60..<62: return .uninstall(app)
    case 62..<64: return .unregister(app)
    case 64..<74: return .lifecycle(app, one(LifecycleCommand.allCases))
    case 74..<77: return .setBadge(app, one([0, 3, -1]))
    case 77..<84: return .setAppSetting(app, one(AppSettings.Key.allCases), one(["on", "off", "alert", "banner"]))
    case 84..<87: return .setHandsetSetting(one(HandsetSettings.Key.allCases), one(["on", "off", "sum", "mail"]))
    case 87..<91: return .press(one(AlertButton.allCases))
    case 91..<93: return one([.clearCenter, .clearSection(app), .clearNotification(NotificationID(number: count / 3))])
    case 93..<97:
      let kind: DriverReport.Kind = one([.lamp(lit: true), .display(text: "  12"), .soundEnded(name: "a", reason: "b")])
      return .report(
        DriverReport(
          kind, push: one([nil, id]), uptime: now.uptime + .nanoseconds(Int.random(in: 0...9_999, using: &random))))
    case 97..<99:
      return .refused(RefusedPush(id: one([nil, id]), topic: app, status: 400, reason: "BadTopic", detail: "é\n"))
    default: return .wake
    }
  }
}

extension Replay {
  fileprivate static func lines(of file: String, state: String? = nil) throws -> [String] {
    var lines: [String] = []
    _ = try Replay(of: file, state: state).run { lines.append($1) }
    return lines
  }
}

@Suite(.timeLimit(.minutes(10))) struct ReplayTests {
  /// Drives a host with random inputs, over restarts of daemon and board, with time passing.
  private func run(seed: UInt64, in folder: Folder, inputs: Int, lives: Int, recording limit: Int) async throws
    -> [String]
  {
    var random = RandomInputs(seed: seed)
    var lines: [String] = []
    for life in 0..<lives {
      let start: Start = life == 2 ? .board : .daemon
      let rig = try TimeRig(in: folder, start: start, recording: limit)
      await rig.accepted(.start(start))
      if life == 0 { for app in random.apps { await rig.install(app) } }
      let controller = rig.controller()
      for _ in 0..<inputs {
        // Some wait together and share a commit.
        let batch = (0..<random.one([1, 1, 1, 5])).map { _ in random.next(now: rig.clock.now()) }
        await withTaskGroup(of: Void.self) { group in
          for input in batch { group.addTask { _ = await rig.host.submit(input) } }
        }
        let pause: Int64 = random.one([0, 0, 1, 5, 100, 90_000])
        if pause > 0 { _ = try await controller.advance(by: .seconds(pause)) }
      }
      lines = try await rig.eventLines()
      #expect(rig.log.all == [])
      await rig.stop()
    }
    return lines
  }

  @Test("A replay tells the same events, byte for byte, over restarts of daemon and board", arguments: [1, 2, 3])
  func sameEvents(seed: UInt64) async throws {
    let folder = try Folder()
    let lines = try await run(seed: seed, in: folder, inputs: 120, lives: 4, recording: InputRecorder.byteLimit)
    #expect(lines.count > 500)
    #expect(try Replay.lines(of: folder.recorded) == lines, "seed \(seed)")
  }

  @Test(
    "Recording may begin at any moment: a handset made of what it begins with goes on as the other", arguments: 1...6)
  func beginningAnywhere(seed: UInt64) throws {
    var random = RandomInputs(seed: seed)
    var handset = Handset()
    var now = TimeRig.start
    for app in random.apps {
      let manifest = AppManifest(id: app, name: "A", receivesBackgroundUpdates: true)
      _ = handset.handle(.install(manifest, token: TimeRig.token(app)), at: now)
      _ = handset.handle(.register(app, .all, token: TimeRig.token(app)), at: now)
    }
    for step in 0..<150 {
      let line = try RecordedLine.encoder().encode(RecordedLine(.contents(handset.contents)))
      guard case .contents(let contents) = try JSONDecoder().decode(RecordedLine.self, from: line).entry else { return }
      var copy = Handset(contents)
      for _ in 0..<8 {
        let input = random.next(now: now)
        let events = handset.handle(input, at: now).events
        #expect(copy.handle(input, at: now).events == events, "seed \(seed), step \(step): \(input)")
        let pause: Duration = random.one([.zero, .milliseconds(1), .seconds(2), .seconds(5), .seconds(4_000)])
        now = Moment(uptime: now.uptime + pause, wall: now.wall.advanced(by: pause))
      }
    }
  }

  @Test("N8: what only a banner showed is gone with the banner, also where recording began while it was up")
  func beginningDuringABanner() throws {
    let mail = AppID("mail")!
    var handset = Handset()
    var now = TimeRig.start
    func push(_ number: UInt64) -> Input {
      .push(
        Push(
          id: PushID(high: 0, low: number), token: TimeRig.token(mail), topic: mail,
          message: Message(body: .literal("x")), collapseID: "a"))
    }
    _ = handset.handle(.install(AppManifest(id: mail, name: "Mail"), token: TimeRig.token(mail)), at: now)
    _ = handset.handle(.register(mail, .all, token: TimeRig.token(mail)), at: now)
    _ = handset.handle(.setAppSetting(mail, .showInNotificationCenter, "off"), at: now)
    _ = handset.handle(push(1), at: now)
    #expect(handset.presentation(at: now).banner != nil)
    var copy = Handset(handset.contents)
    now.uptime += Policy.bannerDuration
    let events = handset.handle(push(2), at: now).events
    #expect(events.map(\.name) == ["accepted", "presented"])
    #expect(EventReport(events[1]).fields["replaces"] == nil)
    #expect(copy.handle(push(2), at: now).events == events)
  }

  @Test("Recording past its limit goes on in a new file, from where the handset stood; the two of them are a run's end")
  func turningOver() async throws {
    let folder = try Folder()
    let limit = 20_000
    let lines = try await run(seed: 7, in: folder, inputs: 200, lives: 2, recording: limit)
    let before = try Replay.lines(of: folder.recorded + ".1")
    let last = try Replay.lines(of: folder.recorded)
    #expect(before.count > 20)
    #expect(before + last == lines.suffix(before.count + last.count))
    #expect(before.count + last.count < lines.count, "the oldest are gone")
    for path in [folder.recorded, folder.recorded + ".1"] {
      let size = try Data(contentsOf: URL(filePath: path)).count
      // The limit, the initial contents (once a life), and the batch that exceeded the limit.
      #expect(size < limit + 20_000, "\(path): \(size)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.recorded + ".2"))
  }

  @Test("A replay may begin with a copy of a state directory")
  func fromState() async throws {
    let folder = try Folder()
    try await TimeRig.live(in: folder) { await $0.install(AppID("mail")!) }
    let copy = folder.path + "/copy"
    try FileManager.default.copyItem(atPath: folder.state, toPath: copy)
    let line = try RecordedLine.encoder().encode(RecordedLine(.input(.setBadge(AppID("mail")!, 3), TimeRig.start)))
    try line.write(to: URL(filePath: folder.recorded))
    #expect(try Replay.lines(of: folder.recorded) == [], "no such app in an empty handset")
    try await TimeRig.live(in: folder) { await $0.accepted(.lifecycle(AppID("mail")!, .launch)) }
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: folder.state, toPath: copy)
    #expect(
      try Replay.lines(of: folder.recorded, state: copy) == [
        #"{"app":"mail","event":"badge","number":3,"sequence":4,"uptimeMicroseconds":100000000,"#
          + #""wallMicroseconds":1800000000000000}"#
      ])
    #expect(throws: RecordingError.self) { try Replay(of: folder.recorded, state: folder.path + "/nowhere") }
  }

  @Test("A file that can no longer be written ends recording, which is said once, and costs no push")
  func unwritable() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder, recording: 100)
    // The first input exceeds the limit, and the file's new name is taken.
    try FileManager.default.createDirectory(atPath: folder.recorded + ".1/x", withIntermediateDirectories: true)
    let mail = AppID("mail")!
    await rig.install(mail)
    await rig.install(mail)
    #expect(rig.log.all.count == 1)
    #expect(
      rig.log.all.first?.hasPrefix(
        "inputs are no longer recorded to \(folder.recorded): ") == true)
    #expect(try Replay(of: folder.recorded).run { _, _ in }.inputs == 1)
    await rig.stop()
  }

  @Test("What could not be stored did not happen, and is not recorded")
  func onlyWhatWasStored() async throws {
    let folder = try Folder()
    let rig = try TimeRig(in: folder, recording: InputRecorder.byteLimit)
    await rig.install(AppID("mail")!)
    breakCommits(in: folder.state)
    for command in [LifecycleCommand.launch, .background] {
      await rig.host.expectFailed(.lifecycle(AppID("mail")!, command))
    }
    #expect(try Replay(of: folder.recorded).run { _, _ in } == Replay.Summary(inputs: 2, events: 2))
    await rig.stop()
  }

  @Test("Events are there after a restart, and go on without a gap")
  func eventsAfterRestart() async throws {
    let folder = try Folder()
    let before = try await TimeRig.live(in: folder) { rig in
      await rig.install(AppID("mail")!)
      return try await rig.eventLines()
    }
    let after = try await TimeRig.live(in: folder) { rig in
      await rig.accepted(.start(.daemon))
      return try await rig.eventLines()
    }
    #expect(after.dropLast() == before[...])
    #expect(after.last?.contains(#""event":"started""#) == true)
    #expect(after.last?.contains(#""sequence":3,"#) == true)
  }
}

extension Turn {
  fileprivate init(event: Event) {
    self.init(now: event.moment)
    events = [event]
  }
}
