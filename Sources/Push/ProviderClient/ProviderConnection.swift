import Glibc
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import SystemThreads

/// One connection to an APNs server, for any number of pushes, from any task: TLS with the server's name checked,
/// HTTP/2, a stream for each push. It does not reconnect once it is closed.
public final class ProviderConnection: Sendable {
  public enum Trust: Sendable, Hashable {
    case system
    /// The authorities in a PEM text, and no others.
    case authorities(pem: String)
    /// Exactly this certificate, in PEM, whatever its issuer and names: the client knows it beforehand.
    case certificate(pem: String)
  }

  public let server: Endpoint
  let channel: any Channel
  private let pushes: NIOLoopBound<PushConnectionHandler>
  private let ready: EventLoopFuture<Void>

  /// - Parameter server: its certificate must cover this very name or address, unless the certificate itself is known.
  /// - Throws: `ProviderClientError`.
  public static func connect(
    to server: Endpoint, trust: Trust = .system, limits: ProviderLimits = ProviderLimits(),
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
  ) async throws(ProviderClientError) -> ProviderConnection {
    let (tls, pinned) = try tlsContext(trust)
    let bootstrap = ClientBootstrap(group: group)
      .connectTimeout(TimeAmount(limits.connectTimeout))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
    do {
      // A name may have several addresses, each tried on a channel of its own.
      let connection = try await bootstrap.connect(host: server.host, port: server.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(tlsHandler(tls, server, pinned))
          let handler = PushConnectionHandler(server: server, limits: limits, loop: channel.eventLoop)
          try pipeline.addHandler(handler)
          return ProviderConnection(server, channel, handler)
        }
      }
      try await connection.ready.get()
      return connection
    } catch {
      throw connectFailure(error, server, limits)
    }
  }

  private init(_ server: Endpoint, _ channel: any Channel, _ handler: PushConnectionHandler) {
    self.server = server
    self.channel = channel
    pushes = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    ready = handler.ready.futureResult
  }

  /// Sends a push and returns the answer, of any status. Waits for its turn if the server's number of streams is
  /// reached. Cancelling the task withdraws an unsent push, and resets the stream of a sent one.
  /// - Parameter bearer: the token to send, without the word `bearer`; nil sends no `authorization` header.
  /// - Throws: `ProviderClientError`, `CancellationError`.
  public func send(_ push: PushRequest, bearer: String? = nil) async throws -> PushAnswer {
    try await send(push.head(server, bearer: bearer), push.payload)
  }

  /// Makes a call to the 2008 service. Otherwise as `send(_:bearer:)`.
  public func send(_ call: PublishingCall, as user: PublishingUser) async throws -> PushAnswer {
    try await send(call.head(server, user), call.body)
  }

  private func send(_ head: HTTP2Fields, _ body: [UInt8]) async throws -> PushAnswer {
    let pushes = pushes
    let loop = channel.eventLoop
    let identity = PushIdentity()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await loop.flatSubmit { pushes.value.submit(head, body, identity) }.get()
    } onCancel: {
      identity.isCancelled.store(true, ordering: .relaxed)
      loop.execute { pushes.value.cancel(identity) }
    }
  }

  /// True if it is open and the server has not announced its end.
  var takesPushes: Bool {
    get async { (try? await channel.eventLoop.submit { [pushes] in pushes.value.takesPushes }.get()) ?? false }
  }

  /// Accepts no more pushes, and closes when those under way are answered. Waiting pushes fail with `connectionClosed`.
  func retire() async {
    try? await channel.eventLoop.submit { [pushes] in pushes.value.drain(reason: nil) }.get()
  }

  /// Closes at once; pushes without an answer fail with `connectionClosed`.
  public func close() async {
    try? await channel.close().get()
  }
}

/// - Returns: also the one trusted certificate; nil if signature and names decide.
private func tlsContext(
  _ trust: ProviderConnection.Trust
) throws(ProviderClientError) -> (NIOSSLContext, pinned: NIOSSLCertificate?) {
  var pinned: NIOSSLCertificate?
  var configuration = TLSConfiguration.makeClientConfiguration()
  configuration.minimumTLSVersion = .tlsv12
  configuration.applicationProtocols = ["h2"]
  configuration.certificateVerification = .fullVerification
  switch trust {
  case .system: break
  case .authorities(let pem): configuration.trustRoots = .certificates(try certificates(in: pem))
  case .certificate(let pem):
    configuration.certificateVerification = .noHostnameVerification
    pinned = try certificates(in: pem).first
  }
  do {
    return (try NIOSSLContext(configuration: configuration), pinned)
  } catch {
    throw .badAuthority(reason: "\(error)")
  }
}

private func certificates(in pem: String) throws(ProviderClientError) -> [NIOSSLCertificate] {
  guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), !certificates.isEmpty else {
    throw .badAuthority(reason: "it holds no certificate")
  }
  return certificates
}

/// Makes the TLS handler. A numeric address is checked against the certificate's addresses, a name against its names.
private func tlsHandler(
  _ context: NIOSSLContext, _ server: Endpoint, _ pinned: NIOSSLCertificate?
) throws -> NIOSSLClientHandler {
  let isAddress = (try? SocketAddress(ipAddress: server.host, port: server.port)) != nil
  let name = isAddress ? nil : server.host
  guard let pinned else { return try NIOSSLClientHandler(context: context, serverHostname: name) }
  // TLS verifies that the server holds the certificate's key, here as well.
  return try NIOSSLClientHandler(
    context: context, serverHostname: name,
    customVerificationCallback: { shown, verdict in
      verdict.succeed(shown.first == pinned ? .certificateVerified : .failed)
    })
}

private func connectFailure(_ error: any Error, _ server: Endpoint, _ limits: ProviderLimits) -> ProviderClientError {
  switch error {
  case let error as ProviderClientError: return error
  case let error as NIOConnectionError:
    guard let last = error.connectionErrors.last else { return .unknownHost(server) }
    return connectFailure(last.error, server, limits)
  case let error as IOError where error.errnoCode == ECONNREFUSED: return .connectionRefused(server)
  case let error as IOError: return .cannotConnect(server, reason: SystemError(code: error.errnoCode).reason)
  case ChannelError.connectTimeout: return .timedOut(server, limits.connectTimeout, waitingFor: "connection")
  case let error as NIOSSLExtraError where error == .failedToValidateHostname: return .nameMismatch(server)
  case let error as NIOSSLExtraError: return .tlsFailed(server, reason: "\(error)")
  case NIOSSLError.handshakeFailed(let reason):
    let text = "\(reason)"
    return text.contains("CERTIFICATE_VERIFY_FAILED")
      ? .certificateNotTrusted(server) : .tlsFailed(server, reason: "the handshake failed (\(text))")
  case NIOSSLError.uncleanShutdown: return .tlsFailed(server, reason: "the server closed the connection")
  default: return .cannotConnect(server, reason: "\(error)")
  }
}
