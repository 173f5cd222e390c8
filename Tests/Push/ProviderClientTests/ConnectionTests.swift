// Tests of connections of the provider client over real TLS and HTTP/2, and of servers that cannot be reached, are not
// trusted, or do not speak the protocol.

import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import ProviderClient

private let push = PushRequest(deviceToken: "0a", topic: "com.example", payload: Array(#"{"aps":{}}"#.utf8))

@Suite struct ConnectionTests {
  /// A sender makes one connection after the other, and must not keep those that it has lost.
  @Test(.timeLimit(.minutes(10))) func aConnectionThatIsClosedIsGone() async throws {
    let server = try await TestPushServer.start { $0.answer(200) }
    var connection: ProviderConnection? = try await server.connect()
    _ = try await connection?.send(push)
    weak let channel = connection?.channel
    await connection?.close()
    connection = nil
    try await wait { channel == nil }
  }

  @Test func everyHeaderAndTheBodyArrive() async throws {
    let arrivals = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { push in
      arrivals.add(push)
      push.answer(200)
    }
    let bearer = try ProviderTokenSigner(
      privateKeyPEM: keyPEM, keyID: "KEY4567890", teamID: "TEAM567890", now: { 1_000_000 }
    ).bearer()
    let connection = try await server.connect()
    var push = push
    push.pushType = "alert"
    push.priority = 5
    push.expiration = 1_700_000_000
    push.collapseID = "c"
    push.id = "EC1BF194-B3B2-424A-89F4-AAAAAAAAAAAA"
    let answer = try await connection.send(push, bearer: bearer)
    #expect(answer == PushAnswer(status: 200, apnsID: "EC1BF194-B3B2-424A-89F4-AAAAAAAAAAAA"))
    #expect(answer.isAccepted)

    let received = try await arrivals.next()
    let expected = [
      ":method": "POST", ":scheme": "https", ":path": "/3/device/0a", ":authority": "\(server.endpoint)",
      "authorization": "bearer " + bearer, "apns-topic": "com.example", "apns-push-type": "alert",
      "apns-priority": "5", "apns-expiration": "1700000000", "apns-collapse-id": "c",
      "apns-id": "EC1BF194-B3B2-424A-89F4-AAAAAAAAAAAA", "content-type": "application/json", "content-length": "10",
    ]
    let all = Dictionary(received.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + " twice " + $1 })
    #expect(all == expected)
    #expect(received.body == push.payload)
  }

  @Test func whatIsNilIsNotSent() async throws {
    let arrivals = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { push in
      arrivals.add(push)
      push.answer(200, [("apns-id", "made")])
    }
    let connection = try await server.connect()
    let answer = try await connection.send(PushRequest(deviceToken: "", topic: nil, payload: []))
    #expect(answer == PushAnswer(status: 200, apnsID: "made"))
    let received = try await arrivals.next()
    #expect(
      received.headers.map(\.name).sorted()
        == [":authority", ":method", ":path", ":scheme", "content-length", "content-type"])
    #expect(received.header(":path") == "/3/device/")
  }

  @Test func refusalsCarryReasonAndTimestamp() async throws {
    let server = try await TestPushServer.start {
      $0.answer(410, body: #"{"reason":"Unregistered","timestamp":1700000000123}"#)
    }
    let connection = try await server.connect()
    let answer = try await connection.send(push)
    #expect(answer == PushAnswer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
    #expect(!answer.isAccepted)
  }

  @Test func aThousandPushesAtOnceOnOneConnection() async throws {
    let server = try await TestPushServer.start(maxConcurrentStreams: 100)
    let connection = try await server.connect()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<1000 {
        var push = push
        push.id = UUID().uuidString
        group.addTask { [push] in
          try await connection.send(push) == PushAnswer(status: 200, apnsID: push.id)
        }
      }
      for try await isOwnAnswer in group { #expect(isOwnAnswer) }
    }
    let observed = server.observed.value.withLock { $0 }
    #expect(observed.connections.count == 1)
    #expect(observed.answered == 1000)
    // The first push was alone until its answer arrived [APNs].
    #expect(observed.answeredBefore.prefix(2) == [0, 1])
  }

  @Test func theServersNumberOfStreamsIsReachedAndKept() async throws {
    let held = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start(maxConcurrentStreams: 7) { push in
      if push.answeredBefore == 0 { push.answer(200) } else { held.add(push) }
    }
    let connection = try await server.connect()
    _ = try await connection.send(push)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await connection.send(push).status } }
      var first: [ReceivedPush] = []
      for _ in 0..<7 { first.append(try await held.next()) }
      #expect(server.observed.value.withLock { $0.open } == 7)
      for push in first { push.answer(200) }
      for _ in 0..<13 { try await held.next().answer(200) }
      for try await status in group { #expect(status == 200) }
    }
    #expect(server.observed.value.withLock { $0.mostOpen } == 7)
  }

  @Test func afterARefusedTokenTheNextIsAloneAgain() async throws {
    let server = try await TestPushServer.start { push in
      if push.answeredBefore < 3 {
        push.answer(403, body: #"{"reason":"InvalidProviderToken"}"#)
      } else {
        push.answer(200)
      }
    }
    let connection = try await server.connect()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10 { group.addTask { try await connection.send(push).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [Int](repeating: 200, count: 7) + [403, 403, 403])
    #expect(server.observed.value.withLock { $0.answeredBefore }.prefix(5) == [0, 1, 2, 3, 4])
  }

  @Test func waitingPushesAreLimited() async throws {
    let held = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { held.add($0) }
    let connection = try await server.connect(limits: .patient { $0.waitingPushes = 2 })
    // One is under way and two wait; the fourth is one too many, whichever it is.
    let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          do {
            return try await connection.send(push).status
          } catch ProviderClientError.tooManyWaiting(server.endpoint, limit: 2) {
            return nil
          }
        }
      }
      #expect(try await group.next() == .some(nil))
      for _ in 0..<3 { try await held.next().answer(200) }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == [200, 200, 200])
  }

  @Test func answersAreLimited() async throws {
    @Sendable func body(_ count: Int) -> String { #"{"reason":""# + String(repeating: "r", count: count - 13) + #""}"# }
    let server = try await TestPushServer.start { push in
      push.answer(400, body: body(push.header("apns-topic") == "long" ? 4097 : 4096))
    }
    let connection = try await server.connect()
    #expect(try await connection.send(push).reason?.count == 4083)
    let tooLarge = ProviderClientError.malformedAnswer(
      server.endpoint, reason: "the answer is larger than 4096 bytes")
    await #expect(throws: tooLarge) {
      try await connection.send(PushRequest(deviceToken: "0a", topic: "long", payload: push.payload))
    }
    #expect(try await connection.send(push).status == 400)
  }

  @Test func noAnswer() async throws {
    let server = try await TestPushServer.start { _ in }
    let connection = try await server.connect(limits: .patient { $0.answerTimeout = .milliseconds(50) })
    await #expect(throws: ProviderClientError.timedOut(server.endpoint, .milliseconds(50), waitingFor: "answer")) {
      try await connection.send(push)
    }
  }

  @Test func cancellationUnderWayAndWaiting() async throws {
    let held = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { held.add($0) }
    let connection = try await server.connect()
    let first = Task { try await connection.send(push) }
    let underWay = try await held.next()
    let second = Task { try await connection.send(push) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    // The stream also ends at the server, and the connection is usable for the next.
    try await underWay.channel.closeFuture.get()
    let third = Task { try await connection.send(push) }
    try await held.next().answer(200)
    #expect(try await third.value.status == 200)
  }

  @Test func goodbyeFailsWhatWaitsAndAnswersWhatIsUnderWay() async throws {
    let held = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { held.add($0) }
    let connection = try await server.connect()
    let first = Task { try await connection.send(push) }
    let underWay = try await held.next()
    let second = Task { try await connection.send(push) }
    server.goAway(last: 1, reason: "Shutdown")
    let closed = ProviderClientError.connectionClosed(server.endpoint, reason: "Shutdown")
    await #expect(throws: closed) { try await second.value }
    underWay.answer(200)
    #expect(try await first.value.status == 200)
    await #expect(throws: closed) { try await connection.send(push) }
  }

  @Test func aConnectionThatBreaksFailsEveryPush() async throws {
    let held = Arrivals<ReceivedPush>()
    let server = try await TestPushServer.start { held.add($0) }
    let connection = try await server.connect()
    let first = Task { try await connection.send(push) }
    _ = try await held.next()
    await server.stop()
    let closed = ProviderClientError.connectionClosed(server.endpoint, reason: nil)
    await #expect(throws: closed) { try await first.value }
    await #expect(throws: closed) { try await connection.send(push) }
  }
}

