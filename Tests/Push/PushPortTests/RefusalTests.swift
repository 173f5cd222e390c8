import HTTP
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Synchronization
import TestSupport
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

/// A clock that the test moves.
private final class Uptime: Sendable {
  private let now = Mutex(Duration.seconds(1_000))

  var clock: PortClock {
    var clock = PortClock.standing()
    clock.uptime = { self.now.withLock { $0 } }
    return clock
  }

  func advance(_ duration: Duration) { now.withLock { $0 += duration } }
}

@Suite("Events of refusals", .timeLimit(.minutes(10)))
struct RefusalMeterTests {
  private let receiver = RecordingReceiver()
  private let uptime = Uptime()
  private let loop = EmbeddedEventLoop()

  private func meter(_ change: (inout PortLimits) -> Void = { _ in }) throws -> RefusalMeter {
    try port(change).refusals
  }

  private func port(_ change: (inout PortLimits) -> Void) throws -> Port {
    var limits = PortLimits.standard
    limits.refusalEvents = 3
    limits.refusalPause = .seconds(10)
    limits.refusalSummaryInterval = .seconds(1)
    change(&limits)
    return try testPort(
      ProviderDirectory(), recorder: receiver, limits: limits, clock: uptime.clock, eventLoopGroup: loop)
  }

  private func refusal(_ number: Int) -> RefusedPush { refusal(number, nil) }

  private func refusal(_ number: Int, _ source: String?) -> RefusedPush {
    RefusedPush(
      id: PushID(high: 0, low: UInt64(number)), topic: bell, status: 405, reason: "MethodNotAllowed",
      detail: "mistake \(number)", source: source)
  }

  private func address(_ text: String) throws -> RefusalMeter.Source {
    .address(
      ClientAddress(
        try SocketAddress(ipAddress: text, port: 1), neighbours: Neighbours(uptime: { .zero }, read: { [] })))
  }

  private func advance(_ duration: Duration) {
    uptime.advance(duration)
    loop.advanceTime(by: .microseconds(duration.inMicroseconds))
  }

  private var details: [String] { receiver.refusals.map(\.detail) }

