// Input that is not a request in its turn: how much of it is parsed, kept and discarded.

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTP

/// A connection without a socket. It counts the parts of its input on their way to the routes.
private final class Connection {
  private let channel = EmbeddedChannel()
  private let counter = PartCounter()

  init(_ routes: [Route] = [], limits: HTTPLimits = .patient) throws {
    try channel.pipeline.syncOperations.addHandler(HalfCloser())
    try HTTPService(RouteTable(routes), limits: limits).serve(channel)
    let connection = try channel.pipeline.syncOperations.context(handlerType: HTTPServerConnection.self)
    try channel.pipeline.syncOperations.addHandler(counter, position: .before(connection.handler))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
  }

  deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

  /// The number of parsed requests.
  var heads: Int { counter.heads }

  var isOpen: Bool { channel.isActive }

  func write(_ text: String) throws {
    // The decoder reports its error to the handler after it, and here once more.
    _ = try? channel.writeInbound(ByteBuffer(string: text))
  }

  func answer() throws -> String {
    var text = ""
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
    return text
  }

  func advance(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

  /// A handler for closing one side, which a channel without a socket does not support.
  private final class HalfCloser: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
  }

  private final class PartCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    var heads = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head = unwrapInboundIn(data) { heads += 1 }
      context.fireChannelRead(data)
    }
  }
}

private let request = "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"

@Suite struct IntakeTests {
  @Test func nothingIsParsedBehindTheAnswerThatCloses() throws {
    let connection = try Connection()
    for _ in 1...10 { try connection.write(String(repeating: request, count: 1_000)) }
    #expect(try connection.answer().hasPrefix("HTTP/1.1 404 "))
    // The requests that the parser was given together with the first.
    #expect(connection.heads <= HTTPIntake.sliceBytes / request.utf8.count + 1)
  }

