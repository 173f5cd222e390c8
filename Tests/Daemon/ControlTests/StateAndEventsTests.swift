import FoundationEssentials
import HTTPRoutes
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

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
    try await withServer { asker, rig async throws in
      await rig.installMail()
      #expect(try await asker.ask("GET", "/v1/state").status == 200)
      let state = try await asker.client.state()
      #expect(state.version == "1.2.3")
      #expect(state.apps == 1)
      #expect(state.name == "1")
      #expect(state.isOnBoard)
      #expect(state.daemonUptimeMicroseconds == 5_000_000)
      #expect(state.pushAddress == "127.0.0.1:2197")
    }
  }

  @Test func givesTheAuthority() async throws {
    try await withServer { asker, rig async throws in
      let answer = try await asker.http.send("GET", "/v1/ca")
      #expect(answer.headers["Content-Type"] == "application/x-pem-file")
      #expect(try await asker.ask("GET", "/v1/ca").body == "-----BEGIN CERTIFICATE-----\n")
      #expect(try await asker.client.certificateAuthority() == "-----BEGIN CERTIFICATE-----\n")
      rig.breakStore()
      #expect(try await asker.refusal("GET", "/v1/ca") == "404 a certificate of your own is used")
    }
  }

  @Test func makesANewAuthority() async throws {
    try await withServer { asker, rig async throws in
      #expect(
        try await asker.ask("POST", "/v1/ca").body
          == #"{"certificate":"-----BEGIN CERTIFICATE-----\nnew\n","#
          + #""replaced":["/state/tls/ca-replaced-2026-11-22T030500Z.pem"]}"#)
      #expect(try await asker.client.renewCertificateAuthority() == ControlRig.authority)
      rig.breakStore()
      #expect(try await asker.refusal("POST", "/v1/ca") == "404 a certificate of your own is used")
    }
  }

  @Test func givesThePortsCertificate() async throws {
    try await withServer { asker, rig async throws in
      #expect(
        try await asker.ask("GET", "/v1/certificate").body
          == #"{"certificate":"-----BEGIN CERTIFICATE-----\n","file":"/etc/ssl/own.pem","#
          + #""host":"deskbell.example.org","names":["*.example.org","192.168.1.5"]}"#)
      #expect(try await asker.client.certificate() == ControlRig.certificate)
      rig.breakStore()
      #expect(try await asker.refusal("GET", "/v1/certificate") == "404 the push gateway does not run")
    }
  }

  @Test func listsEventsAndEnds() async throws {
    try await withServer { asker, rig async throws in
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
  }

  @Test func readsEveryFormOfField() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      await rig.push(7)
      var fields: [String: [String: Event.Field]] = [:]
      try await asker.client.events(after: 0, follow: false) { line async throws in
        let event = try asker.client.event(line)
        fields[event.event] = event.fields
      }
      #expect(fields["presented"] == ["listed": .flag(true), "style": .text("alert")])
      #expect(throws: HTTPClientError.self) { try asker.client.event(#"{"sequence":1}"#) }
    }
  }

  /// A reader gets the existing events and the new ones, in order; once it has left, nothing is kept for it.
  @Test func followsUntilTheReaderLeaves() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
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
      var departures = rig.departures.makeAsyncIterator()
      _ = await departures.next()
      #expect(rig.listenerCount == 0)
    }
  }

  @Test func endsWhenTheDaemonStops() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      var count = 0
      try await asker.client.events(after: 2, follow: true) { _ in
        count += 1
        rig.endEvents()
      }
      #expect(count == 1)
      #expect(rig.listenerCount == 0)
    }
  }

  @Test("A journal that cannot be read ends the stream with a line that says so, and the client throws it")
  func endsWithTheReason() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      var lines: [String] = []
      await #expect(throws: HTTPClientError.refused(status: 503, error: "the disk failed", hint: "look at it")) {
        try await asker.client.events(after: 2, follow: true) { line async throws in
          lines.append(line)
          rig.failEvents()
        }
      }
      #expect(lines.count == 1)
      var raw: [String] = []
      try await asker.http.lines("/v1/events?follow=true&after=2") { reader in
        while let line = try await reader.next() {
          raw.append(line)
          if raw.count == 1 { rig.failEvents() }
        }
      }
      #expect(raw.last == #"{"error":"the disk failed","hint":"look at it"}"#)
    }
  }

  @Test func refusesAQueryThatItDoesNotUnderstand() async throws {
    try await withServer { asker, _ async throws in
      #expect(
        try await asker.refusal("GET", "/v1/events?after=-1")
          == "400 after is an event's sequence number, 0 or more, not '-1'")
      #expect(try await asker.refusal("GET", "/v1/events?follow=yes") == "400 follow is true or false, not 'yes'")
      #expect(
        try await asker.refusal("GET", "/v1/events?folow=true")
          == "400 /v1/events has no query parameter 'folow' | did you mean 'follow'?")
      #expect(try await asker.refusal("GET", "/v1/state?all=1") == "400 /v1/state has no query parameter 'all'")
    }
  }

  @Test func saysThatThereIsNoSuchPath() async throws {
    try await withServer { asker, _ async throws in
      #expect(try await asker.ask("GET", "/v1/nothing").status == 404)
      #expect(try await asker.ask("POST", "/v1/state").status == 405)
    }
  }

  @Test func tellsNoDaemonFromARefusal() async throws {
    let missing = ControlClient(socket: "/tmp/deskbell-no-such-folder/control.sock")
    do {
      _ = try await missing.state()
      Issue.record("there is no daemon")
    } catch let error as HTTPClientError {
      #expect(error == .noSocket(.unixSocket(path: "/tmp/deskbell-no-such-folder/control.sock")))
    }
    try await withServer { asker, _ async throws in
      do {
        _ = try await asker.client.app(mail)
        Issue.record("there is no app")
      } catch let error as HTTPClientError {
        #expect(
          error
            == .refused(
              status: 404, error: "no app '\(mail)' is installed", hint: "no app is installed yet; install one first"))
      }
    }
  }
}