  @Test("The first refusals have an event each, at once; the others share one event a second")
  func summaries() throws {
    let meter = try meter()
    let source = try address("192.0.2.7")
    for number in 1...3 { #expect(meter.note(refusal(number), of: source)) }
    #expect(receiver.refusals == (1...3).map(refusal))
    for number in 4...1_203 { #expect(!meter.note(refusal(number), of: source)) }
    #expect(receiver.refusals.count == 3)
    advance(.milliseconds(999))
    #expect(receiver.refusals.count == 3)
    advance(.milliseconds(1))
    #expect(
      receiver.refusals.dropFirst(3) == [
        RefusedPush(
          id: nil, topic: nil, status: 405, reason: "MethodNotAllowed",
          detail: "1,200 more requests of 192.0.2.7 were refused; the last: mistake 1203")
      ])
    // No timer runs without anything to write.
    advance(.seconds(8))
    #expect(receiver.refusals.count == 4)
    // All is forgiven after ten seconds without a refusal; a single one is recorded unchanged.
    advance(.seconds(1))
    for number in 1...3 { #expect(meter.note(refusal(number), of: source)) }
    #expect(!meter.note(refusal(4), of: source))
    advance(.seconds(1))
    #expect(Array(receiver.refusals.dropFirst(4)) == (1...4).map(refusal))
  }

  @Test("Continued refusals have fewer and fewer events: 41 beyond the first ones, in an hour of ten a second")
  func rarely() throws {
    let meter = try meter { $0.refusalSummaryIntervalLimit = .seconds(100) }
    let source = try address("192.0.2.7")
    for number in 1...36_000 {
      _ = meter.note(refusal(number), of: source)
      advance(.milliseconds(100))
    }
    // 1 s after the first refusal without an event of its own, then 2, 4, … 64, and every 100 s.
    let counts = details.dropFirst(3).compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(counts == ["10", "20", "40", "80", "160", "320", "640"] + Array(repeating: "1,000", count: 34))
    // After a pause, soon again.
    advance(.seconds(110))
    for number in 1...4 { _ = meter.note(refusal(number), of: source) }
    advance(.seconds(1))
    #expect(details.suffix(4) == (1...4).map { "mistake \($0)" })
  }

  @Test("Each address has its own summary up to a limit; the others share one")
  func addresses() throws {
    let meter = try meter {
      $0.refusalEvents = 0
      $0.refusalSummaries = 2
    }
    let sources = try ["192.0.2.7", "2001:db8:0:1::9", "192.0.2.8", "192.0.2.9"].map(address)
    for number in 1...8 { _ = meter.note(refusal(number), of: sources[(number - 1) % 4]) }
    advance(.seconds(1))
    #expect(
      details == [
        "2 more requests of 192.0.2.7 were refused; the last: mistake 5",
        "2 more requests of 2001:db8:0:1::/64 were refused; the last: mistake 6",
        "4 more requests of other addresses were refused; the last: mistake 8",
      ])
  }

  @Test("Single events are limited for all addresses together, which does not change the answers")
  func all() throws {
    let meter = try meter { $0.refusalEventsOfAll = 2 }
    for host in 1...3 { #expect(meter.note(refusal(host), of: try address("192.0.2.\(host)"))) }
    #expect(receiver.refusals.count == 2)
    meter.flush()
    #expect(receiver.refusals == (1...3).map(refusal))
  }

  @Test("Refusals within a provider's rate have an event each; those above it are summed up under its name")
  func providers() throws {
    let port = try self.port {
      $0.requestsPerSecond = 5
      $0.burstSeconds = 1
    }
    let refusals = ConnectionRefusals(port, address: nil, ipAddress: "192.0.2.7")
    refusals.authenticated(as: TestProvider().provider())
    // Already counted as part of the provider's pace.
    for number in 1...10 { #expect(!refusals.note(refusal(number), isCounted: true)) }
    // Five within the pace, three beyond it, and then many.
    for number in 11...18 { #expect(!refusals.note(refusal(number), isCounted: false)) }
    #expect(receiver.refusals.map(\.detail) == (1...18).map { "mistake \($0)" })
    #expect(receiver.refusals.allSatisfy { ($0.source, $0.provider) == ("192.0.2.7", "bellringer") })
    for number in 19...30 { #expect(!refusals.note(refusal(number), isCounted: false)) }
    advance(.seconds(1))
    #expect(details.dropFirst(18) == ["12 more requests of provider 'bellringer' were refused; the last: mistake 30"])
  }
}

@Suite("Refusals and a provider's pace")
struct RefusedPaceTests {
  @Test("A refused request counts once in its provider's rate")
  func countedOnce() throws {
    let (provider, receiver, loop) = (TestProvider(), RecordingReceiver(), EmbeddedEventLoop())
    var limits = PortLimits.standard
    (limits.requestsPerSecond, limits.burstSeconds) = (2, 1)
    // Refusals beyond the pace are summed up.
    limits.refusalEvents = 0
    var clock = PortClock.standing()
    clock.uptime = { .seconds(1_000) }
    let port = testPort(
      provider.directory, recorder: receiver, limits: limits, clock: clock, eventLoopGroup: loop)
    let client = Client(
      port: port, frontEnds: [APNsFrontEnd(receiver)], address: nil, ipAddress: "", certificate: nil,
      provider: nil, transport: Client.Transport(authenticated: { _ in }, end: { _ in }))
    func status(_ changes: [String: String?]) -> Int? {
      let head = RequestHead(fields(changes, authorization: "bearer \(provider.token())"))
      guard case .answer(let response) = client.open(head) else { return nil }
      return response.status
    }
    #expect(status(["apns-priority": "9"]) == 400)
    #expect(status(["apns-id": "Zebra"]) == 400)
    #expect(status(["apns-priority": "9"]) == 429)
    #expect(receiver.refusals.map(\.reason) == ["BadPriority", "BadMessageId"])
    port.refusals.flush()
    #expect(receiver.refusals.map(\.reason) == ["BadPriority", "BadMessageId", "TooManyRequests"])
  }
}

@Suite("Bad requests and neighbours", .timeLimit(.minutes(10)))
struct RefusalTests {
  private let provider = TestProvider()
  private let neighbour: TestProvider

  init() {
    var neighbour = TestProvider()
    neighbour.keyID = "KEY7654321"
    self.neighbour = neighbour
  }

  private func bearer(_ token: String) -> HPACKHeaders { fields(authorization: "bearer " + token) }

  /// A request that is refused before authentication.
  private let bad = fields([":method": "GET"])

  @Test("An unauthenticated client is disconnected after many refusals; providers at its address are not affected")
  func strangers() async throws {
    var limits = PortLimits.patient
    limits.refusalEvents = 5
    limits.refusalPause = .seconds(3_600)
    limits.refusalSummaryInterval = .seconds(3_600)
    limits.refusalsBeforeEnd = 2
    let receiver = RecordingReceiver()
    let server = try await TestServer(receiver, providers: provider.directory, limits: limits)
    let good = bearer(provider.token())
    let client = try await TestClient(server)
    #expect(try await client.send(good, body).status == 200)
    let stranger = try await TestClient(server)
    for _ in 1...5 { #expect(try await stranger.send(bad, "").status == 405) }
    let last = try await stranger.send(bad, "")
    #expect(last.body == #"{"reason":"TooManyRequests"}"#)
    #expect((last.status, last.retryAfter) == (429, "1"))
    var farewells: [HTTP2ErrorCode] = []
    for await frame in stranger.frames {
      if case .goAway(_, let code, _) = frame.payload { farewells.append(code) }
    }
    #expect(farewells == [.enhanceYourCalm])
    // A new connection gets the reasons for a while.
    let next = try await TestClient(server)
    for status in [405, 405, 429] { #expect(try await next.send(bad, "").status == status) }
    try await next.channel.closeFuture.get()
    // A connection with a good token gets the reason each time, and each refusal is an event.
    for _ in 1...5 { #expect(try await client.send(bad, "").status == 405) }
    #expect(receiver.refusals.count == 10)
    // So does a connection without one yet, and it is not closed.
    let fresh = try await TestClient(server)
    #expect(try await fresh.send(bad, "").status == 405)
    #expect(try await fresh.send(good, body).status == 200)
    // The last ones are recorded when the port closes.
    await server.pushServer.shutDown()
    #expect(receiver.refusals.count == 11)
    #expect(
      receiver.refusals.last?.detail
        == "5 more requests of 127.0.0.1 were refused; the last: method 'GET'; a push is a POST")
  }

  @Test("Refused pushes within a provider's rate have an event each")
  func ownMistakes() async throws {
    let receiver = RecordingReceiver()
    let client = try await TestClient(
      TestServer(receiver, providers: provider.directory, limits: .patient { $0.refusalEvents = 0 }))
    let wrong = fields(["apns-priority": "7"], authorization: "bearer " + provider.token())
    for _ in 1...20 { #expect(try await client.send(wrong, body).status == 400) }
    #expect(receiver.refusals.map(\.reason) == Array(repeating: "BadPriority", count: 20))
  }

  /// Returns limits that forgive nothing.
  private func limits(beforeDelay: Int, beforeEnd: Int) -> PortLimits {
    var limits = PortLimits.patient
    limits.failuresBeforeDelay = beforeDelay
    limits.failuresBeforeEnd = beforeEnd
    // A delay for another connection's mistakes would not end.
    limits.failureDelay = .seconds(3_600)
    limits.failureForgiveness = .seconds(360_000)
    return limits
  }

  /// Starts a server of both providers.
  private func serverOfBoth(
    _ limits: PortLimits, _ receiver: RecordingReceiver = RecordingReceiver()
  ) async throws -> TestServer {
    let directory = try ProviderDirectory([provider.provider(), neighbour.provider("neighbour")])
    return try await TestServer(receiver, providers: directory, limits: limits)
  }

  /// Makes one mistake and twenty pushes on one connection.
  private func makesOneMistake(at server: TestServer, hasPushedBefore: Bool) async throws {
    let good = bearer(neighbour.token())
    var forger = TestProvider()
    forger.keyID = neighbour.keyID
    let client = try await TestClient(server)
    if hasPushedBefore { #expect(try await client.send(good, body).status == 200) }
    #expect(try await client.send(bearer(forger.token()), body).status == 403)
    for _ in 1...20 { #expect(try await client.send(good, body).status == 200) }
    try await client.close()
  }

  @Test("A client that guesses is disconnected on any connection and key name; its neighbour is not")
  func ends() async throws {
    let server = try await serverOfBoth(limits(beforeDelay: 1_000, beforeEnd: 4))
    func guess(_ keyIDs: [String], endsWithLast: Bool) async throws {
      let client = try await TestClient(server)
      for keyID in keyIDs {
        var stranger = TestProvider()
        stranger.keyID = keyID
        #expect(try await client.send(bearer(stranger.token()), body).status == 403)
      }
      if endsWithLast { try await client.channel.closeFuture.get() } else { try await client.close() }
    }
    let known = provider.keyID
    try await guess(Array(repeating: known, count: 5), endsWithLast: true)
    try await guess([known, known], endsWithLast: true)
    for number in 1...5 { try await guess(["KEY000000\(number)"], endsWithLast: false) }
    try await guess(["KEY0000006", "KEY0000007"], endsWithLast: true)
    for hasPushedBefore in [false, true] {
      try await makesOneMistake(at: server, hasPushedBefore: hasPushedBefore)
    }
  }

  @Test("A client that guesses is delayed on any connection and key name; its neighbour is not")
  func delays() async throws {
    let receiver = RecordingReceiver()
    let server = try await serverOfBoth(limits(beforeDelay: 2, beforeEnd: 1_000), receiver)
    for (number, keyID) in ["KEY0000001", "KEY0000002", "KEY0000003", "KEY0123456"].enumerated() {
      var stranger = TestProvider()
      stranger.keyID = keyID
      let exchange = try await TestClient(server).open(bearer(stranger.token()))
      if number != 2 { #expect(try await exchange.response().status == 403) }
      try await wait { receiver.refusals.count > number }
    }
    for hasPushedBefore in [false, true] {
      try await makesOneMistake(at: server, hasPushedBefore: hasPushedBefore)
    }
  }

  @Test("An authenticated connection is delayed and ended for its own failures only, which decay with time")
  func ownFailures() async throws {
    var limits = limits(beforeDelay: 1_000, beforeEnd: 2)
    limits.failureForgiveness = .seconds(1)
    let uptime = Uptime()
    let wrong = bearer(TestProvider().token())
    let client = try await TestClient(TestServer(providers: provider.directory, limits: limits, clock: uptime.clock))
    #expect(try await client.send(bearer(provider.token()), body).status == 200)
    for _ in 1...4 {
      #expect(try await client.send(wrong, body).status == 403)
      uptime.advance(.seconds(1))
    }
    for _ in 1...3 { #expect(try await client.send(wrong, body).status == 403) }
    try await client.channel.closeFuture.get()
  }
}
