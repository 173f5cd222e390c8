import FoundationEssentials
import HTTP
import HandsetCore
import HandsetStore
import TestSupport
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

@Suite(.timeLimit(.minutes(10))) struct StateAndEventsTests {
  @Test func aLampIsReportedAsAnEyeSeesIt() {
    let breathe = PresentationReport.Lamp.seen(LampPattern.breathe.steps[...])
    // Flashes of 10 ms are merged by fives, and the period remains the same.
    #expect(breathe.count == 62)
    #expect(breathe.map(\.milliseconds).reduce(0, +) == 4_000)
    #expect(breathe[0] == .init(lit: true, milliseconds: 50, brightness: 2))
    #expect(breathe[30] == .init(lit: true, milliseconds: 20, brightness: 100))
    #expect(breathe[61] == .init(lit: false, milliseconds: 1_000, brightness: 0))
    #expect(zip(breathe[..<30], breathe[1...30]).allSatisfy { $0.brightness <= $1.brightness })
    #expect(zip(breathe[30..<61], breathe[31...61]).allSatisfy { $0.brightness >= $1.brightness })
    #expect(
      PresentationReport.Lamp.seen(LampPattern.double.steps[...])
        == [(true, 120), (false, 120), (true, 120), (false, 1_140)].map {
          .init(lit: $0.0, milliseconds: $0.1, brightness: $0.0 ? 100 : 0)
        })
  }

  @Test func saysTheState() async throws {
    try await withServer(ControlRig(["1", "kitchen"])) { asker, rig async throws in
      await rig.installMail()
      let state = try await asker.client.state()
      #expect(state.version == Daemon.version)
      #expect(state.apps == 1)
      #expect(state.name == "1")
      #expect(state.isOnBoard)
      // The daemon's own uptime, whatever the handset's clock shows.
      #expect(state.daemonUptimeMicroseconds >= 90_000_000)
      #expect(state.uptimeMicroseconds == 60_000_000)
      #expect(state.pushAddress == "127.0.0.1:1" && state.httpAddress == "*:2199")
      #expect(state.settingsFile == "/etc/desk.yaml" && state.stateDirectory == rig.folder)
      let kitchen = try await asker.client.of(handset: "kitchen").state()
      #expect(!kitchen.isOnBoard && kitchen.presentation.digits == nil)
    }
  }

  @Test(.daemon) func givesTheAuthorityAndThePortsCertificate() async throws {
    let none =
      "404 the push port uses a certificate of your own, or is not running"
      + " | deskbell state shows what is wrong"
    try await asker.refuses([
      "GET /v1/ca": none,
      "POST /v1/ca": none,
      "GET /v1/certificate": "404 the push port does not run | deskbell state shows what is wrong",
    ])
    try rig.useCertificate()
    let answer = try await asker.http.send("GET", "/v1/ca")
    #expect(answer.headers["Content-Type"] == "application/x-pem-file")
    #expect(try await asker.client.certificateAuthority().hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    let certificate = try await asker.client.certificate()
    #expect(certificate.certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(certificate.file == nil && !certificate.names.isEmpty)
    #expect(certificate.pin?.hasPrefix("sha256//") == true)
  }

  @Test(.daemon) func listsEventsAndEnds() async throws {
    #expect(try await asker.ask("GET", "/v1/events").body == "")
    await rig.apply(.install(AppManifest(id: AppID(mail)!, name: "Mail"), token: ControlRig.token(1)))
    await rig.apply(.register(AppID(mail)!, [.badge, .alert], token: ControlRig.token(2)))
    #expect(
      try await asker.ask("GET", "/v1/events?after=1").body.split(separator: "\n").count == 1)
    var lines: [String] = []
    try await asker.client.events(after: 0, follow: false) { lines.append($0) }
    let events = try lines.map(asker.client.event)
    #expect(events.map(\.event) == ["installed", "registered"])
    #expect(events.map(\.sequence) == [1, 2])
    #expect(events.map(\.app) == [mail, mail])
    #expect(events.map(\.push) == [nil, nil])
    #expect(events[0].uptimeMicroseconds == 60_000_000)
    #expect(events[0].wallMicroseconds == 1_700_000_000_000_000)
    #expect(events.map(\.fields) == [[:], ["kinds": .list(["badge", "alert"])]])
  }

  @Test(.daemonWithMail) func readsEveryFormOfField() async throws {
    await rig.push(7)
    var fields: [String: [String: Event.Field]] = [:]
    try await asker.client.events(after: 0, follow: false) { line async throws in
      let event = try asker.client.event(line)
      fields[event.event] = event.fields
    }
    #expect(fields["presented"] == ["listed": .flag(true), "style": .text("alert")])
    #expect(throws: HTTPClientError.self) { try asker.client.event(#"{"sequence":1}"#) }
  }

  /// A reader gets the existing events and the new ones, in order; once it has left, nothing is kept for it.
  @Test(.daemonWithMail) func followsUntilTheReaderLeaves() async throws {
    struct Enough: Error {}
    var seen: [String] = []
    await #expect(throws: Enough.self) {
      try await asker.client.events(after: 0, follow: true) { line async throws in
        seen.append(try asker.client.event(line).event)
        // The next event happens only now, with the stream open.
        if seen.count == 3 { await rig.apply(.lifecycle(AppID(mail)!, .launch)) }
        if seen.count == 4 { throw Enough() }
      }
    }
    #expect(seen == ["installed", "registered", "setting", "lifecycle"])
    try await wait { rig.events.state.withLock { $0.listeners[.first]?.isEmpty == true } }
  }

  @Test(
    "A journal that cannot be read ends the stream with a line that says so, and the client throws it", .daemonWithMail)
  func endsWithTheReason() async throws {
    var lines: [String] = []
    do {
      try await asker.client.events(after: 2, follow: true) { line async throws in
        lines.append(line)
        failEvents(of: rig)
      }
      Issue.record("the stream went on")
    } catch HTTPClientError.refused(let status, let error, let hint) {
      #expect(status == 503 && error.hasPrefix("the events after number 3 cannot be read: "))
      #expect(hint == "continue with 'deskbell events --since 3' once the disk works again")
    }
    #expect(lines.count == 1)
    let raw = try await asker.http.send("GET", "/v1/events?after=2")
    #expect(
      String(decoding: raw.body, as: UTF8.self).hasPrefix(#"{"error":"the events after number 2 cannot be read"#))
  }

  /// Makes the journal unreadable, and signals that there are more events, without storing any.
  private func failEvents(of rig: ControlRig) {
    rig.runSQL("DROP TABLE event")
    var turn = Turn(now: ControlRig.now)
    turn.events = [Event(sequence: 4, moment: ControlRig.now, app: nil, push: nil, kind: .installed)]
    rig.events.publish(CommittedBatch(turns: [HandsetTurn(handset: .first, turn: turn)], presentations: [:]))
  }

  @Test(.daemon) func refusesAQueryThatItDoesNotUnderstand() async throws {
    try await asker.refuses([
      "GET /v1/events?after=-1": "400 after is an event's sequence number, 0 or more, not '-1'",
      "GET /v1/events?follow=yes": "400 follow is true or false, not 'yes'",
      "GET /v1/events?folow=true": "400 /v1/events has no query parameter 'folow' | did you mean 'follow'?",
      "GET /v1/state?all=1": "400 /v1/state has no query parameter 'all'",
    ])
  }

  @Test(.daemon) func saysThatThereIsNoSuchPath() async throws {
    #expect(try await asker.ask("GET", "/v1/nothing").status == 404)
    #expect(try await asker.ask("POST", "/v1/state").status == 405)
  }

  @Test(.daemon) func tellsNoDaemonFromARefusal() async throws {
    let missing = ControlClient(socket: "/tmp/deskbell-no-such-folder/control.sock")
    await #expect(
      throws: HTTPClientError.noSocket(.unixSocket(path: "/tmp/deskbell-no-such-folder/control.sock"))
    ) { try await missing.state() }
    await #expect(
      throws: HTTPClientError.refused(
        status: 404, error: "no app '\(mail)' is installed", hint: "no app is installed yet; install one first")
    ) { try await asker.client.app(mail) }
  }
}
