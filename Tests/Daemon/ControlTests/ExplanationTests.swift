import FoundationEssentials
import HTTP
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct ExplanationTests {
  static let id = PushID(high: 0, low: 1)

  /// Explains a push that asks for everything, after `inputs` have happened before it.
  private func explained(
    _ change: (inout Push) -> Void = { _ in }, before inputs: [Input] = [], after later: [Input] = []
  ) async throws -> ExplanationReport {
    let rig = try ControlRig()
    await rig.installMail()
    for input in inputs { await rig.apply(input) }
    var push = Push(
      id: Self.id, token: ControlRig.token(1), topic: AppID(mail)!, message: Message(body: .literal("Hello")),
      badge: .number(3), sound: .system, expiration: .at(WallTime(seconds: 2_000_000_000)))
    change(&push)
    await rig.apply(.push(push))
    for input in later { await rig.apply(input) }
    let report = try await rig.parts.handset(named: nil).explanation(of: push.id)
    await rig.stop()
    return try #require(report)
  }

  @Test func rang() async throws {
    let report = try await explained()
    #expect(report.rang)
    #expect(
      report.summary
        == "It rang: badge 3, alert, Notification Center, the lamp, vibration pulse, sound default.")
    #expect(
      report.rulings.map(\.code) == [
        "R4.good", "F1.online", "R1.registered", "U2.person", "B1.set", "S2.on", "S1.allowed", "S6.registered",
        "N1.system", "S1.listed", "N3.alert", "S5.audible", "A1.default", "D3.vibrates", "D1.lit",
      ])
    #expect(report.events.map(\.event) == ["accepted", "badge", "presented"])
    #expect(report.rulings.allSatisfy { $0.event == report.events[0].sequence })
    #expect(report.now == ["an alert that waits", "in Notification Center, unseen"])
    #expect((report.pushes, report.eventsLeftOut, report.app, report.push) == (1, 0, mail, Self.id.description))
    #expect(
      report.rulings.first { $0.rule == "N3" }
        == RulingReport("N3.alert", event: report.events[0].sequence))
  }

  @Test func namesTheRulingThatDecided() async throws {
    let app = AppID(mail)!
    let cases: [([Input], (inout Push) -> Void, String?)] = [
      ([], { _ in }, "S5.audible"),
      ([.setCondition(.silent, true)], { _ in }, "S5.silent"),
      // A rule that stops all of it is more informative than one that stops the sound.
      ([.setAppSetting(app, .allowNotifications, "off"), .setCondition(.silent, true)], { _ in }, "S1.not-allowed"),
      ([], { $0.sound = .none }, "A1.none"),
    ]
    for (inputs, change, code) in cases {
      let report = try await explained(change, before: inputs)
      #expect(report.decision?.code == code)
      #expect(report.rulings.contains { $0 == report.decision })
    }
  }

  @Test("N11, N12: what sounded again, whether it was heard, and how it goes on")
  func soundedAgain() async throws {
    let app = AppID(mail)!
    let rang = "It rang: badge 3, alert, Notification Center, the lamp, vibration pulse, sound default."
    let again: [Input] = [.snooze(app, for: nil), .endSnooze(app)]
    let heard = try await explained(
      { $0.repetition = RepeatRequest(every: .seconds(60), times: 3) }, after: again + again)
    #expect(heard.summary == rang + " It sounded again 2 times.")
    #expect(
      heard.now == [
        "an alert that waits", "in Notification Center, unseen", "sounds again every 60 s, 0 of 3 times so far",
      ])
    #expect(heard.rulings.contains { $0.code == "N11.repeats" })
    let silent = try await explained(after: [.setCondition(.silent, true)] + again)
    #expect(silent.summary == rang + " It was to sound again 1 time, and was silent.")
    let both = try await explained(
      { $0.repetition = RepeatRequest() },
      after: again + [.setCondition(.silent, true)] + again + [.setAppSetting(app, .repeats, "off")])
    #expect(
      both.summary == rang
        + " It sounded again 1 time, and was silent 1 time; then it stopped: it may no longer sound again (S1).")
    let snoozed = try await explained(before: [.snooze(nil, for: nil)])
    #expect(
      snoozed.summary == "It did not ring: its app, or all, are snoozed (N12)."
        + " It showed: badge 3, alert, Notification Center, the lamp.")
  }

  @Test func didNotRing() async throws {
    let app = AppID(mail)!
    let shown = " It showed: badge 3, alert, Notification Center, the lamp."
    let cases: KeyValuePairs<[Input], String> = [
      [.setAppSetting(app, .sound, "off")]: "It did not ring: the app's sound is switched off (S1)." + shown,
      [.setHandsetSetting(.notifications, "off")]:
        "It did not ring: notifications are off for the whole handset (S2).",
      [.setCondition(.silent, true), .setHandsetSetting(.vibrateOnSilent, "off")]:
        "It did not ring: the ring/silent switch is on silent (S5)." + shown,
      [.lifecycle(app, .launch)]:
        "It did not ring: the app is in the foreground (N2). The app completed it: noData.",
      [.setCondition(.offline, true)]: "It did not ring: the handset was unreachable (F1).",
      [.uninstall(app)]: "It did not ring: the app of that device token is no longer registered (R4).",
    ]
    for (inputs, summary) in cases {
      let report = try await explained(before: inputs)
      #expect(report.summary == summary)
      #expect(!report.rang)
    }
    #expect(
      try await explained({
        $0.contentAvailable = true
        $0.type = .background
      }).summary
        == "It did not ring: a push of type background presents nothing (U3)."
        + " It was discarded: the app has no remote-notification background mode (U1).")
    #expect(
      try await explained({ $0.badge = .bad("-1") }).rulings.contains { $0.code == "B2.bad" && $0.stops == ["badge"] })
  }

  /// Rule F1: the rulings at the arrival on the handset are decisive.
  @Test func keptAndArrived() async throws {
    let report = try await explained(
      before: [.setCondition(.offline, true)], after: [.setCondition(.offline, false)])
    #expect(report.rang)
    #expect(report.summary.hasPrefix("It rang: badge 3, "))
    #expect(report.rulings.prefix(3).map(\.code) == ["R4.good", "F1.kept", "F1.online"])
    #expect(report.rulings[2].event == report.events.first { $0.event == "arrived" }?.sequence)
  }

  /// Rule F1: for a push that the service kept and discarded, the explanation is the end, not the beginning.
  @Test func keptAndDiscarded() async throws {
    let app = AppID(mail)!
    let newer = Push(
      id: PushID(high: 0, low: 2), token: ControlRig.token(1), topic: app, message: Message(body: .literal("Ha")),
      expiration: .at(WallTime(seconds: 2_000_000_000)))
    let replaced = try await explained(before: [.setCondition(.offline, true)], after: [.push(newer)])
    #expect(
      replaced.summary == "It did not ring: a newer push replaced it while the handset was unreachable (F1).")
    #expect(replaced.events.map(\.event) == ["accepted", "kept", "discarded"])
    #expect(replaced.now == [])
    let uninstalled = try await explained(before: [.setCondition(.offline, true)], after: [.uninstall(app)])
    #expect(uninstalled.summary == "It did not ring: the app was uninstalled (R3).")
    let kept = try await explained(before: [.setCondition(.offline, true)])
    #expect(kept.summary == "It did not ring: the handset was unreachable (F1).")
    #expect(kept.now == ["kept by the service until the handset is online"])

    let manual = try await explained(before: [.setHandsetSetting(.fetchMode, "manual")])
    #expect(
      manual.summary == "It did not ring: it waits in the service until somebody fetches or opens the app (S3).")
    #expect(manual.now == ["kept by the service until somebody fetches or opens the app"])

    var expired = Explanation(of: Self.id)
    let events: [(Event.Kind, String?)] = [
      (.accepted(.alert), "R4.good F1.kept"), (.kept(.offline), nil), (.discarded(.expiredOffline), nil),
    ]
    for (index, (kind, rulings)) in events.enumerated() {
      let event = Event(
        sequence: UInt64(index + 1), moment: ControlRig.now, app: app, push: Self.id, kind: kind)
      expired.read(EventReport(event).line, rulings: rulings)
    }
    #expect(
      try #require(expired.report(Handset(), at: ControlRig.now)).summary
        == "It did not ring: it expired while it waited in the service (F1).")
  }

  @Test func aBannerThatIsUp() async throws {
    let report = try await explained(before: [.setAppSetting(AppID(mail)!, .style, "banner")])
    #expect(report.now == ["a banner that is up", "in Notification Center, unseen"])
  }

  /// Rule N9: at its own volume, which is zero.
  @Test func criticalAtVolumeZero() async throws {
    let report = try await explained(
      {
        $0.level = .critical
        $0.sound = .critical(name: nil, volume: 0)
      }, before: [.setAppSetting(AppID(mail)!, .critical, "on")])
    #expect(!report.rang)
    #expect(
      report.summary
        == "It did not ring: the push gives its critical sound the volume 0 (N9)."
        + " It showed: badge 3, alert, Notification Center, the lamp, vibration triple.")
  }

  @Test func whatHappenedSince() async throws {
    let app = AppID(mail)!
    let seen = try await explained(after: [.lifecycle(app, .launch), .lifecycle(app, .kill)])
    #expect(seen.events.map(\.event) == ["accepted", "badge", "presented"])
    #expect(seen.now == ["in Notification Center, seen"])
    let clears = Input.setAppSetting(app, .clearOnLaunch, "on")
    let opened = try await explained(after: [clears, .lifecycle(app, .launch), .lifecycle(app, .kill)])
    #expect(opened.events.map(\.event) == ["accepted", "badge", "presented", "cleared"])
    #expect(opened.now == [])
    // A clearing after the push's own removal does not concern it.
    let other = Push(
      id: PushID(high: 0, low: 2), token: ControlRig.token(1), topic: app, message: Message(body: .literal("Ha")))
    let later = try await explained(after: [
      clears, .lifecycle(app, .launch), .lifecycle(app, .kill), .push(other), .lifecycle(app, .launch),
    ])
    #expect(later.events.map(\.event) == ["accepted", "badge", "presented", "cleared"])
    let viewed = try await explained(after: [.press(.view)])
    #expect(viewed.events.map(\.event).suffix(2) == ["answered", "cleared"])
    #expect(viewed.events.last?.text("reason") == "notification-opened")
    let failed = try await explained(after: [
      .report(DriverReport(.soundEnded(name: "default", reason: "no card"), push: Self.id, uptime: .zero))
    ])
    #expect(!failed.rang && failed.summary == "It should have rung, and its sound failed: no card.")
  }

  @Test func refusedByItsFrontEnd() throws {
    var explanation = Explanation(of: Self.id)
    explanation.read(
      #"{"detail":"5000 bytes, of 4096","event":"refused","push":"\#(Self.id)","reason":"PayloadTooLarge","sequence":1,"#
        + #""status":413,"uptimeMicroseconds":1,"wallMicroseconds":1}"#, rulings: nil)
    let report = try #require(explanation.report(Handset(), at: ControlRig.now))
    #expect(report.summary == "It did not ring: it was refused, 413 PayloadTooLarge: 5000 bytes, of 4096.")
    #expect(report.rulings == [] && report.app == nil)
  }

  @Test func aSoundThatANewerOneReplaced() throws {
    var explanation = Explanation(of: Self.id)
    explanation.read(
      #"{"app":"a","event":"presented","listed":true,"push":"\#(Self.id)","rule":"A4","sequence":1,"#
        + #""silenced":"replaced","sound":"default","style":"banner","#
        + #""text":"a newer sound replaced it before it began","uptimeMicroseconds":1,"wallMicroseconds":1}"#,
      rulings: nil)
    let report = try #require(explanation.report(Handset(), at: ControlRig.now))
    #expect(!report.rang)
    #expect(
      report.summary == "It did not ring: a newer sound replaced it before it began (A4). "
        + "It showed: banner, Notification Center.")
  }

  @Test func ofSeveralTheNewest() throws {
    var explanation = Explanation(of: Self.id)
    func line(_ event: String, _ sequence: Int, _ fields: String = "") -> String {
      #"{"app":"a","event":"\#(event)","push":"\#(Self.id)","sequence":\#(sequence),\#(fields)"#
        + #""uptimeMicroseconds":1,"wallMicroseconds":1}"#
    }
    explanation.read(line("accepted", 1), rulings: "R4.good F1.once")
    explanation.read("damaged", rulings: "R4.good")
    explanation.read(line("accepted", 2), rulings: "R4.good X9.new")
    let report = try #require(explanation.report(Handset(), at: ControlRig.now))
    #expect(report.pushes == 2)
    #expect(report.events.map(\.sequence) == [2])
    // An outcome of another version is passed on unchanged.
    #expect(report.rulings.map(\.code) == ["R4.good", "X9.new"])
    #expect(report.rulings[1].outcome == "X9.new" && report.rulings[1].title == "" && report.rulings[1].stops == [])
    #expect(report.summary == "It did not ring: the journal does not have how the rules decided.")
  }

  @Test func manyEventsAreCutInTheMiddle() throws {
    var explanation = Explanation(of: Self.id)
    for sequence in 1...ControlLimits.explainedEvents + 1 {
      explanation.read(
        #"{"event":"\#(sequence == 1 ? "accepted" : "lamp")","push":"\#(Self.id)","sequence":\#(sequence),"#
          + #""uptimeMicroseconds":1,"wallMicroseconds":1}"#, rulings: nil)
    }
    let report = try #require(explanation.report(Handset(), at: ControlRig.now))
    #expect(report.events.count == ControlLimits.explainedEvents)
    #expect(report.eventsLeftOut == 1)
    #expect(report.events.first?.event == "accepted")
    #expect(report.events.last?.sequence == UInt64(ControlLimits.explainedEvents + 1))
  }

  @Test(.daemonWithMail) func asked() async throws {
    await rig.push(0xAB)
    let id = PushID(high: 0, low: 0xAB).description
    let report = try await asker.client.explanation(of: id.uppercased())
    #expect(report.push == id)
    #expect(try await rig.parts.handset(named: nil).explanation(of: PushID(id)!) == report)
    try await asker.refuses([
      "GET /v1/pushes/\(PushID(high: 1, low: 1))/explanation":
        "404 the journal has nothing of push 00000000-0000-0001-0000-000000000001"
        + " | it keeps 100000 events, and the newest 10000 refusals; deskbell events lists them with their pushes",
      "GET /v1/pushes/abc/explanation": "400 'abc' is no identifier of a push"
        + " | it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B",
    ])
  }
}

extension Explanation {
  /// Reads an event from a line, and its rulings separated by spaces; an invalid line is skipped.
  fileprivate mutating func read(_ line: String, rulings: String?) {
    guard let report = try? JSONDecoder().decode(EventReport.self, from: Data(line.utf8)) else { return }
    read(report, rulings: (rulings ?? "").split(separator: " ").map(String.init))
  }
}
