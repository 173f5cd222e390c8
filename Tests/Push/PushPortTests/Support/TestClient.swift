// A provider's side of the connection, built on NIO, which can also misbehave.

import Foundation
import HandsetCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import ServerIdentity
import Synchronization
import TestSupport

@testable import PushPort

struct Response: Hashable, Sendable {
  var status: Int
  var id: String
  var body: String
  var retryAfter: String?
  var uniqueID: String?
  var channelID: String?

  init(_ status: Int, id: String = "", body: String = "") {
    self.status = status
    self.id = id
    self.body = body
  }

  init(_ headers: HPACKHeaders) {
    status = Int(headers.first(name: ":status") ?? "") ?? 0
    id = headers.first(name: "apns-id") ?? headers.first(name: "apns-request-id") ?? ""
    body = ""
    retryAfter = headers.first(name: "retry-after")
    uniqueID = headers.first(name: "apns-unique-id")
    channelID = headers.first(name: "apns-channel-id")
  }
}

/// An error: a stream ended without END_STREAM.
struct StreamGone: Error, Hashable {
  /// The status; 0 if none was received.
  var status: Int
}

/// A handler that holds back a client's bytes until they are released.
final class HeldBytes: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = ByteBuffer

  private let context = Mutex<NIOLoopBound<ChannelHandlerContext>?>(nil)

  func handlerAdded(context: ChannelHandlerContext) {
    self.context.withLock { $0 = NIOLoopBound(context, eventLoop: context.eventLoop) }
  }

  // Written bytes wait in the channel.
  func flush(context: ChannelHandlerContext) {
    if self.context.withLock({ $0 == nil }) { context.flush() }
  }

  func release() {
    let bound = context.withLock { context in
      defer { context = nil }
      return context
    }
    if let bound { bound.eventLoop.execute { bound.value.flush() } }
  }
}

/// A connection to the port.
final class TestClient: Sendable {
  /// The server, which runs as long as this client refers to it.
  private let server: TestServer
  let channel: any Channel
  private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
  let frames: AsyncStream<HTTP2Frame>

  /// - Parameters:
  ///   - authority: the certificate of the authority to trust; nil for the server's first one.
  ///   - certificates: the number of copies of the client's certificate to send.
  ///   - held: the handler that holds back its first bytes.
  init(
    _ server: TestServer, authority: String? = nil, alpn: Bool = true, certificate: TestCertificate? = nil,
    certificates: Int = 1, held: HeldBytes? = nil
  ) async throws {
    self.server = server
    let context = try clientContext(
      authority ?? server.authority, alpn: alpn ? "h2" : nil, certificate: certificate, certificates: certificates)
    let (frames, continuation) = AsyncStream.makeStream(of: HTTP2Frame.self)
    self.frames = frames
    (channel, multiplexer) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let held { try pipeline.addHandler(held) }
          try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
          var connection = NIOHTTP2Handler.ConnectionConfiguration()
          // So that it can send invalid requests.
          connection.headerBlockValidation = .disabled
          connection.contentLengthValidation = .disabled
          connection.initialSettings = []
          try pipeline.addHandler(
            NIOHTTP2Handler(
              mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: connection,
              streamConfiguration: .init()
            ) { $0.eventLoop.makeSucceededVoidFuture() })
          try pipeline.addHandler(FrameWatcher(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: server.port)
      .flatMap { channel in
        channel.pipeline.handler(type: NIOHTTP2Handler.self).flatMap { $0.multiplexer }.map { (channel, $0) }
      }.get()
  }

  /// Sends a whole request at once, with no delay between its headers and its body, and returns the response.
  func send(_ headers: HPACKHeaders, _ body: String) async throws -> Response {
    try await put(headers, body).response()
  }

  /// Sends a whole request at once, without waiting for the response.
  func put(_ headers: HPACKHeaders, _ body: String) async throws -> Exchange {
    let stream = try await begin()
    stream.channel.write(HTTP2Frame.FramePayload.headers(.init(headers: headers)), promise: nil)
    // The stream of a request refused by its headers may be closed already; the answer shows the refusal.
    let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)
    stream.channel.writeAndFlush(HTTP2Frame.FramePayload.data(data), promise: nil)
    return stream
  }

  /// Sends a request's headers.
  func open(_ headers: HPACKHeaders) async throws -> Exchange {
    let exchange = try await begin()
    try await exchange.channel.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers)))
    return exchange
  }

  private func begin() async throws -> Exchange {
    let promise = channel.eventLoop.makePromise(of: Response.self)
    let stream = channel.eventLoop.makePromise(of: (any Channel).self)
    multiplexer.createStreamChannel(promise: stream) { stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(ResponseReader(promise))
      }
    }
    do {
      return Exchange(channel: try await stream.futureResult.get(), answer: promise.futureResult)
    } catch {
      // The connection is closed already.
      promise.fail(error)
      throw error
    }
  }

  func close() async throws {
    try? await channel.close()
  }

  /// Returns the numbers of streams that the server allows: so many of them, or all until the connection's end.
  func allowedStreams(_ count: Int = .max) async -> [Int] {
    var allowed: [Int] = []
    for await frame in frames {
      guard case .settings(.settings(let settings)) = frame.payload else { continue }
      allowed += settings.filter { $0.parameter == .maxConcurrentStreams }.map(\.value)
      if allowed.count >= count { break }
    }
    return allowed
  }
}

