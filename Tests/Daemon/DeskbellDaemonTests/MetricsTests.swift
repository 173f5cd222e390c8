import Dispatch
import FoundationEssentials
import HandsetStore
import NIOPosix
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

private let mail = AppID("com.example.mail")!
private let token = DeviceToken(bytes: [UInt8](repeating: 7, count: 32))!

@Suite struct PrometheusTextTests {
  @Test func writesFamiliesAndEscapesLabels() {
    var text = PrometheusText()
    text.single("a_total", .counter, "What is counted.", 3)
    text.family("b", .gauge, "A level.")
    text.add(-1, .init(["app": "com.example.mail", "reason": "a \"b\"\\c\nd"]))
    text.add(12, .init(["x": "y"]), and: .init(["z": ""]))
    text.single("c", .gauge, "A share.", 0.25)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == #"""
        # HELP a_total What is counted.
        # TYPE a_total counter
        a_total 3
        # HELP b A level.
        # TYPE b gauge
        b{app="com.example.mail",reason="a \"b\"\\c\nd"} -1
        b{x="y",z=""} 12
        # HELP c A share.
        # TYPE c gauge
        c 0.25

        """#)
  }

  @Test("A bucket has what is below its bound and at it, and all below it")
  func histogram() {
    var histogram = DurationHistogram()
    for duration in DurationHistogram.bounds + [.zero, .microseconds(1_001), .seconds(60)] { histogram.add(duration) }
    var text = PrometheusText()
    text.family("c_seconds", .histogram, "Times.")
    text.add(histogram)
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").dropFirst(2)
    #expect(
      lines == [
        "c_seconds_bucket{le=\"0.001\"} 2", "c_seconds_bucket{le=\"0.0025\"} 4", "c_seconds_bucket{le=\"0.005\"} 5",
        "c_seconds_bucket{le=\"0.01\"} 6", "c_seconds_bucket{le=\"0.025\"} 7", "c_seconds_bucket{le=\"0.05\"} 8",
        "c_seconds_bucket{le=\"0.1\"} 9", "c_seconds_bucket{le=\"0.25\"} 10", "c_seconds_bucket{le=\"0.5\"} 11",
        "c_seconds_bucket{le=\"1.0\"} 12", "c_seconds_bucket{le=\"2.5\"} 13", "c_seconds_bucket{le=\"10.0\"} 14",
        "c_seconds_bucket{le=\"+Inf\"} 15", "c_seconds_sum 74.444501", "c_seconds_count 15",
      ])
  }
}

@Suite(.timeLimit(.minutes(10))) struct MetricsSinkTests {
  private let sink = MetricsSink([])
  private let manifest = AppManifest(id: mail, name: "Mail", receivesBackgroundUpdates: true)

  private func withHost(_ body: (TestHost, _ folder: String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try TestHost(store: HandsetStore(directory: folder), sinks: [sink])
    do {
      try await body(host, folder)
    } catch {
      await host.stop()
      throw error
    }
    await host.stop()
  }

  private func push(_ number: UInt64, badge: Int = 1) -> Input {
    .push(
      Push(
        id: PushID(high: 0, low: number), token: token, topic: mail, message: Message(body: .literal("Letter")),
        badge: .number(badge)))
  }

  /// Returns the lines of those families.
  private func lines(_ names: String...) -> [String] {
    var figures = MetricsFigures(counts: sink.counts, process: ProcessFigures(), started: 0)
    figures.port.refusedRequests = [400: 2, 410: 1]
    return String(decoding: figures.text, as: UTF8.self).split(separator: "\n").map(String.init).filter { line in
      names.contains { line.hasPrefix("\($0){") || line.hasPrefix("\($0) ") }
    }
  }

  @Test func countsPushesAndWhatBecameOfThem() async throws {
    try await withHost { host, _ in
      _ = await host.submit(.install(manifest, token: token))
      _ = await host.submit(push(1))
      _ = await host.submit(.register(mail, .all, token: token))
      for number in 2...4 { _ = await host.submit(push(UInt64(number))) }
      _ = await host.submit(.setHandsetSetting(.notifications, "off"))
      _ = await host.submit(push(5))
      _ = await host.submit(.report(DriverReport(.soundEnded(name: "bell", reason: "finished"), uptime: .zero)))
      _ = await host.submit(.report(DriverReport(.soundEnded(name: "bell", reason: "the card is gone"), uptime: .zero)))
      _ = await host.submit(.report(DriverReport(.deviceLost(problem: "the card is gone"), uptime: .zero)))
      await host.isAtHand()
      #expect(
        lines(
          "deskbell_pushes_total", "deskbell_outcomes_total", "deskbell_sounds_total", "deskbell_device_failures_total",
          "deskbell_inputs_total", "deskbell_refused_requests_total") == [
            #"deskbell_pushes_total{app="com.example.mail",push_type="alert",status="delivered_to_device"} 3"#,
            #"deskbell_pushes_total{app="com.example.mail",push_type="alert",status="discarded_disabled"} 1"#,
            #"deskbell_pushes_total{app="com.example.mail",push_type="alert",status="discarded_token_unregistered"} 1"#,
            #"deskbell_pushes_total{app="com.example.mail",push_type="alert",status="received_by_apns"} 5"#,
            #"deskbell_outcomes_total{app="com.example.mail",outcome="discarded",reason="not-registered"} 1"#,
            #"deskbell_outcomes_total{app="com.example.mail",outcome="not-presented",reason="handset-off"} 1"#,
            #"deskbell_outcomes_total{app="com.example.mail",outcome="presented",reason=""} 3"#,
            #"deskbell_sounds_total{result="failed"} 1"#, #"deskbell_sounds_total{result="finished"} 1"#,
            #"deskbell_refused_requests_total{status="400"} 2"#, #"deskbell_refused_requests_total{status="410"} 1"#,
            "deskbell_inputs_total 11", "deskbell_device_failures_total 1",
          ])
      // Reports do not wait for the disk.
      #expect(sink.counts.commits.count == 8)
      #expect(sink.counts.commits.sum > .zero)
    }
  }

  @Test("A4, A5: a sound that is not played counts as replaced, or as failed if there is no speaker for it")
  func droppedSounds() {
    for (reason, count) in [(Event.NotPresented.soundReplaced, 2), (.speakerLost, 3), (.quietHours, 1)] {
      var turn = Turn(now: TimeRig.start)
      let rung = Rung(sound: "letter", silenced: reason)
      let kinds = [Event.Kind.presented(.init(rung: rung)), .repeated(.init(rung: rung))]
      turn.events = kinds.map { Event(sequence: 1, moment: turn.now, kind: $0) }
      for _ in 1...count {
        sink.publish(CommittedBatch(turns: [HandsetTurn(handset: .first, turn: turn)], presentations: [:]))
      }
    }
    #expect(
      lines("deskbell_sounds_total")
        == [#"deskbell_sounds_total{result="failed"} 6"#, #"deskbell_sounds_total{result="replaced"} 4"#])
  }

  @Test("An app has counters while a handset has it, so that their number has a bound")
  func uninstalled() async throws {
    try await withHost { host, _ in
      _ = await host.submit(.install(manifest, token: token))
      _ = await host.submit(.install(manifest, token: token))
      _ = await host.submit(push(1))
      await host.isAtHand()
      #expect(lines("deskbell_pushes_total").count == 2)
      _ = await host.submit(.uninstall(mail))
      await host.isAtHand()
      #expect(lines("deskbell_pushes_total", "deskbell_outcomes_total") == [])
      #expect(sink.counts.apps.isEmpty)
    }
  }

  /// Returns the statuses of a day with their counts.
  private func statuses(_ sink: MetricsSink, byDay: Bool = false) -> [String] {
    sink.counts.deliveries.report(byDay: byDay).map {
      "\($0.date.map { $0 + " " } ?? "")\($0.pushType) \($0.status): \($0.count)"
    }
  }

  /// Publishes a turn with these events of pushes.
  private func publish(_ events: [(UInt64, Event.Kind)], to sink: MetricsSink, after time: Duration = .zero) {
    let start = TimeRig.start
    var turn = Turn(now: Moment(uptime: start.uptime + time, wall: start.wall.advanced(by: time)))
    turn.events = events.map { push, kind in
      Event(sequence: 1, moment: turn.now, app: mail, push: PushID(high: 0, low: push), kind: kind)
    }
    sink.publish(CommittedBatch(turns: [HandsetTurn(handset: .first, turn: turn)], presentations: [:]))
  }

  @Test("A push has one end, also if others end in its turn, and storage knows its type")
  func statusesOfTurns() {
    publish([(1, .accepted(.voip)), (1, .kept(.offline))], to: sink)
    publish([(2, .accepted(.alert)), (1, .discarded(.replacedOffline)), (2, .kept(.offline))], to: sink)
    publish([(3, .accepted(.background)), (3, .held(.lowPower))], to: sink)
    publish(
      [(2, .arrived), (2, .presented(Event.Presented())), (2, .held(.lowPower)), (3, .delivered(.background))],
      to: sink)
    // The end of what is delivered already counts no more.
    publish([(2, .delivered(.background)), (3, .discarded(.stopped)), (4, .presented(Event.Presented()))], to: sink)
    publish([(5, .accepted(.alert)), (5, .notPresented(.appNotAllowed)), (5, .delivered(.background))], to: sink)
    #expect(
      statuses(sink) == [
        "alert Received by APNs: 2", "alert Delivered to Device: 1", "alert Delivered to Device (From Storage): 1",
        "alert Stored – Device Offline: 1", "background Received by APNs: 1",
        "background Delivered to Device (From Storage): 1", "background Stored – Power Considerations: 1",
        "voip Received by APNs: 1", "voip Stored – Device Offline: 1",
      ])
  }

  @Test("What was stored before the start is known by its type, and is delivered from storage")
  func statusesAfterAStart() {
    var contents = Handset.Contents()
    let push = Push(id: PushID(high: 0, low: 1), token: token, topic: mail, type: .voip)
    contents.kept[.app(mail)] = KeptPush(push: push, number: 1, expires: TimeRig.start.wall)
    var held = HeldUpdate(push: PushID(high: 0, low: 2), expires: TimeRig.start.wall)
    held.type = .background
    contents.held[mail] = held
    let sink = MetricsSink([LoadedHandset(id: .first, contents: contents)])
    publish([(1, .arrived), (1, .discarded(.unregistered)), (2, .discarded(.expired))], to: sink)
    #expect(
      statuses(sink) == [
        "background Discarded – Expired: 1", "voip Discarded – Token Unregistered (From Storage): 1",
      ])
  }

  @Test("Thirty days are kept, of a clock that may be set back")
  func days() {
    let day = Duration.seconds(86_400)
    func push(_ number: Int) { publish([(UInt64(number), .accepted(.alert))], to: sink, after: day * number) }
    for number in 0..<DeliveryCounts.dayLimit { push(number) }
    push(0)
    #expect(statuses(sink, byDay: true).first?.hasSuffix(" alert Received by APNs: 2") == true)
    #expect(statuses(sink, byDay: true).count == 30)
    // The day whose first push since another day is the longest ago gives way.
    push(DeliveryCounts.dayLimit)
    #expect(statuses(sink, byDay: true).count == 30 && statuses(sink) == ["alert Received by APNs: 31"])
  }

  @Test("One of two handsets uninstalls an app, and its counters stay")
  func twoHandsets() {
    var handset = Handset()
    _ = handset.handle(.install(manifest, token: token), at: TimeRig.start)
    let app = handset.apps[mail]!
    var contents = Handset.Contents()
    contents.apps = [app]
    let sink = MetricsSink([
      LoadedHandset(id: .first, contents: contents), LoadedHandset(id: HandsetID(2), contents: contents),
    ])
    func uninstall(_ handset: HandsetID) {
      var turn = Turn(now: TimeRig.start)
      turn.changes = [.app(mail, before: app, after: nil)]
      sink.publish(CommittedBatch(turns: [HandsetTurn(handset: handset, turn: turn)], presentations: [:]))
    }
    uninstall(.first)
    #expect(sink.counts.apps.keys.map(\.text) == ["com.example.mail"])
    uninstall(HandsetID(2))
    #expect(sink.counts.apps.isEmpty)
  }

  @Test("A full store is no health, and it is well again when a write succeeds, without a push")
  func health() async throws {
    try await withHost { host, folder in
      let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
      #expect(await host.host.health(on: eventLoop) == HealthReport(problems: []))
      _ = await host.submit(.install(manifest, token: token))
      _ = await host.write { store in try? store.setMeta(.bootID, "boot") }
      breakCommits(in: folder)
      runSQL(
        in: folder, "CREATE TRIGGER other BEFORE UPDATE ON meta BEGIN SELECT RAISE(FAIL, 'on purpose'); END")
      await host.expectFailed(push(1))
      let failing = await host.host.health(on: eventLoop)
      #expect(failing.status == "failing")
      #expect(failing.problems.count == 1)
      #expect(failing.problems.first?.hasPrefix("nothing can be stored: ") == true)
      #expect(failing.problems.first?.contains("on purpose") == true)
      #expect(host.devices.all.map(\.works) == [false])
      #expect(await host.host.readEach([]) { _, _, _, _ in 0 }.failedCommits == 1)
      repairCommits(in: folder)
      runSQL(in: folder, "DROP TRIGGER other")
      #expect(await host.host.health(on: eventLoop) == HealthReport(problems: []))
      #expect(host.devices.all.map(\.works) == [true])
    }
  }

  @Test("A host that does not answer is no health")
  func hangs() async throws {
    try await withHost { host, _ in
      let goesOn = DispatchSemaphore(value: 0)
      host.host.executor.submit { goesOn.wait() }
      let health = await host.host.health(
        on: MultiThreadedEventLoopGroup.singleton.next(), within: .milliseconds(10))
      #expect(health == HealthReport(problems: ["the host's thread does not answer"]))
      goesOn.signal()
    }
  }
}
