import Clocks
import Foundation
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

@Suite("Limits of the push port", .timeLimit(.minutes(10)))
struct LimitTests {
  private let provider = TestProvider()
  private let token: String

  init() {
    token = provider.token()
  }

  private var good: HPACKHeaders { fields(authorization: "bearer " + token) }

  private func silent(_ server: TestServer) async throws -> any Channel {
    try await openConnection(to: server.port).channel
  }

  @Test(
    "An unauthenticated connection gives way to a new one, the oldest first; authenticated ones stay",
    arguments: [PortLimits.patient { $0.connections = 3 }, .patient { $0.connectionsPerAddress = 3 }])
  func strangers(limits: PortLimits) async throws {
    let server = try await TestServer(providers: provider.directory, limits: limits)
    let client = try await TestClient(server)
    #expect(try await client.send(good, body).status == 200)
    let first = try await silent(server)
    try await wait { server.pushServer.connectionCount == 2 }
    let second = try await silent(server)
    try await wait { server.pushServer.connectionCount == 3 }
    let late = try await TestClient(server)
    #expect(try await late.send(good, body).status == 200)
    try await first.closeFuture.get()
    #expect(second.isActive)
    #expect(try await client.send(good, body).status == 200)
  }

  @Test(
    "A connection above the limit is closed if all others have authenticated; it may come when one has left",
    arguments: [PortLimits.patient { $0.connections = 1 }, .patient { $0.connectionsPerAddress = 1 }])
  func tooMany(limits: PortLimits) async throws {
    let server = try await TestServer(providers: provider.directory, limits: limits)
    let client = try await TestClient(server)
    #expect(try await client.send(good, body).status == 200)
    try await silent(server).closeFuture.get()
    #expect(try await client.send(good, body).status == 200)
    try await client.close()
    try await wait { server.pushServer.connectionCount == 0 }
    let next = try await TestClient(server)
    #expect(try await next.send(good, body).status == 200)
  }

  @Test("At an address's limit only unauthenticated connections of that address give way")
  func addressesOfStrangers() throws {
    let neighbours = Neighbours(uptime: { .zero }, read: { [] })
    let (here, there) = try (
      ClientAddress(SocketAddress(ipAddress: "10.0.0.1", port: 1), neighbours: neighbours),
      ClientAddress(SocketAddress(ipAddress: "10.0.0.2", port: 1), neighbours: neighbours)
    )
    let registry = ConnectionRegistry(limit: 3, limitPerAddress: 2, limitPerHolder: 3)
    let loop = EmbeddedEventLoop()
    func come(from address: ClientAddress?) throws -> EmbeddedChannel {
      try connection(on: loop, in: registry, from: address)
    }
    let other = try come(from: there)
    let first = try come(from: here)
    let second = try come(from: here)
    // The oldest of all belongs to another address, and stays, as this address has had its share.
    let third = try come(from: here)
    #expect([other, first, second, third].map(\.isActive) == [true, false, true, true])
    registry.keep(second, for: "mail")
    registry.keep(third, for: "mail")
    #expect(throws: ConnectionRegistry.Full.self) { try come(from: here) }
    // No place is left, so the oldest of all goes.
    let fourth = try come(from: there)
    #expect([other, second, third, fourth].map(\.isActive) == [false, true, true, true])
    #expect(registry.count == 3)
    for channel in [second, third, fourth] { _ = try channel.finish(acceptAlreadyClosed: true) }
    loop.run()
    #expect(registry.count == 0)
  }

  @Test("Above a provider's limit its oldest connection ends; above all providers', the largest one's oldest")
  func providers() throws {
    let registry = ConnectionRegistry(limit: 8, limitPerAddress: 8, limitPerHolder: 4)
    let loop = EmbeddedEventLoop()
    var leaving: [Int] = []
    func come(_ number: Int, _ provider: String? = nil) throws -> EmbeddedChannel {
      let channel = try connection(on: loop, in: registry, from: nil)
      try channel.pipeline.syncOperations.addHandler(EventHandler { leaving.append(number) })
      if let provider { registry.keep(channel, for: provider) }
      return channel
    }
    var channels: [EmbeddedChannel] = []
    for number in 0..<4 { channels.append(try come(number, "mail")) }
    registry.keep(channels[0], for: "mail")
    #expect(leaving == [])
    channels.append(try come(4, "mail"))
    #expect(leaving == [0])
    for number in 5..<8 { channels.append(try come(number, "news")) }
    #expect(leaving == [0])
    // The connection that was asked to leave gives up its place, not an unauthenticated one.
    channels.append(try come(8))
    #expect(channels.map(\.isActive) == [false] + Array(repeating: true, count: 8))
    registry.keep(channels[8], for: "news")
    #expect(leaving == [0, 1])
    channels.append(try come(9, "post"))
    #expect(leaving == [0, 1, 5])
    for channel in channels { _ = try channel.finish(acceptAlreadyClosed: true) }
    loop.run()
    #expect(registry.count == 0)
  }