func clientContext(
  _ authority: String, alpn: String? = "h2", certificate: TestCertificate? = nil, certificates: Int = 1
) throws -> NIOSSLContext {
  var tls = TLSConfiguration.makeClientConfiguration()
  tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8)))
  if let alpn { tls.applicationProtocols = [alpn] }
  if let certificate {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.pem.utf8))
    tls.certificateChain = Array(repeating: chain, count: certificates).joined().map { .certificate($0) }
    tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem))
  }
  return try NIOSSLContext(configuration: tls)
}

/// A request in progress.
struct Exchange: Sendable {
  let channel: any Channel
  let answer: EventLoopFuture<Response>

  func write(_ body: String, end: Bool) async throws {
    let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: body)), endStream: end)
    try await channel.writeAndFlush(HTTP2Frame.FramePayload.data(data))
  }

  func response() async throws -> Response { try await answer.get() }
}

/// A handler that gives the connection's own frames to the test.
private final class FrameWatcher: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  private let frames: AsyncStream<HTTP2Frame>.Continuation

  init(_ frames: AsyncStream<HTTP2Frame>.Continuation) {
    self.frames = frames
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    frames.yield(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) {
    frames.finish()
  }
}

private final class ResponseReader: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  private let promise: EventLoopPromise<Response>
  private var response = Response(0)

  init(_ promise: EventLoopPromise<Response>) {
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var isOver = false
    switch unwrapInboundIn(data) {
    case .headers(let frame):
      response = Response(frame.headers)
      isOver = frame.endStream
    case .data(let frame):
      if case .byteBuffer(let buffer) = frame.data { response.body += String(buffer: buffer) }
      isOver = frame.endStream
    default: break
    }
    if isOver { promise.succeed(response) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(StreamGone(status: response.status))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(StreamGone(status: response.status))
    context.close(promise: nil)
  }
}

/// A server with a certificate authority of its own. It shuts down when the test is over.
final class TestServer: Sendable {
  let pushServer: PushServer
  let port: Int
  let authority: String

  init(
    _ receiver: any PushReceiver = RecordingReceiver(), channels: TestChannels? = nil, managesOnly: Bool = false,
    publishing: (any PublishingReceiver)? = nil, providers: ProviderDirectory, limits: PortLimits = .patient,
    clock: PortClock = .standing(),
    environment: PushEnvironment = .production,
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, bench: (any PortBench)? = nil
  ) async throws {
    let folder = try TemporaryFolder()
    let authority = try CertificateAuthority.loadOrCreate(
      in: folder.path + "/tls", now: now, names: CertificateNames(["localhost", "127.0.0.1", "::1"]))
    let port = testPort(
      providers, recorder: receiver, limits: limits, clock: clock, environment: environment,
      eventLoopGroup: eventLoopGroup, bench: bench)
    var frontEnds: [any FrontEnd] = managesOnly ? [] : [APNsFrontEnd(receiver)]
    if let channels { frontEnds.append(ChannelsFrontEnd(channels, hasOwnPort: managesOnly)) }
    if let publishing { frontEnds.append(PublishingFrontEnd(publishing, limits: limits)) }
    pushServer = try PushServer(port, frontEnds: frontEnds, identity: authority.identity)
    if bench != nil, let key = try CertificateAuthority.key(in: folder.path + "/tls") {
      try pushServer.use(
        Fault.CertificateFault.identities(
          by: key, names: CertificateNames(["localhost", "127.0.0.1"]), now: PortClock.system.real()))
    }
    self.port = try await pushServer.start(host: "127.0.0.1", port: 0).port!
    self.authority = authority.certificatePEM
  }

  deinit { Task { [pushServer] in await pushServer.shutDown() } }
}

extension PortLimits {
  /// The limits for tests that are not about time, as clients are slow on a busy machine.
  static var patient: PortLimits {
    var limits = PortLimits.standard
    limits.handshakeDuration = .seconds(300)
    limits.strangerSilence = .seconds(300)
    limits.bodyDuration = .seconds(300)
    limits.answerDuration = .seconds(300)
    limits.discardDuration = .seconds(300)
    limits.frameDuration = .seconds(300)
    return limits
  }

  static func patient(_ change: (inout PortLimits) -> Void) -> PortLimits { changed(.patient, change) }

  static func standard(_ change: (inout PortLimits) -> Void) -> PortLimits { changed(.standard, change) }

  private static func changed(_ limits: PortLimits, _ change: (inout PortLimits) -> Void) -> PortLimits {
    var limits = limits
    change(&limits)
    return limits
  }
}