  /// Only as many as fit into one slice are parsed while the first is answered, however many came with it.
  @Test func requestsSentAheadWaitUnparsed() throws {
    let channel = EmbeddedChannel()
    let table = try RouteTable([Route("GET", "/none") { _ in .noContent }])
    let held = HTTPServerConnection(HTTPService(table, limits: .patient).responder, limits: .patient)
    let parser = ByteCounter()
    try channel.pipeline.syncOperations.addHandlers([HTTPIntake(to: held), parser])
    try channel.pipeline.syncOperations.addHandlers([ByteToMessageHandler(HTTPRequestDecoder()), held])
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/test")).wait()
    try channel.writeInbound(ByteBuffer(string: String(repeating: request, count: 10_000)))
    #expect(parser.bytes == HTTPIntake.sliceBytes)
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  @Test func whatIsThrownAwayIsBoundedInBytes() throws {
    let connection = try Connection(limits: .patient { $0.lingerBytes = 1_000 })
    try connection.write(request)
    #expect(try connection.answer().hasPrefix("HTTP/1.1 404 "))
    try connection.write(String(repeating: "x", count: 1_000))
    #expect(connection.isOpen)
    try connection.write("x")
    #expect(!connection.isOpen)
  }

  @Test func whatIsThrownAwayIsBoundedInTime() throws {
    let connection = try Connection(limits: .patient { $0.lingerTimeout = .seconds(2) })
    try connection.write(request)
    connection.advance(1)
    try connection.write("x")
    #expect(connection.isOpen)
    connection.advance(1)
    #expect(!connection.isOpen)
  }

  /// The parser counts neither of these, and keeps the first two in memory.
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: x\r\nX:", " "), ("GET /", " "), ("", "\r\n"),
    // The parser treats the rest as another protocol, and keeps it.
    ("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: y\r\n\r\n", "z"),
  ])
  func headWithoutEnd(beginning: String, more: String) async throws {
    var limits = HTTPLimits.patient
    limits.headerBytes = 300
    limits.framingBytes = 100
    try await withServer([Route("GET", "/") { _ in .text("first") }], limits: limits) { server, _ async throws in
      let raw = try RawConnection(server.address)
      let isRequest = beginning.hasSuffix("\r\n\r\n")
      try await raw.write(beginning)
      if isRequest { #expect(try await raw.read(until: "first").hasPrefix("HTTP/1.1 200 ")) }
      try await raw.write(String(repeating: more, count: 500))
      #expect(try await raw.read().hasPrefix("HTTP/1.1 431 "))
    }
  }

  @Test func framingOfAHead() throws {
    var limits = HTTPLimits.patient
    limits.headerBytes = 200
    limits.framingBytes = 100
    let beginning = "GET / HTTP/1.1\r\nHost: x\r\nX:"
    for (bytes, answer) in [(300, ""), (301, "HTTP/1.1 431 ")] {
      let connection = try Connection(limits: limits)
      try connection.write(beginning + String(repeating: " ", count: bytes - beginning.utf8.count))
      #expect(try connection.answer().hasPrefix(answer))
      #expect(try connection.answer() == "")
      #expect(connection.isOpen)
    }
  }

  @Test func framingOfABody() throws {
    var limits = HTTPLimits.patient
    limits.headerBytes = 100
    limits.framingBytes = 50
    limits.chunkOverhead = 10
    // The parser is given the head and, separately, ten bytes of body; then a chunk whose size line does not end.
    let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "a\r\n0123456789\r\n"
    let free = 100 + 50 + 10 * 10 - head.utf8.count - chunk.utf8.count
    for (bytes, status) in [(free, nil), (free + 1, "400")] {
      let connection = try Connection([Route("POST", "/") { _ in .noContent }], limits: limits)
      try connection.write(head)
      try connection.write(chunk)
      try connection.write("1;" + String(repeating: "x", count: bytes - 2))
      let answer = try connection.answer()
      #expect(answer.split(separator: " ").dropFirst().first.map(String.init) == status)
      #expect(status == nil || answer.contains("the body's chunks are mostly framing"))
    }
  }

  /// Each byte of the body takes six: clients that are this clumsy are accepted.
  @Test func chunksOfOneByteEach() async throws {
    try await withServer([Route("POST", "/") { .text("\($0.body.count)") }]) { server, _ async throws in
      let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let body = String(repeating: "1\r\nx\r\n", count: 60_000) + "0\r\n\r\n"
      #expect(try await server.answer(to: head + body).hasSuffix("\r\n\r\n60000"))
    }
  }

  /// The last answer can be read, whatever the client has sent after the request that it closes with.
  @Test func theLastAnswerIsNotLostToWhatCameBehindIt() async throws {
    let route = Route("GET", "/") { _ in .text(String(repeating: "x", count: 100_000) + "end") }
    try await withServer([route]) { server, _ async throws in
      let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      #expect(try await server.answer(to: request + String(repeating: "y", count: 100_000)).hasSuffix("end"))
    }
  }

  private final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      bytes += unwrapInboundIn(data).readableBytes
      context.fireChannelRead(data)
    }
  }
}

@Suite struct HostTests {
  @Test(arguments: [
    ("HTTP/1.1", ["Host: x"], "200"), ("HTTP/1.1", [], "400"), ("HTTP/1.1", ["Host: x", "Host: x"], "400"),
    ("HTTP/1.1", ["Host: x", "hOST: y"], "400"), ("HTTP/1.1", ["Host:"], "200"), ("HTTP/1.0", [], "200"),
    ("HTTP/1.0", ["Host: x"], "200"), ("HTTP/1.0", ["Host: x", "Host: x"], "400"),
  ])
  func oneHost(version: String, fields: [String], status: String) async throws {
    try await withServer([Route("GET", "/") { _ in .text("ok") }]) { server, _ async throws in
      let lines = ["GET / \(version)", "Connection: close"] + fields
      let answer = try await server.answer(to: lines.map { $0 + "\r\n" }.joined() + "\r\n")
      #expect(answer.dropFirst(9).prefix(3) == status)
      #expect(status == "200" || answer.contains("a request of HTTP/1.1 has one Host field"))
    }
  }
}
