// Tests of how much is read from a connection before its provider has answers, and after refusals.

import HandsetCore
import NIOCore
import NIOEmbedded
import NIOHPACK
import Synchronization
import Testing

@testable import PushPort

@Suite("The share of a connection")
final class ShareTests {
  private let provider = TestProvider()
  private let receiver = RecordingReceiver(outcome: nil)
  private let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel
  private let reads = Reads()
  private let siblings = Siblings()
  private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
  private var stream: UInt32 = 1

  /// The number of the provider's connections.
  private final class Siblings: Sendable {
    let count = Mutex(1)
  }

  /// A counter of a channel's read requests.
  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  init() throws {
    channel = EmbeddedChannel(loop: loop)
    var limits = PortLimits.patient
    limits.requestsUnderWay = 6
    limits.requestsUnderWayEach = 2
    limits.refusalsPerSecond = 300
    limits.pausesPerSecond = 100
    let port = testPort(provider.directory, recorder: receiver, limits: limits, eventLoopGroup: loop)
    let connection = HTTP2Connection(
      port: port, isAuthenticated: false, isProgressing: { true },
      connections: { [siblings] name in name == "bellringer" ? siblings.count.withLock { $0 } : 0 },
      makeClient: { [receiver] connection in
        Client(
          port: port, frontEnds: [APNsFrontEnd(receiver)], address: nil, ipAddress: "", certificate: nil,
          provider: nil,
          transport: .init(authenticated: { [weak connection] _ in connection?.allowMoreStreams() }, end: { _ in }))
      })
    try channel.pipeline.syncOperations.addHandlers([reads, connection])
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/share")).wait()
    try channel.writeInbound(ByteBuffer(bytes: ProtocolDetector.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]))
  }

  deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

  /// Sends `count` requests, which arrive together.
  /// - Returns: true if more is read then.
  private func arrive(_ count: Int, _ changes: [String: String?] = [:]) throws -> Bool {
    var bytes = ByteBuffer()
    for _ in 0..<count {
      var block = ByteBuffer()
      try encoder.encode(headers: fields(changes, authorization: "bearer " + token), to: &block)
      bytes.writeBytes(frame(FrameHeader.Kind.headers, flags: 4, stream, Array(block.readableBytesView)))
      bytes.writeBytes(frame(FrameHeader.Kind.data, flags: 1, stream, Array(#"{"aps":{"alert":"x"}}"#.utf8)))
      stream += 2
    }
    try channel.writeInbound(bytes)
    let before = reads.count
    channel.read()
    return reads.count > before
  }

  private lazy var token = provider.token()

  private func answer() {
    receiver.release(.stored(.accepted))
    loop.run()
  }

  @Test("Requests are read up to the number that the provider may have under way; the others after answers")
  func underWay() throws {
    #expect(try arrive(5))
    #expect(receiver.pushes.count == 5)
    #expect(try !arrive(8))
    #expect(receiver.pushes.count == 6)
    let before = reads.count
    answer()
    #expect(receiver.pushes.count == 12)
    #expect(reads.count == before)
    answer()
    #expect(receiver.pushes.count == 13)
    #expect(reads.count == before + 1)
  }

  @Test("Connections of one provider have equal shares, and at least a minimum")
  func shared() throws {
    siblings.count.withLock { $0 = 2 }
    #expect(try !arrive(4))
    #expect(receiver.pushes.count == 3)
    siblings.count.withLock { $0 = 6 }
    answer()
    #expect(receiver.pushes.count == 4)
    #expect(try !arrive(2))
    #expect(receiver.pushes.count == 5)
  }

  @Test("After its share of refusals a connection is not read until the pause is over")
  func refusals() throws {
    #expect(try arrive(1))
    answer()
    #expect(try arrive(2, ["apns-topic": "com.example.other"]))
    #expect(try !arrive(3, ["apns-topic": "com.example.other"]))
    #expect(receiver.refusals.count == 3)
    loop.advanceTime(by: .milliseconds(9))
    #expect(receiver.refusals.count == 3)
    loop.advanceTime(by: .milliseconds(1))
    #expect(receiver.refusals.count == 5)
    #expect(try arrive(0))
  }
}
