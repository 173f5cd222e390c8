// Servers that cannot be reached, are not trusted, or do not speak the protocol.

import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import ProviderClient

private let push = PushRequest(deviceToken: "0a", topic: "com.example", payload: Array(#"{"aps":{}}"#.utf8))

@Suite struct ConnectFailureTests {
  private func failure(
    _ server: Endpoint, _ trust: ProviderConnection.Trust = .system, _ limits: ProviderLimits = .patient
  ) async -> ProviderClientError? {
    await #expect(throws: ProviderClientError.self) {
      try await ProviderConnection.connect(to: server, trust: trust, token: nil, limits: limits)
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
    await server.stop()
  }

  @Test func namesAndAddressesAreChecked() async throws {
    let server = try await TestPushServer.start(names: ["localhost"], coversLoopback: false)
    let connection = try await server.connect(host: "localhost")
    #expect(try await connection.send(push).status == 200)
    await connection.close()
    let error = await failure(server.endpoint, .authorities(pem: server.authority.pem))
    #expect(error == .nameMismatch(server.endpoint))
    await server.stop()

    let other = try await TestPushServer.start(names: ["other.example"], coversLoopback: false)
    let byName = Endpoint(host: "localhost", port: other.endpoint.port)
    #expect(await failure(byName, .authorities(pem: other.authority.pem)) == .nameMismatch(byName))
    await other.stop()

    let numeric = try await TestPushServer.start(names: ["other.example"], coversLoopback: true)
    let byAddress = try await numeric.connect()
    #expect(try await byAddress.send(push).status == 200)
    await byAddress.close()
    await numeric.stop()
  }

  @Test func aCertificateThatIsKnownIsGoodWhateverItSaysAndNoOther() async throws {
    let server = try await TestPushServer.start(names: ["other.example"], coversLoopback: false)
    let connection = try await ProviderConnection.connect(
      to: server.endpoint, trust: .certificate(pem: server.certificatePEM), token: nil)
    #expect(try await connection.send(push).status == 200)
    await connection.close()
    // Another certificate for this very address.
    let other = try await TestPushServer.start()
    #expect(
      await failure(server.endpoint, .certificate(pem: other.certificatePEM)) == .certificateNotTrusted(server.endpoint)
    )
    #expect(
      await failure(server.endpoint, .certificate(pem: "none")) == .badAuthority(reason: "it holds no certificate"))
    await other.stop()
    await server.stop()
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
    await connection.close()
    await server.stop()
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
