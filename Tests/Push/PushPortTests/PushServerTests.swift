import Foundation
import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import ServerIdentity
import TestSupport
import Testing

@testable import PushPort

private let id = "123E4567-e89b-12d3-A456-426655440000"
private let body = #"{"aps":{"alert":"It rings","badge":3}}"#

@Suite("The push port", .timeLimit(.minutes(10)))
struct PushServerTests {
  private let provider = TestProvider()
  private let providerToken: String

  init() {
    providerToken = provider.token()
  }

  private func authorized(_ changes: [String: String?] = [:]) -> HPACKHeaders {
    fields(changes, authorization: "bearer " + providerToken)
  }

  @Test("The receiver gets the push; the answer is 200 with an empty body and the push's id")
  func accepted() async throws {
    let receiver = RecordingReceiver()
    let client = try await TestClient(TestServer(receiver, providers: provider.directory))
    let response = try await client.send(authorized(["apns-id": id]), body)
    #expect(response == Response(200, id: id))
    let push = try #require(receiver.pushes.first)
    #expect(receiver.pushes.count == 1)
    #expect(push.id.description == id)
    #expect(push.badge == .number(3))
    #expect(push.payload == Array(body.utf8))
    let made = try await client.send(authorized(), body)
    #expect(made.status == 200)
    #expect(PushID(made.id) == receiver.pushes.last?.id)
    #expect(made.id == made.id.uppercased())
    #expect(receiver.refusals == [])
  }

