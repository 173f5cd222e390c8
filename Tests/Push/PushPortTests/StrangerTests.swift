// Tests of the time limits of unauthenticated clients, and of delays that are not their fault.

import HTTP
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

@Suite("Strangers", .timeLimit(.minutes(10)))
struct StrangerTests {
  private let limits = PortLimits.standard

  /// Connections of one address on one loop; the test sets the time.
  private struct Crowd {
    let loop = EmbeddedEventLoop()
    let port: Port
    let registry = ConnectionRegistry(limit: 100, limitPerAddress: 100, limitPerHolder: 100)

    func come(from text: String) throws -> (channel: EmbeddedChannel, watch: StrangerWatch) {
      let address = try ClientAddress(
        SocketAddress(ipAddress: text, port: 1), neighbours: Neighbours(uptime: { .zero }, read: { [] }))
      let channel = EmbeddedChannel(loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      try registry.add(channel, from: address)
      let watch = StrangerWatch(from: address, port: port, connections: registry)
      try channel.pipeline.syncOperations.addHandler(watch)
      return (channel, watch)
    }
  }

  @Test("A handshake without progress is ended, even if bytes arrive")
  func slowHandshake() throws {
    let crowd = Crowd(port: .withoutProviders(limits))
    let (silent, _) = try crowd.come(from: "10.0.0.1")
    let (slow, _) = try crowd.come(from: "10.0.0.2")
    crowd.loop.advanceTime(by: .nanoseconds(3_999_999_999))
    #expect(silent.isActive)
    try slow.writeInbound(ByteBuffer(bytes: [22]))
    crowd.loop.advanceTime(by: .nanoseconds(1))
    #expect(!silent.isActive)
    // The first byte was progress; further single bytes are not.
    for _ in 0..<3 {
      #expect(slow.isActive)
      crowd.loop.advanceTime(by: .seconds(1))
      try slow.writeInbound(ByteBuffer(bytes: [3]))
    }
    crowd.loop.advanceTime(by: .seconds(1))
    #expect(!slow.isActive)
  }

  @Test("A handshake may wait while others of its address make progress")
  func busyClient() throws {
    let crowd = Crowd(port: .withoutProviders(limits))
    let (waiting, _) = try crowd.come(from: "10.0.0.1")
    let (other, _) = try crowd.come(from: "10.0.0.2")
    for _ in 0..<5 {
      let (done, watch) = try crowd.come(from: "10.0.0.1")
      try done.writeInbound(ByteBuffer(bytes: [22]))
      crowd.loop.advanceTime(by: .seconds(3))
      watch.handshakeEnded()
      #expect(waiting.isActive)
    }
    #expect(!other.isActive)
    crowd.loop.advanceTime(by: .seconds(3))
    #expect(waiting.isActive)
    crowd.loop.advanceTime(by: .seconds(1))
    #expect(!waiting.isActive)
  }

  @Test("An unauthenticated client is disconnected 30 s after its last byte; an authenticated one is not")
  func silence() throws {
    let crowd = Crowd(port: .withoutProviders(limits))
    let (channel, watch) = try crowd.come(from: "10.0.0.1")
    let farewells = NIOLoopBoundBox(0, eventLoop: crowd.loop)
    watch.handshakeEnded()
    watch.whenSilent = { farewells.value += 1 }
    crowd.loop.advanceTime(by: .seconds(29))
    try channel.writeInbound(ByteBuffer(bytes: [1]))
    crowd.loop.advanceTime(by: .nanoseconds(29_999_999_999))
    #expect(farewells.value == 0)
    crowd.loop.advanceTime(by: .nanoseconds(1))
    #expect(farewells.value == 1)
    let (silent, second) = try crowd.come(from: "10.0.0.1")
    second.handshakeEnded()
    let (known, third) = try crowd.come(from: "10.0.0.1")
    third.handshakeEnded()
    known.pipeline.syncOperations.removeHandler(third, promise: nil)
    crowd.loop.advanceTime(by: .seconds(30))
    #expect(!silent.isActive)
    #expect(known.isActive)
  }

  @Test("Unread bytes in the kernel extend a client's deadline, up to a limit")
  func unreadBytes() async throws {
    let accepted = AsyncStream<any Channel>.makeStream()
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        accepted.continuation.yield(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }.bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(to: #require(listener.localAddress)).get()
    var iterator = accepted.stream.makeAsyncIterator()
    let server = try #require(await iterator.next())

    /// Measures the time until a deadline of 20 ms ends.
    func take(backlog: Duration) async throws -> Duration {
      var limits = PortLimits.standard
      limits.backlogDuration = backlog
      let (clock, bounds) = (ContinuousClock(), limits)
      let start = clock.now
      try await server.eventLoop.flatSubmit {
        let promise = server.eventLoop.makePromise(of: Void.self)
        _ = ClientDeadline(.milliseconds(20), on: server, bounds) { _ in promise.succeed() }
        return promise.futureResult
      }.get()
      return clock.now - start
    }
    #expect(try await take(backlog: .seconds(3_600)) >= .milliseconds(20))
    // Loopback delivers before `write` returns, so the bytes have arrived.
    try await client.writeAndFlush(ByteBuffer(string: "here"))
    #expect(try await take(backlog: .milliseconds(200)) >= .milliseconds(200))
    async let waits = take(backlog: .seconds(3_600))
    try await server.eventLoop.scheduleTask(in: .milliseconds(100)) { server.read() }.futureResult.get()
    #expect(try await waits >= .milliseconds(20))
    try await client.close()
    // The server may have closed it already.
    try? await server.close()
    try await listener.close()
  }

  @Test("A silent unauthenticated client is disconnected in every protocol; a provider is not")
  func protocols() async throws {
    let provider = TestProvider()
    let providers = try ProviderDirectory([provider.provider(), passwordProvider])
    let good = fields(authorization: "bearer \(provider.token())")
    func farewells(after silence: Duration) async throws -> [RawClient.GoAway?] {
      let server = try await TestServer(
        publishing: NodesInMemory(), providers: providers, limits: .patient { $0.strangerSilence = silence })
      var known = try await RawClient(server)
      guard try await known.send(good, body).status == 200 else { return [] }
      let plain = try await TextClient(server)
      var greeted = try await RawClient(server)
      try await greeted.acknowledgeSettings()
      var refused = try await RawClient(server)
      _ = try await refused.send(fields(), body)
      try? await plain.end()
      let ends = [await greeted.goAway(), await refused.goAway()]
      return try await known.send(good, body).status == 200 ? ends : []
    }
    // On a busy machine the first bytes take longer than the limit.
    for seconds in [2, 20, 200] {
      guard let ends = try? await farewells(after: .seconds(seconds)), !ends.contains(nil) else { continue }
      #expect(ends == [RawClient.GoAway(lastStream: 0, code: 0), RawClient.GoAway(lastStream: 1, code: 0)])
      return
    }
    Issue.record("nothing was said in time")
  }
}