  @Test("A provider's connection that gives way is answered first, then gets GOAWAY")
  func givesWay() async throws {
    let server = try await TestServer(providers: provider.directory, limits: .patient { $0.connectionsPerProvider = 1 })
    var first = try await RawClient(server)
    #expect(try await first.send(good, body).status == 200)
    let second = try await TestClient(server)
    #expect(try await second.send(good, body).status == 200)
    #expect(await first.farewell() == 0)
    #expect(try await second.send(good, body).status == 200)
  }

  private func connection(
    on loop: EmbeddedEventLoop, in registry: ConnectionRegistry, from address: ClientAddress?
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try registry.add(channel, from: address)
    return channel
  }

  private final class EventHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let act: () -> Void

    init(_ act: @escaping () -> Void) {
      self.act = act
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is ChannelShouldQuiesceEvent { act() }
    }
  }

  @Test("The machine's networks are read again after a minute, and not before")
  func networks() throws {
    let readings = Mutex(0)
    let uptime = Mutex(Duration.seconds(5))
    let network = IPv6Network(of: 0xFE80 << 112 | 1, mask: UInt128.max << 64)
    let neighbours = Neighbours(
      uptime: { uptime.withLock { $0 } },
      read: {
        readings.withLock { readings in
          readings += 1
          return readings == 1 ? [] : [network]
        }
      })
    let neighbour = UInt128(0xFE80) << 112 | 2
    #expect(!neighbours.include(neighbour))
    uptime.withLock { $0 += Neighbours.interval - .nanoseconds(1) }
    #expect(!neighbours.include(neighbour))
    uptime.withLock { $0 += .nanoseconds(1) }
    #expect(neighbours.include(neighbour))
    #expect(!neighbours.include(0xFE81 << 112 | 2))
    #expect(readings.withLock { $0 } == 2)
  }

  @Test("Each IPv6 address of this machine is on a network of its interfaces, a documentation address is not")
  func ownNetworks() throws {
    let networks = IPv6Network.ofInterfaces()
    // The file is missing if the kernel has no IPv6.
    let lines = try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8).split(separator: "\n")
    for line in lines ?? [] {
      let address = try #require(UInt128(line.prefix(32), radix: 16))
      #expect(networks.contains { $0.contains(address) })
    }
    #expect(!networks.contains { $0.contains(0x2001_0DB8_FFFF_FFFF << 64 | 1) })
  }

  @Test("Requests above a provider's rate are answered 429 on all its connections, until time has passed")
  func pace() async throws {
    var limits = PortLimits.patient
    limits.requestsPerSecond = 2
    limits.burstSeconds = 2
    let uptime = Mutex(Duration.seconds(1_000))
    var clock = PortClock.standing()
    clock.uptime = { uptime.withLock { $0 } }
    let receiver = RecordingReceiver()
    let server = try await TestServer(receiver, providers: provider.directory, limits: limits, clock: clock)
    let first = try await TestClient(server)
    let second = try await TestClient(server)
    for client in [first, second, first, second] { #expect(try await client.send(good, body).status == 200) }
    for client in [first, second] {
      let refused = try await client.send(good, body)
      #expect(refused.status == 429)
      #expect(refused.body == #"{"reason":"TooManyRequests"}"#)
      #expect(refused.retryAfter == "1")
    }
    #expect(receiver.refusals.map(\.reason) == ["TooManyRequests", "TooManyRequests"])
    uptime.withLock { $0 += .milliseconds(500) }
    #expect(try await first.send(good, body).status == 200)
    #expect(try await first.send(good, body).status == 429)
    let use = try #require(server.pushServer.use.values.first)
    #expect(server.pushServer.use.count == 1)
    #expect((use.connections, use.requests, use.refusedRequests) == (2, 5, 3))
  }

  @Test("Failed authentications are answered at once, then with a delay, and finally end the connection")
  func failures() async throws {
    var limits = PortLimits.patient
    limits.failuresBeforeDelay = 2
    limits.failuresBeforeEnd = 4
    limits.failureDelay = .milliseconds(50)
    limits.failureForgiveness = .seconds(3_600)
    let stranger = fields(authorization: "bearer " + TestProvider().token())
    let old = fields(authorization: "bearer " + provider.token(issuedAt: now.advanced(by: .seconds(-4_000))))
    let clock = ContinuousClock()
    let server = try await TestServer(providers: provider.directory, limits: limits)
    let client = try await TestClient(server)
    // A recently expired token does not count as a guess.
    for _ in 0..<6 { #expect(try await client.send(old, body).status == 403) }
    for _ in 0..<2 { #expect(try await client.send(stranger, body).status == 403) }
    let other = try await TestClient(server)
    for _ in 0..<2 {
      let start = clock.now
      #expect(try await other.send(stranger, body).status == 403)
      #expect(clock.now - start >= .milliseconds(50))
    }
    #expect(try await client.send(good, body).status == 200)
    #expect(try await other.send(stranger, body).status == 403)
    try await other.channel.closeFuture.get()
    #expect(try await client.send(good, body).status == 200)
  }

  @Test("Joined to a virtual clock, tokens and rates follow it alone, and the machine's clock is not asked")
  func joinedClocks() async throws {
    var limits = PortLimits.patient
    (limits.requestsPerSecond, limits.burstSeconds) = (1, 2)
    let clock = VirtualClock(startingAt: Moment(uptime: .seconds(5), wall: now))
    let server = try await TestServer(
      RecordingReceiver(), providers: provider.directory, limits: limits, clock: .joined(to: clock))
    let client = try await TestClient(server)
    for _ in 1...2 { #expect(try await client.send(good, body).status == 200) }
    #expect(try await client.send(good, body).body == #"{"reason":"TooManyRequests"}"#)
    clock.move(by: .milliseconds(999))
    #expect(try await client.send(good, body).status == 429)
    clock.move(by: .milliseconds(1))
    #expect(try await client.send(good, body).status == 200)

    clock.move(by: .seconds(3_599))
    #expect(try await client.send(good, body).status == 200)
    clock.move(by: .seconds(1))
    #expect(try await client.send(good, body).body == #"{"reason":"ExpiredProviderToken"}"#)
    let next = fields(authorization: "bearer " + provider.token(issuedAt: clock.now().wall))
    #expect(try await client.send(next, body).status == 200)
    // The clock of a bench is right by definition, also in 2025.
    #expect(PortClock.joined(to: clock).isSynchronised())
  }

  @Test("The frames of a connection are forgiven by the machine's clock, even if a virtual clock stands still")
  func frames() {
    let machine = Mutex(Duration.seconds(1))
    var clock = PortClock.joined(to: VirtualClock(startingAt: Moment(uptime: .zero, wall: now)))
    clock.machineUptime = { machine.withLock(\.self) }
    var bucket = RateBucket(now: clock.machineUptime())
    #expect((1...4).map { _ in bucket.exceeds(3, clock) } == [false, false, false, true])
    machine.withLock { $0 += .seconds(10) }
    #expect((1...2).map { _ in bucket.exceeds(3, clock) } == [false, true])
  }

  @Test("The count of an address decays with time; the number of remembered addresses is limited")
  func buckets() {
    let buckets = RateBuckets<Int>(limit: 4, ratePerSecond: 2)
    #expect(buckets.add(to: 1, now: .zero).level == 1)
    #expect(buckets.add(to: 1, now: .zero).level == 2)
    #expect(buckets.add(to: 1, now: .milliseconds(500)).level == 2)
    #expect(buckets.add(to: 1, capacity: 2, now: .milliseconds(500)).isAdded == false)
    #expect(buckets.add(to: 1, capacity: 2, now: .seconds(1)).isAdded == true)
    for key in 2...4 { _ = buckets.add(to: key, now: .seconds(1)) }
    #expect(buckets.all.count == 4)
    // Adding the fifth keeps it and the two fullest.
    #expect(buckets.add(to: 5, now: .seconds(1)).level == 1)
    #expect(buckets.all.count == 3)
    #expect(buckets.add(to: 1, now: .seconds(1)).level == 3)
    // A clock that stands still or starts again neither empties nor fills a bucket.
    #expect(buckets.add(to: 1, now: .zero).level >= 4)
  }

  @Test("IPv4 counts by address in either form; IPv6 counts by network, but on our own networks by address")
  func addresses() throws {
    let home = IPv6Network(of: 0x2001_0DB8_0000_0002 << 64 | 7, mask: UInt128.max << 64)
    let neighbours = Neighbours(uptime: { .zero }, read: { [home] })
    func address(_ text: String) throws -> ClientAddress? {
      ClientAddress(try SocketAddress(ipAddress: text, port: 1), neighbours: neighbours)
    }
    #expect(try address("2001:db8:0:2::1") == address("2001:db8:0:2::1"))
    #expect(try address("2001:db8:0:2::1") != address("2001:db8:0:2::2"))
    #expect(try address("2001:db8:0:2::") != address("2001:db8:0:3::"))
    #expect(try address("10.0.0.1") == address("::ffff:10.0.0.1"))
    #expect(try address("10.0.0.1")?.description == "10.0.0.1")
    #expect(try address("2001:db8:0:2::1")?.description == "2001:db8:0:2:0:0:0:1")
    #expect(try address("2001:db8:0:3::1")?.description == "2001:db8:0:3::/64")
    #expect(try address("10.0.0.1") != address("10.0.0.2"))
    #expect(try address("2001:db8:0:1::1") == address("2001:db8:0:1:ffff::2"))
    #expect(try address("2001:db8:0:1::1") != address("2001:db8:0:2::1"))
    #expect(try address("::1") != address("0.0.0.1"))
    #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/tmp/x"), neighbours: neighbours) == nil)
    #expect(ClientAddress(nil, neighbours: neighbours) == nil)
  }
}
