// The recorder and the wait for the end of pushes, through the control socket.

import FoundationEssentials
import HTTP
import HandsetCore
import PushPort
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host

@Suite(.timeLimit(.minutes(10))) struct RequestRoutesTests {
  private let id = PushID(high: 0, low: 1)

  /// Runs `body` with a test bench that has the app `mail`.
  private func withBench(_ body: (Asker, Bench) async throws -> Void) async throws {
    try await withServer(ControlRig(isBench: true)) { asker, rig async throws in
      await rig.installMail()
      try await body(asker, #require(rig.bench))
    }
  }

  private func request(
    _ bench: Bench, stream: UInt32 = 1, token: String? = nil, payload: [UInt8] = Array("{}".utf8)
  ) -> Int {
    var request = RecordedRequest(
      connection: 1, stream: stream, frontEnd: "apns", method: "POST", path: "/3/device/00",
      headers: [RecordedField("apns-topic", mail)])
    (request.app, request.token) = (mail, token)
    let number = bench.requestBegan(request).number
    bench.bodyReceived(payload, size: payload.count, of: number, provider: "mailer")
    return number
  }

  private func answer(_ status: Int, by source: RecordedAnswer.Source = .handset) -> RecordedAnswer {
    RecordedAnswer(
      status: status, reason: status == 200 ? nil : "Reason", by: source, fault: source == .fault ? "busy" : nil,
      headers: [RecordedField("apns-id", id.description)])
  }

  @Test(.daemon) func aDeskRecordsNothing() async throws {
    try await asker.refuses(["GET /v1/requests": notABench, "GET /v1/settled": notABench])
    let lines = try await asker.ask("GET", "/v1/events").body
    #expect(!lines.contains("realMicroseconds"))
  }

  @Test func listsRequests() async throws {
    try await withBench { asker, bench in
      let first = request(bench, token: ControlRig.token(1).hex.uppercased())
      bench.answered(first, answer(503, by: .fault), provider: "mailer")
      let second = request(bench, stream: 3, payload: [0xFF])
      bench.ended(second, "reset")
      let requests = try await asker.client.requests()
      #expect(requests.map(\.request) == [1, 2] && requests.map(\.stream) == [1, 3])
      let one = try #require(requests.first)
      #expect((one.protocol, one.method, one.path) == ("apns", "POST", "/3/device/00"))
      #expect(one.headers == [["apns-topic", mail]] && one.payload == "{}" && one.payloadBytes == 2)
      // The owner of the device token.
      #expect((one.handset, one.app, one.provider) == ("1", mail, "mailer"))
      #expect(one.push == id.description && one.uptimeMicroseconds == 60_000_000)
      #expect(one.wallMicroseconds == 1_700_000_000_000_000 && one.realMicroseconds > one.wallMicroseconds)
      #expect((one.answer?.status, one.answer?.reason, one.answer?.by) == (503, "Reason", "fault"))
      #expect(one.answer?.fault == "busy" && one.end == nil)
      #expect((requests[1].payload, requests[1].payloadBase64, requests[1].end) == (nil, "/w==", "reset"))
    }
  }

  @Test func filters() async throws {
    try await withBench { asker, bench in
      for status in [200, 503, 200] { bench.answered(request(bench), answer(status), provider: nil) }
      func numbers(_ change: (inout ControlClient.RequestFilter) -> Void) async throws -> [Int] {
        var filter = ControlClient.RequestFilter()
        change(&filter)
        return try await asker.client.requests(filter).map(\.request)
      }
      #expect(try await numbers { $0.after = 1 } == [2, 3])
      #expect(try await numbers { $0.status = 200 } == [1, 3])
      #expect(try await numbers { ($0.status, $0.last) = (200, 1) } == [3])
      #expect(try await numbers { $0.app = "com.example.other" } == [])
      #expect(try await numbers { $0.provider = "mailer" } == [1, 2, 3])
      #expect(try await numbers { $0.handset = "1" } == [])
      #expect(try await numbers { $0.connection = 2 } == [])
      #expect(try await numbers { $0.push = id.description.lowercased() } == [1, 2, 3])
      try await asker.refuses([
        "GET /v1/requests?after=x": "400 after is a number, 0 or more, not 'x'",
        "GET /v1/requests?last=0": "400 last is a number, 1 or more, not '0'",
        "GET /v1/requests?follow=1": "400 follow is true or false, not '1'",
      ])
    }
  }

  @Test func followsRequestsInTheOrderOfTheirEnds() async throws {
    try await withBench { asker, bench in
      let (first, second) = (request(bench), request(bench, stream: 3))
      bench.answered(second, answer(200), provider: nil)
      struct Enough: Error {}
      var seen: [Int] = []
      await #expect(throws: Enough.self) {
        try await asker.client.followRequests { request, _ in
          seen.append(request.request)
          if seen == [2] { bench.answered(first, answer(200), provider: nil) }
          if seen.count == 2 { throw Enough() }
        }
      }
      #expect(seen == [2, 1])
    }
  }

  @Test func eventsHaveRealTimes() async throws {
    try await withBench { asker, _ in
      var events: [EventReport] = []
      try await asker.client.events(after: 0, follow: false) { events.append(try asker.client.event($0)) }
      #expect(events.count == 3)
      for event in events {
        guard case .number(let real)? = event.fields["realMicroseconds"] else {
          Issue.record("\(event) has no real time")
          continue
        }
        // The handset's clock is a virtual one.
        #expect(real > event.wallMicroseconds)
      }
    }
  }

  @Test func settledSaysWhatCameOfAPush() async throws {
    try await withBench { asker, bench in
      let number = request(bench)
      await asker.rig.push(1)
      bench.answered(number, answer(200), provider: nil)
      let report = try await asker.client.settled()
      #expect(report.settled && report.pushes.count == 1)
      let push = try #require(report.pushes.first)
      #expect((push.push, push.app, push.status) == (id.description, mail, 200))
      #expect(push.presented == 1 && !push.rang)
      #expect(push.shown == ["alert", "Notification Center", "the lamp"])
      #expect(push.why == "It did not ring: it has no sound (A1). It showed: alert, Notification Center, the lamp.")
      // There is no board.
      #expect(push.lamp == nil && push.digits == nil && push.sound == nil)
      #expect(try await asker.client.settled(app: "com.example.other").pushes == [])
      bench.progress.beginAnew(on: .first)
      bench.requests.removeAll()
      #expect(try await asker.client.settled().pushes == [])
    }
  }

  @Test func settledKnowsPushesThatAFaultRefused() async throws {
    try await withBench { asker, bench in
      _ = try await asker.client.addFault(["name": "busy", "answer": "503", "pushes": "1"])
      let first = request(bench)
      var struck = try #require(bench.requests[first])
      struck.push = id.description
      #expect(bench.fault(at: .beforeCommit, of: struck)?.name == "busy")
      bench.answered(first, answer(503, by: .fault), provider: nil)
      let push = try #require(try await asker.client.settled().pushes.first)
      #expect((push.push, push.app, push.status, push.presented) == (id.description, mail, 503, 0))
      #expect(push.why == "It was answered 503 Reason (fault busy): nothing was presented.")
      // The same push again, as a careful provider sends it.
      let second = request(bench)
      await asker.rig.push(1)
      bench.answered(second, answer(200), provider: nil)
      let again = try await asker.client.settled().pushes
      #expect(again.map(\.status) == [200] && again.map(\.presented) == [1])
    }
  }

  @Test func settledWaitsForTheAnswer() async throws {
    try await withBench { asker, bench in
      let number = request(bench)
      try await asker.refuses([
        "GET /v1/settled?timeout=50ms":
          "408 not settled within 50ms: request 1 (POST /3/device/00) has no answer | a longer timeout waits longer; "
          + "'deskbell requests' and 'deskbell events' show the rest",
        "GET /v1/settled?timeout=never":
          "400 timeout is a time of up to 10 minutes, such as 500ms or 10s, not 'never'",
        "GET /v1/settled?push=Zebra": "400 'Zebra' is no identifier of a push…",
      ])
      // Another app's request is none of its.
      #expect(try await asker.client.settled(app: "com.example.other").settled)
      async let report = asker.client.settled(app: mail, within: .seconds(300))
      bench.answered(number, answer(503, by: .fault), provider: nil)
      #expect(try await report.settled)
    }
  }

  @Test func settledWaitsForNoSoundOfAHandsetThatIsNotOnTheBoard() async throws {
    try await withServer(ControlRig(["1", "2"], isBench: true)) { asker, rig async throws in
      let second = HandsetID(2)
      await rig.installMail(on: second)
      let push = Push(
        id: id, token: ControlRig.token(2), topic: AppID(mail)!, message: Message(body: .literal("Hello")),
        sound: .system)
      await rig.apply(.push(push), to: second)
      let bench = try #require(rig.bench)
      #expect(bench.progress.sounds(on: second).isEmpty && bench.progress.sounds(on: .first).isEmpty)
      let end = try await asker.client.of(handset: "2").settled().pushes
      #expect(end.map(\.push) == [id.description] && end.map(\.presented) == [1])
    }
  }

  @Test func settledWaitsForTheSound() async throws {
    try await withBench { asker, bench in
      let push = Push(
        id: id, token: ControlRig.token(1), topic: AppID(mail)!, message: Message(body: .literal("Hello")),
        sound: .system)
      await asker.rig.apply(.push(push))
      #expect(
        try await asker.refusal("GET", "/v1/settled?timeout=50ms")
          == "408 not settled within 50ms: the sound default of push \(id) plays | a longer timeout waits longer; "
          + "'deskbell requests' and 'deskbell events' show the rest")
      func report(_ kind: DriverReport.Kind) async {
        await asker.rig.apply(.report(DriverReport(kind, push: id, uptime: .seconds(60))))
      }
      await report(.soundStarted(name: "default"))
      async let settled = asker.client.settled(push: id.description, within: .seconds(300))
      await report(.soundEnded(name: "default", reason: "finished"))
      let end = try await settled.pushes.first
      #expect(end?.rang == true && end?.sound == 60_000_000)
      #expect(bench.progress.sounds(on: .first).isEmpty)
    }
  }
}