extension ProviderLimits {
  static func patient(_ change: (inout ProviderLimits) -> Void) -> ProviderLimits {
    var limits = ProviderLimits.patient
    change(&limits)
    return limits
  }

  /// Limits for tests of anything but time: on a busy machine a server may be slow.
  static var patient: ProviderLimits {
    var limits = ProviderLimits()
    limits.connectTimeout = .seconds(300)
    limits.handshakeTimeout = .seconds(300)
    limits.answerTimeout = .seconds(300)
    return limits
  }
}

@Suite struct ConnectFailureTests {
  private func failure(
    _ server: Endpoint, _ trust: ProviderConnection.Trust = .system, _ limits: ProviderLimits = .patient
  ) async -> ProviderClientError? {
    await #expect(throws: ProviderClientError.self) {
      try await ProviderConnection.connect(to: server, trust: trust, limits: limits)
    }
  }

  /// A handler that sends one greeting to every client, and nothing else.
  private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let greeting: String

    init(_ greeting: String) { self.greeting = greeting }

    func channelActive(context: ChannelHandlerContext) {
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  /// Runs a server that is no APNs server: it sends only `greeting`.
  private func withListener(
    _ greeting: String?, _ tls: NIOSSLContext? = nil, _ body: (Endpoint) async -> Void
  ) async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          if let greeting { try channel.pipeline.syncOperations.addHandler(Greeter(greeting)) }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    await body(Endpoint(host: "127.0.0.1", port: listener.localAddress?.port ?? 0))
    try await listener.close().get()
  }

  @Test func refused() async throws {
    let port = try HeldPort()
    let unheard = Endpoint(host: "127.0.0.1", port: port.number)
    let error = await failure(unheard)
    #expect(error == .connectionRefused(unheard))
    #expect(
      error?.description == "127.0.0.1:\(port.number): connection refused; start the server there "
        + "('deskbell serve'), or check the port")
    withExtendedLifetime(port) {}
  }

  @Test func untrusted() async throws {
    let server = try await TestPushServer.start()
    let bySystem = await failure(server.endpoint)
    #expect(bySystem == .certificateNotTrusted(server.endpoint))
    #expect(bySystem?.description.contains("'deskbell ca > ca.pem'") == true)
    let other = try TestAuthority()
    #expect(await failure(server.endpoint, .authorities(pem: other.pem)) == .certificateNotTrusted(server.endpoint))
  }

  @Test func namesAndAddressesAreChecked() async throws {
    let server = try await TestPushServer.start(names: ["localhost"], coversLoopback: false)
    let connection = try await server.connect(host: "localhost")
    #expect(try await connection.send(push).status == 200)
    let error = await failure(server.endpoint, .authorities(pem: server.authority.pem))
    #expect(error == .nameMismatch(server.endpoint))

    let other = try await TestPushServer.start(names: ["other.example"], coversLoopback: false)
    let byName = Endpoint(host: "localhost", port: other.endpoint.port)
    #expect(await failure(byName, .authorities(pem: other.authority.pem)) == .nameMismatch(byName))

    let numeric = try await TestPushServer.start(names: ["other.example"], coversLoopback: true)
    let byAddress = try await numeric.connect()
    #expect(try await byAddress.send(push).status == 200)
  }

  @Test func aCertificateThatIsKnownIsGoodWhateverItSaysAndNoOther() async throws {
    let server = try await TestPushServer.start(names: ["other.example"], coversLoopback: false)
    let connection = try await ProviderConnection.connect(
      to: server.endpoint, trust: .certificate(pem: server.certificatePEM))
    #expect(try await connection.send(push).status == 200)
    // Another certificate for this very address.
    let other = try await TestPushServer.start()
    #expect(
      await failure(server.endpoint, .certificate(pem: other.certificatePEM)) == .certificateNotTrusted(server.endpoint)
    )
    #expect(
      await failure(server.endpoint, .certificate(pem: "none")) == .badAuthority(reason: "it holds no certificate"))
  }

  @Test func noHTTP2() async throws {
    let authority = try TestAuthority()
    let tls = try NIOSSLContext(
      configuration: authority.serverConfiguration(names: [], coversLoopback: true, protocols: []))
    try await withListener("HTTP/1.1 400 Bad Request\r\n\r\n", tls) { server in
      #expect(await failure(server, .authorities(pem: authority.pem)) == .noHTTP2(server))
    }
  }

  @Test func aServerThatNegotiatesNothingMaySpeakHTTP2() async throws {
    let server = try await TestPushServer.start(protocols: [])
    let connection = try await server.connect()
    #expect(try await connection.send(push).status == 200)
  }

  @Test func noTLS() async throws {
    try await withListener("HTTP/1.1 400 Bad Request\r\n\r\n") { server in
      let error = await failure(server)
      guard case .tlsFailed(server, _)? = error else {
        Issue.record("a server without TLS was not refused as such: \(String(describing: error))")
        return
      }
    }
  }

  @Test func silence() async throws {
    try await withListener(nil) { server in
      var limits = ProviderLimits.patient
      limits.handshakeTimeout = .milliseconds(50)
      let error = await failure(server, .system, limits)
      #expect(error == .timedOut(server, .milliseconds(50), waitingFor: "TLS handshake"))
    }
  }

  /// Linux answers no more connections than the backlog holds until one is accepted.
  @Test func noConnection() async throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var fillers: [CInt] = []
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        listen(listener, 0)
        getsockname(listener, $0, &length)
        for _ in 0..<8 {
          fillers.append(socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0))
          _ = connect(fillers.last ?? -1, $0, length)
        }
      }
    }
    let server = Endpoint(host: "127.0.0.1", port: Int(UInt16(bigEndian: address.sin_port)))
    var limits = ProviderLimits.patient
    limits.connectTimeout = .milliseconds(50)
    #expect(
      await failure(server, .system, limits) == .timedOut(server, .milliseconds(50), waitingFor: "connection"))
    for descriptor in fillers + [listener] { close(descriptor) }
  }

  @Test(arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func badAuthority(pem: String) async {
    let error = await failure(Endpoint(host: "127.0.0.1", port: 1), .authorities(pem: pem))
    #expect(error == .badAuthority(reason: "it holds no certificate"))
  }
}
