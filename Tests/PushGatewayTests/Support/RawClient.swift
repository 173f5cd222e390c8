// A client that knows of HTTP/2 only how frames look: it goes on where a library would have given up, as after GOAWAY.

import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

@testable import PushGateway

/// A frame of a request's stream that is part of no answer.
struct UnexpectedFrame: Error, Hashable {
  var type: UInt8
  var payload: [UInt8]
}

/// One connection, one request at a time.
struct RawClient {
  private let channel: any Channel
  private var received: AsyncStream<ByteBuffer>.Iterator
  private var pending = ByteBuffer()
  private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
  private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
  private var stream: UInt32 = 1

  init(port: Int, authority: String) async throws {
    let context = try clientContext(authority)
    let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    received = stream.makeAsyncIterator()
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            try NIOSSLClientHandler(context: context, serverHostname: "localhost"), Sink(continuation))
        }
      }.connect(host: "127.0.0.1", port: port).get()
    try await channel.writeAndFlush(ByteBuffer(bytes: ProtocolDetector.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]))
  }

  /// Sends a request and waits for its answer, whatever else the server says.
  mutating func send(_ headers: HPACKHeaders, _ body: String) async throws -> Response {
    var block = ByteBuffer()
    try encoder.encode(headers: headers, to: &block)
    var request = frame(type: 1, flags: 4, block)
    request.writeImmutableBuffer(frame(type: 0, flags: 1, ByteBuffer(string: body)))
    defer { stream += 2 }
    try await channel.writeAndFlush(request)
    var response = Response(0)
    while let (type, flags, id, payload) = await nextFrame() {
      guard id == stream else { continue }
      var payload = payload
      switch type {
      case 0: response.body += String(buffer: payload)
      case 1: response = Response(try decoder.decodeHeaders(from: &payload))
      default: throw UnexpectedFrame(type: type, payload: Array(payload.readableBytesView))
      }
      if flags & 1 == 1 { return response }
    }
    throw StreamGone(status: response.status)
  }

  /// The server may have been first.
  func close() async { try? await channel.close() }

  private func frame(type: UInt8, flags: UInt8, _ payload: ByteBuffer) -> ByteBuffer {
    var frame = ByteBuffer()
    frame.writeBytes([0, UInt8(payload.readableBytes >> 8), UInt8(payload.readableBytes & 255), type, flags])
    frame.writeInteger(stream)
    frame.writeImmutableBuffer(payload)
    return frame
  }

  private mutating func nextFrame() async -> (type: UInt8, flags: UInt8, stream: UInt32, payload: ByteBuffer)? {
    while true {
      let start = pending.readerIndex
      if let head = pending.getBytes(at: start, length: 9) {
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        if let payload = pending.getSlice(at: start + 9, length: length) {
          pending.moveReaderIndex(forwardBy: 9 + length)
          let stream = head[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
          return (head[3], head[4], stream, payload)
        }
      }
      guard let more = await received.next() else { return nil }
      pending.writeImmutableBuffer(more)
    }
  }

  private final class Sink: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) {
      self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
