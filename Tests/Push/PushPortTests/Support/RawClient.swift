// A client that implements only HTTP/2 framing: it continues where a library would give up, as after GOAWAY.

import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

@testable import PushPort

/// An error: a frame of a request's stream that does not belong to an answer.
struct UnexpectedFrame: Error, Hashable {
  var type: UInt8
  var payload: [UInt8]
}

/// A connection that carries one request at a time.
struct RawClient {
  /// The server, which runs as long as this client refers to it.
  private let server: TestServer
  private let channel: any Channel
  private var received: AsyncStream<ByteBuffer>.Iterator
  private var pending = ByteBuffer()
  private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
  private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
  /// The headers of the last HEADERS frame; nil if it could not be decoded.
  fileprivate var headers: HPACKHeaders?

  init(_ server: TestServer) async throws {
    let (channel, received) = try await openConnection(to: server.port, clientContext(server.authority))
    self.server = server
    self.channel = channel
    self.received = received.makeAsyncIterator()
    try await channel.writeAndFlush(ByteBuffer(bytes: ProtocolDetector.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]))
  }

  /// Sends a request and waits for its answer; ignores all other frames.
  mutating func send(_ headers: HPACKHeaders, _ body: String) async throws -> Response {
    let own = stream
    try await write(try request(headers, ends: false) + frame(FrameHeader.Kind.data, flags: 1, own, Array(body.utf8)))
    return try await response(on: own)
  }

  /// Returns the answer on a stream; ignores the frames of others.
  mutating func response(on stream: UInt32) async throws -> Response {
    var response = Response(0)
    while let next = await nextFrame() {
      guard next.stream == stream else { continue }
      switch next.kind {
      case FrameHeader.Kind.data: response.body += String(decoding: next.payload, as: UTF8.self)
      case FrameHeader.Kind.headers:
        guard let headers else { throw UnexpectedFrame(type: next.kind, payload: next.payload) }
        response = Response(headers)
      default: throw UnexpectedFrame(type: next.kind, payload: next.payload)
      }
      if next.flags & 1 == 1 { return response }
    }
    throw StreamGone(status: response.status)
  }

  /// Returns a HEADERS frame for the next stream's request.
  mutating func request(_ headers: HPACKHeaders, ends: Bool) throws -> [UInt8] {
    defer { stream += 2 }
    return frame(FrameHeader.Kind.headers, flags: ends ? 5 : 4, stream, try block(headers))
  }

  mutating func block(_ headers: HPACKHeaders) throws -> [UInt8] {
    var block = ByteBuffer()
    try encoder.encode(headers: headers, to: &block)
    return Array(block.readableBytesView)
  }

  /// The number of the next stream.
  private(set) var stream: UInt32 = 1

  func acknowledgeSettings() async throws { try await write(frame(FrameHeader.Kind.settings, flags: 1)) }

  func write(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  /// Writes without waiting: the server may have stopped reading.
  func push(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  /// Returns the code of the server's last GOAWAY, once it has closed the connection; nil if there was none.
  mutating func farewell() async -> UInt32? { await goAway()?.code }

  struct GoAway: Equatable {
    var lastStream: UInt32
    var code: UInt32
  }

  /// Returns the server's last GOAWAY, once it has closed the connection; nil if there was none.
  mutating func goAway() async -> GoAway? {
    var last: GoAway?
    while let next = await nextFrame() {
      if next.kind == FrameHeader.Kind.goAway { last = GoAway(lastStream: next.code(at: 0), code: next.code(at: 4)) }
    }
    return last
  }

  /// Returns the code of the server's reset of a stream; nil if the connection ends first.
  mutating func reset(of stream: UInt32) async -> UInt32? {
    while let next = await nextFrame() {
      if next.kind == FrameHeader.Kind.reset && next.stream == stream { return next.code(at: 0) }
    }
    return nil
  }

  func end() async throws { try await channel.closeFuture.get() }

  /// Closes the connection, if the server has not.
  func close() async { try? await channel.close() }

  struct Frame {
    var kind: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    func code(at offset: Int) -> UInt32 {
      payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  mutating func nextFrame() async -> Frame? {
    while true {
      if let header = FrameHeader(at: pending.readerIndex, of: pending),
        let payload = pending.getBytes(at: pending.readerIndex + FrameHeader.size, length: header.length)
      {
        pending.moveReaderIndex(forwardBy: FrameHeader.size + header.length)
        if header.kind == FrameHeader.Kind.headers {
          // Each header block is decoded in order, even if unused: later ones may refer to it.
          var block = ByteBuffer(bytes: payload)
          headers = try? decoder.decodeHeaders(from: &block)
        }
        return Frame(kind: header.kind, flags: header.flags, stream: header.stream, payload: payload)
      }
      guard let more = await received.next() else { return nil }
      pending.writeImmutableBuffer(more)
    }
  }
}

extension RawClient {
  /// Returns the next frame as a line, `HEADERS 1 200 end`, `GOAWAY 3 0`; `end` at the end of the connection.
  mutating func nextLine() async -> String {
    guard let next = await nextFrame() else { return "end" }
    let end = next.flags & 1 == 1 ? " end" : ""
    switch next.kind {
    case FrameHeader.Kind.headers:
      return "HEADERS \(next.stream) \(headers?.first(name: ":status") ?? "-")\(end)"
    case FrameHeader.Kind.data: return "DATA \(next.stream) \(String(decoding: next.payload, as: UTF8.self))\(end)"
    case FrameHeader.Kind.reset: return "RST_STREAM \(next.stream) \(next.code(at: 0))"
    case FrameHeader.Kind.goAway: return "GOAWAY \(next.code(at: 0)) \(next.code(at: 4))"
    case FrameHeader.Kind.ping: return "PING\(end)"
    case FrameHeader.Kind.windowUpdate: return "WINDOW_UPDATE \(next.stream) \(next.code(at: 0))"
    case FrameHeader.Kind.settings:
      let values = stride(from: 0, to: next.payload.count, by: 6).map { place in
        "\(next.payload[place + 1])=\(next.code(at: place + 2))"
      }
      return (["SETTINGS"] + values).joined(separator: " ") + end
    default: return "frame \(next.kind)"
    }
  }

  /// Returns the frames up to one that begins so, without SETTINGS.
  mutating func lines(until last: String) async -> [String] {
    var lines: [String] = []
    while lines.last.map({ !$0.hasPrefix(last) && $0 != "end" }) ?? true {
      let line = await nextLine()
      if !line.hasPrefix("SETTINGS") || last.hasPrefix("SETTINGS") { lines.append(line) }
    }
    return lines
  }

  /// Sends a whole request; returns its stream.
  @discardableResult
  mutating func put(_ headers: HPACKHeaders, _ body: String) async throws -> UInt32 {
    let own = stream
    try await write(try request(headers, ends: false) + frame(FrameHeader.Kind.data, flags: 1, own, Array(body.utf8)))
    return own
  }
}

/// Connects, and returns the channel and the bytes that it receives.
/// - Parameter context: the TLS of the connection; nil for none.
func openConnection(
  to port: Int, _ context: NIOSSLContext? = nil
) async throws -> (channel: any Channel, received: AsyncStream<ByteBuffer>) {
  let (received, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
  let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        if let context { try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost")) }
        try pipeline.addHandler(Sink(continuation))
      }
    }.connect(host: "127.0.0.1", port: port).get()
  return (channel, received)
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

func frame(_ kind: UInt8, flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
  var buffer = ByteBuffer()
  FrameHeader(length: payload.count, kind: kind, flags: flags, stream: stream).write(to: &buffer)
  return Array(buffer.readableBytesView) + payload
}