  @Test("A refusal has its reason and the id as sent, and is recorded; the connection stays usable")
  func refused() async throws {
    let receiver = RecordingReceiver()
    let client = try await TestClient(TestServer(receiver, providers: provider.directory))
    let wrong = try await client.send(authorized(["apns-id": "Zebra"]), body)
    #expect(wrong == Response(400, id: "Zebra", body: #"{"reason":"BadMessageId"}"#))
    let other = try await client.send(authorized([":path": "/com.example.bell/x/Inbox", "apns-id": id]), body)
    #expect(other == Response(404, id: id, body: #"{"reason":"BadPath"}"#))
    let large = try await client.send(authorized(["apns-id": id]), String(repeating: "x", count: 4_097))
    #expect(large == Response(413, id: id, body: #"{"reason":"PayloadTooLarge"}"#))
    let padded = try await client.send(authorized(["x-padding": String(repeating: "x", count: 9_000)]), body)
    #expect(padded.status == 431)
    #expect(try await client.send(authorized(), body).status == 200)
    #expect(
      receiver.refusals.map(\.reason) == [
        "BadMessageId", "BadPath", "PayloadTooLarge", "RequestHeaderFieldsTooLarge",
      ])
    #expect(receiver.pushes.count == 1)
  }

  @Test("A refusal by the handset is not recorded a second time")
  func outcomes() async throws {
    let receiver = RecordingReceiver { _ in .stored(.refused(.badDeviceToken)) }
    let client = try await TestClient(TestServer(receiver, providers: provider.directory))
    #expect(try await client.send(authorized(), body).body == #"{"reason":"BadDeviceToken"}"#)
    #expect(receiver.refusals == [])
  }

  @Test("Many requests at once on one connection: each answer has its own id")
  func concurrent() async throws {
    let receiver = RecordingReceiver()
    let client = try await TestClient(TestServer(receiver, providers: provider.directory))
    #expect(try await client.send(authorized(), body).status == 200)
    let headers = authorized()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<300 {
        let id = PushID(high: 1, low: UInt64(number)).description
        var own = headers
        own.add(name: "apns-id", value: id)
        group.addTask { [own] in try await client.send(own, body) == Response(200, id: id) }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(Set(receiver.pushes.map(\.id)).count == 301)
  }

  @Test("A client without ALPN, with host in place of :authority")
  func withoutALPN() async throws {
    let client = try await TestClient(TestServer(providers: provider.directory), alpn: false)
    let response = try await client.send(authorized([":authority": nil, "host": "api.push.apple.com"]), body)
    #expect(response.status == 200)
  }

  @Test("A body that does not arrive ends its request only")
  func slowBody() async throws {
    var limits = PortLimits.patient
    // Long enough for a body that does come, on a busy machine too.
    limits.bodyDuration = .seconds(2)
    limits.discardDuration = .milliseconds(500)
    let receiver = RecordingReceiver()
    let client = try await TestClient(TestServer(receiver, providers: provider.directory, limits: limits))
    let stream = try await client.open(authorized(["apns-id": id]))
    var due = Response(503, id: id, body: #"{"reason":"ServiceUnavailable"}"#)
    due.retryAfter = "1"
    #expect(try await stream.response() == due)
    #expect(receiver.refusals.map(\.reason) == ["ServiceUnavailable"])
    try await stream.channel.closeFuture.get()
    #expect(try await client.send(authorized(), body).status == 200)
  }

  @Test("A body is in time if it has arrived, even if this machine had no time to read it")
  func unreadBody() async throws {
    var limits = PortLimits.patient
    // Long enough, on a busy machine too, for everything before the loop is blocked.
    limits.bodyDuration = .seconds(6)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await TestServer(providers: provider.directory, limits: limits, eventLoopGroup: group)
    var client = try await RawClient(server)
    try await client.acknowledgeSettings()
    try await client.write(
      try client.request(authorized(), ends: false)
        + frame(FrameHeader.Kind.ping, 0, Array(repeating: 0, count: 8)))
    while let next = await client.nextFrame(), next.kind != FrameHeader.Kind.ping {}
    // The server's loop is blocked until the body has been sent and its time is over.
    let hasSent = DispatchSemaphore(value: 0)
    let busy = group.next().submit {
      hasSent.wait()
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(6_100))
    }
    try await client.write(frame(FrameHeader.Kind.data, flags: 1, 1, Array(body.utf8)))
    hasSent.signal()
    try await busy.get()
    #expect(try await client.response(on: 1).status == 200)
    await server.pushServer.shutDown()
    try await group.shutdownGracefully()
  }

  @Test("There is no answer before the push is stored; shutdown waits for it, then sends GOAWAY with a reason")
  func shutdown() async throws {
    let receiver = RecordingReceiver(outcome: nil)
    let server = try await TestServer(receiver, providers: provider.directory)
    let client = try await TestClient(server)
    let stream = try await client.open(authorized(["apns-id": id]))
    try await stream.write(body, end: true)
    for await _ in receiver.arrivals { break }
    async let down: Void = server.pushServer.shutDown()
    receiver.release(.stored(.accepted))
    #expect(try await stream.response() == Response(200, id: id))
    var reasons: [String] = []
    for await frame in client.frames {
      if case .goAway(1, .noError, let data?) = frame.payload { reasons.append(String(buffer: data)) }
    }
    #expect(reasons == [#"{"reason":"Shutdown"}"#])
    await down
    #expect(server.pushServer.connectionCount == 0)
    // Another test's server may have this port by now, with another certificate.
    await #expect(throws: (any Error).self) {
      try await TestClient(server).send(authorized(), body)
    }
  }

  @Test(
    "Shutdown is limited in time if an answer never comes, in all and for one connection",
    arguments: [(200, 3_600_000), (3_600_000, 200)])
  func boundedShutdown(inAll: Int, ofOne: Int) async throws {
    var limits = PortLimits.patient
    limits.shutdownDuration = .milliseconds(inAll)
    limits.closingDuration = .milliseconds(ofOne)
    let receiver = RecordingReceiver(outcome: nil)
    let server = try await TestServer(receiver, providers: provider.directory, limits: limits)
    let client = try await TestClient(server)
    let stream = try await client.open(authorized())
    try await stream.write(body, end: true)
    for await _ in receiver.arrivals { break }
    await server.pushServer.shutDown()
    #expect(server.pushServer.connectionCount == 0)
    await #expect(throws: StreamGone(status: 0)) { try await stream.response() }
    receiver.release(.stored(.accepted))
  }

  @Test("A connection that sends nothing is closed")
  func silence() async throws {
    let server = try await TestServer(
      providers: provider.directory, limits: .patient { $0.handshakeDuration = .milliseconds(100) })
    let silent = try await openConnection(to: server.port).channel
    try await silent.closeFuture.get()
  }

  @Test("Shutdown lets a handshake finish, and answers a request at its end")
  func handshakeAtShutdown() async throws {
    var limits = PortLimits.patient
    limits.shutdownDuration = .seconds(3_600)
    limits.firstBytesDurationAtShutdown = .seconds(3_600)
    limits.closingDuration = .seconds(3_600)
    let server = try await TestServer(providers: provider.directory, limits: limits)
    let held = HeldBytes()
    let late = try await TestClient(server, held: held)
    let request = try await late.put(authorized(), body)
    let other = try await TestClient(server)
    #expect(try await other.send(authorized(), body).status == 200)
    try await wait { server.pushServer.connectionCount == 2 }
    async let down: Void = server.pushServer.shutDown()
    for await frame in other.frames {
      if case .goAway = frame.payload { break }
    }
    held.release()
    #expect(try await request.response().status == 200)
    try await late.close()
    try await other.close()
    await down
  }

  @Test(
    "Shutdown waits briefly for a connection that has sent nothing, or only the beginning of a handshake",
    arguments: [[], [0x16, 3, 1] as [UInt8]])
  func silentAtShutdown(sent: [UInt8]) async throws {
    var limits = PortLimits.patient
    limits.shutdownDuration = .seconds(3_600)
    limits.handshakeDuration = .seconds(3_600)
    limits.handshakeDurationAtShutdown = .milliseconds(10)
    let server = try await TestServer(providers: provider.directory, limits: limits)
    let silent = try await openConnection(to: server.port).channel
    try await silent.writeAndFlush(ByteBuffer(bytes: sent))
    try await wait { server.pushServer.connectionCount > 0 }
    await server.pushServer.shutDown()
    try await silent.closeFuture.get()
  }

  @Test("The next connection gets a renewed certificate")
  func renewedIdentity() async throws {
    let folder = try TemporaryFolder()
    let other = try CertificateAuthority.loadOrCreate(
      in: folder.path + "/tls", now: now, names: CertificateNames(["localhost"]))
    let server = try await TestServer(providers: provider.directory)
    let before = try await TestClient(server)
    #expect(try await before.send(authorized(), body).status == 200)
    try server.pushServer.use(other.identity)
    #expect(try await before.send(authorized(), body).status == 200)
    let after = try await TestClient(server, authority: other.certificatePEM)
    #expect(try await after.send(authorized(), body).status == 200)
  }

  @Test("The error for a taken port names the port and says what to do")
  func takenPort() async throws {
    let server = try await TestServer(providers: provider.directory)
    let receiver = RecordingReceiver()
    let second = try PushServer(
      testPort(provider.directory, recorder: receiver), frontEnds: [APNsFrontEnd(receiver)], identity: nil)
    let error = await #expect(throws: ListenError.self) { try await second.start(host: "127.0.0.1", port: server.port) }
    #expect(
      error?.description
        == "cannot listen on 127.0.0.1, port \(server.port): another program has that port; stop it, or choose another "
        + "with --listen HOST:PORT")
    await second.shutDown()
  }
}