@Suite struct RequestRingTests {
  private func request(_ payload: Int = 0) -> RecordedRequest {
    var request = RecordedRequest(connection: 1, stream: 1, frontEnd: "apns", method: "POST", path: "/", headers: [])
    request.payload = Array(repeating: 0, count: payload)
    return request
  }

  @Test("It keeps as many requests as its limit, and no more")
  func count() {
    let ring = RequestRing()
    for _ in 0..<RequestRing.Limits.requests { _ = ring.append(request()) }
    #expect(ring[1] != nil)
    #expect(ring.append(request()).number == RequestRing.Limits.requests + 1)
    #expect(ring[1] == nil && ring[2] != nil && ring.requests().count == RequestRing.Limits.requests)
  }

  @Test("It keeps as many bytes as its limit, and no more")
  func bytes() {
    let ring = RequestRing()
    let each = RequestRing.Limits.bytes / 4
    for _ in 0..<3 { _ = ring.append(request(each)) }
    #expect(ring.requests().map(\.number) == [1, 2, 3])
    _ = ring.append(request(each))
    #expect(ring.requests().map(\.number) == [2, 3, 4])
    ring.removeAll()
    #expect(ring.requests().isEmpty && ring.append(request()).number == 5)
  }

  @Test("Readers get requests in the order of their ends, each once")
  func ends() {
    let ring = RequestRing()
    for _ in 0..<3 { _ = ring.append(request()) }
    var position = 0
    for number in [3, 1] { ring.change(number) { $0.end = "cut" } }
    #expect(ring.ended(after: &position, .init()).map(\.number) == [3, 1])
    #expect(ring.ended(after: &position, .init()).isEmpty)
    ring.change(2) { $0.end = "cut" }
    // A change after its end is none.
    ring.change(3) { $0.lint = ["L1"] }
    #expect(ring.ended(after: &position, .init(after: 1)).map(\.number) == [2])
  }
}
