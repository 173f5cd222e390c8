// A small APNs server, over real TLS and HTTP/2: it records each push, and answers when the test requests it.

import Crypto
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import SwiftASN1
import Synchronization
import X509

@testable import ProviderClient

/// A test's own authority and a certificate that it issued.
struct TestAuthority {
  let pem: String
  private let key = P256.Signing.PrivateKey()
  private let name: DistinguishedName

  init() throws {
    name = try DistinguishedName { CommonName("Test authority") }
    let certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
      notValidBefore: Date(timeIntervalSince1970: 0),
      notValidAfter: Date(timeIntervalSinceNow: 86400), issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      },
      issuerPrivateKey: .init(key))
    pem = try certificate.serializeAsPEM().pemString
  }

  /// Makes a certificate for `names`, and for 127.0.0.1 if `coversLoopback`.
  func serverConfiguration(names: [String], coversLoopback: Bool, protocols: [String]) throws -> TLSConfiguration {
    let serverKey = P256.Signing.PrivateKey()
    var alternatives = names.map { GeneralName.dnsName($0) }
    if coversLoopback { alternatives.append(.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))) }
    let certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey),
      notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSinceNow: 86400), issuer: name,
      subject: DistinguishedName { CommonName("Test server") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions { SubjectAlternativeNames(alternatives) }, issuerPrivateKey: .init(key))
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [
        .certificate(try NIOSSLCertificate(bytes: Array(certificate.serializeAsPEM().pemString.utf8), format: .pem))
      ],
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(serverKey.pemRepresentation.utf8), format: .pem)))
    configuration.applicationProtocols = protocols
    return configuration
  }
}

extension TLSConfiguration {
  /// The certificate that a server with this configuration presents.
  fileprivate var certificatePEM: String {
    get throws {
      guard case .certificate(let shown) = certificateChain.first else { return "" }
      return PEMDocument(type: "CERTIFICATE", derBytes: try shown.toDERBytes()).pemString
    }
  }
}

struct ReceivedPush: Sendable {
  let headers: HPACKHeaders
  let body: [UInt8]
  /// The number of pushes answered when this one's headers arrived.
  let answeredBefore: Int
  let channel: any Channel

  func header(_ name: String) -> String? { headers.first(name: name) }

  func answer(_ status: Int, _ headers: [(String, String)] = [], body: String = "") {
    var all = HPACKHeaders([(":status", "\(status)")])
    if let id = header("apns-id") { all.add(name: "apns-id", value: id) }
    for (name, value) in headers { all.add(name: name, value: value) }
    let head = HTTP2Frame.FramePayload.headers(.init(headers: all, endStream: body.isEmpty))
    channel.writeAndFlush(head, promise: nil)
    if !body.isEmpty {
      channel.writeAndFlush(
        HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)), promise: nil)
    }
  }
}

/// A server that stops when the test is over, or with `stop`.
final class TestPushServer: Sendable {
  struct Observed: Sendable {
    var open = 0
    var mostOpen = 0
    var answered = 0
    var answeredBefore: [Int] = []
    var connections: [any Channel] = []
  }

  let endpoint: Endpoint
  let authority: TestAuthority
  let certificatePEM: String
  let observed: SharedObserved
  private let listener: any Channel

  final class SharedObserved: Sendable {
    let value = Mutex(Observed())
  }

  /// - Parameter respond: called on the event loop, for each whole push; `answer` is called in it, or later.
  static func start(
    host: String = "127.0.0.1", names: [String] = ["localhost"], coversLoopback: Bool = true,
    protocols: [String] = ["h2"], maxConcurrentStreams: Int = 100,
    respond: @escaping @Sendable (ReceivedPush) -> Void = { $0.answer(200) }
  ) async throws -> TestPushServer {
    let authority = try TestAuthority()
    let certified = try authority.serverConfiguration(
      names: names, coversLoopback: coversLoopback, protocols: protocols)
    let tls = try NIOSSLContext(configuration: certified)
    let observed = SharedObserved()
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: maxConcurrentStreams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: 65536),
    ]
    let configuration = connection
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 128)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          observed.value.withLock { $0.connections.append(channel) }
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: configuration, streamConfiguration: .init(),
            inboundStreamInitializer: { stream in
              stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(TestStream(observed, respond))
              }
            })
        }
      }
      .bind(host: host, port: 0).get()
    return TestPushServer(
      endpoint: Endpoint(host: host, port: listener.localAddress?.port ?? 0), authority: authority,
      certificatePEM: try certified.certificatePEM, observed: observed, listener: listener)
  }

  private init(
    endpoint: Endpoint, authority: TestAuthority, certificatePEM: String, observed: SharedObserved,
    listener: any Channel
  ) {
    self.endpoint = endpoint
    self.authority = authority
    self.certificatePEM = certificatePEM
    self.observed = observed
    self.listener = listener
  }

  deinit {
    for channel in observed.value.withLock({ $0.connections }) { channel.close(promise: nil) }
    listener.close(promise: nil)
  }

  func connect(host: String? = nil, limits: ProviderLimits = .patient) async throws -> ProviderConnection {
    try await ProviderConnection.connect(
      to: Endpoint(host: host ?? endpoint.host, port: endpoint.port), trust: .authorities(pem: authority.pem),
      limits: limits)
  }

  /// Sends GOAWAY to every connection: streams up to `last` will still be answered.
  func goAway(last: HTTP2StreamID, reason: String) {
    for channel in observed.value.withLock({ $0.connections }) {
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(
          lastStreamID: last, errorCode: .noError, opaqueData: ByteBuffer(string: "{\"reason\":\"\(reason)\"}")))
      channel.writeAndFlush(frame, promise: nil)
    }
  }

  func stop() async {
    for channel in observed.value.withLock({ $0.connections }) { try? await channel.close().get() }
    try? await listener.close().get()
  }
}

private final class TestStream: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let observed: TestPushServer.SharedObserved
  private let respond: @Sendable (ReceivedPush) -> Void
  private var headers = HPACKHeaders()
  private var body: [UInt8] = []
  private var answeredBefore = 0
  private var isOver = false

  init(_ observed: TestPushServer.SharedObserved, _ respond: @escaping @Sendable (ReceivedPush) -> Void) {
    self.observed = observed
    self.respond = respond
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var isWhole = false
    switch Self.unwrapInboundIn(data) {
    case .headers(let frame):
      headers = frame.headers
      isWhole = frame.endStream
      observed.value.withLock {
        $0.open += 1
        $0.mostOpen = max($0.mostOpen, $0.open)
        $0.answeredBefore.append($0.answered)
        answeredBefore = $0.answered
      }
    case .data(let frame):
      if case .byteBuffer(let buffer) = frame.data { body.append(contentsOf: buffer.readableBytesView) }
      isWhole = frame.endStream
    default: break
    }
    if isWhole {
      respond(
        ReceivedPush(headers: headers, body: body, answeredBefore: answeredBefore, channel: context.channel))
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let isLast =
      switch Self.unwrapOutboundIn(data) {
      case .headers(let frame): frame.endStream
      case .data(let frame): frame.endStream
      default: false
      }
    if isLast {
      isOver = true
      observed.value.withLock {
        $0.open -= 1
        $0.answered += 1
      }
    }
    context.write(data, promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isOver { observed.value.withLock { $0.open -= 1 } }
  }
}
