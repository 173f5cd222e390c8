// The port that providers push to: accepts, speaks TLS, hands each stream to the protocol's handler, and ends in order.

import Glibc
import HandsetCore
import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// Serves pushes. Start it once, shut it down once.
public final class PushServer: Sendable {
  private let gateway: Gateway
  private let eventLoopGroup: any EventLoopGroup
  private let connections: ConnectionRegistry
  private let tlsContext: Mutex<NIOSSLContext>
  private let listener = Mutex<(any Channel)?>(nil)

  /// - Parameters:
  ///   - identity: the certificate that clients see.
  ///   - environment: which of Apple's two services it plays.
  ///   - eventLoopGroup: where connections live. Not shut down here.
  /// - Throws: `NIOSSLError` where certificate and key do not go together.
  public init(
    receiver: any PushReceiver, providers: ProviderDirectory, identity: TLSIdentity, clock: GatewayClock = .system,
    limits: GatewayLimits = .standard, environment: PushEnvironment = .production, logger: Logger,
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws {
    gateway = Gateway(
      receiver: receiver, providers: providers, clock: clock, limits: limits, environment: environment, logger: logger)
    connections = ConnectionRegistry(limit: limits.connections)
    tlsContext = Mutex(try identity.serverContext())
    self.eventLoopGroup = eventLoopGroup
  }

  /// Binds and accepts from now on.
  ///
  /// - Parameters:
  ///   - host: a name or an address; `::` for all interfaces.
  ///   - port: 0 for one that is free.
  /// - Returns: where it listens.
  /// - Throws: `ListenError`.
  @discardableResult
  public func start(host: String, port: Int) async throws -> SocketAddress {
    let bootstrap = ServerBootstrap(group: eventLoopGroup)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // A client that vanished without a word is found out by the kernel, which costs us no wake-up.
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelInitializer { channel in self.accept(channel) }
    do {
      let channel = try await bootstrap.bind(host: host, port: port).get()
      guard let address = channel.localAddress else { throw ListenError(host: host, port: port, problem: "no address") }
      listener.withLock { $0 = channel }
      return address
    } catch let error as IOError {
      throw ListenError(host: host, port: port, problem: ListenError.problem(error.errnoCode) ?? "\(error)")
    }
  }

  /// Presents another certificate from the next connection on.
  public func use(_ identity: TLSIdentity) throws {
    let context = try identity.serverContext()
    tlsContext.withLock { $0 = context }
  }

  /// Connections that are open.
  public var connectionCount: Int { connections.count }

  /// Stops accepting, tells every client with GOAWAY, answers what is in flight, and closes; what has not closed after
  /// `GatewayLimits.shutdownDuration` is cut.
  public func shutDown() async {
    let channel = listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    try? await channel?.close()
    let open = connections.refuseMore()
    for channel in open { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    let cut = eventLoopGroup.next().scheduleTask(in: TimeAmount(gateway.limits.shutdownDuration)) {
      for channel in open { channel.close(promise: nil) }
    }
    for channel in open { try? await channel.closeFuture.get() }
    cut.cancel()
  }

  private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    do throws(ConnectionRegistry.Full) {
      try connections.add(channel)
    } catch {
      if error.isNew {
        gateway.logger.warning(
          "connections are refused: too many are open", metadata: ["limit": "\(gateway.limits.connections)"])
      }
      return channel.eventLoop.makeFailedFuture(error)
    }
    let context = tlsContext.withLock { $0 }
    return channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        NIOSSLServerHandler(context: context) { [limits = gateway.limits] certificates, promise in
          promise.completeWith(.success(limits.bear(certificates) ? .certificateVerified : .failed))
        })
      try pipeline.addHandler(
        ProtocolDetector(gateway: gateway) { found, channel in
          switch found {
          case .http2: try self.configureHTTP2(channel)
          case .other: throw UnknownProtocol()
          }
        })
    }
  }

  private func configureHTTP2(_ channel: any Channel) throws {
    let gateway = gateway
    let limits = gateway.limits
    let eventLoop = channel.eventLoop
    let certificate = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self).peerCertificate
    let connection = Connection(gateway: gateway, certificate: try certificate.map(CertificateFingerprint.init))
    let management = NIOHTTP2ServerConnectionManagementHandler(
      eventLoop: eventLoop,
      configuration: .init(
        maxIdleTime: TimeAmount(limits.idleDuration), maxAge: nil, maxGraceTime: TimeAmount(limits.closingDuration),
        keepalive: nil))
    let shared = NIOLoopBound(connection, eventLoop: eventLoop)
    let http2 = NIOHTTP2Handler(
      mode: .server, eventLoop: eventLoop,
      connectionConfiguration: limits.http2Connection(isAuthenticated: connection.isAuthenticated),
      streamConfiguration: limits.http2Stream, streamDelegate: management.http2StreamDelegate
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(
          APNsStreamHandler(gateway: gateway, connection: shared.value))
      }
    }
    let handler = ConnectionHandler(gateway: gateway, connection: connection)
    try channel.pipeline.syncOperations.addHandlers([http2, handler, management])
    handler.startTimers()
  }
}

/// Why the port cannot be opened.
public struct ListenError: Error, Hashable, CustomStringConvertible {
  public var host: String
  public var port: Int
  public var problem: String

  public var description: String { "cannot listen on \(host), port \(port): \(problem)" }

  static func problem(_ errno: Int32) -> String? {
    switch errno {
    case EADDRINUSE: "another program has that port; stop it, or choose another with --listen HOST:PORT"
    case EACCES: "ports below 1024 need privileges; choose another with --listen HOST:PORT"
    case EADDRNOTAVAIL: "this machine has no such address; choose one of its own with --listen HOST:PORT"
    default: nil
    }
  }
}

private struct UnknownProtocol: Error, CustomStringConvertible {
  var description: String { "the client does not speak HTTP/2" }
}

extension GatewayLimits {
  /// Whether what a client shows of certificates is little enough to be kept.
  fileprivate func bear(_ certificates: [NIOSSLCertificate]) -> Bool {
    guard certificates.count <= clientCertificates else { return false }
    var bytes = 0
    for certificate in certificates { bytes += (try? certificate.toDERBytes().count) ?? clientCertificateBytes + 1 }
    return bytes <= clientCertificateBytes
  }

  fileprivate func http2Connection(isAuthenticated: Bool) -> NIOHTTP2Handler.ConnectionConfiguration {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: isAuthenticated ? streams : streamsBeforeFirstToken),
      HTTP2Setting(parameter: .maxHeaderListSize, value: advertisedHeaderListBytes),
    ]
    configuration.maximumConnectionGlitches = streamErrors
    configuration.maximumSequentialContinuationFrames = continuationFrames
    configuration.maximumBufferedControlFrames = bufferedControlFrames
    configuration.controlFrameRateLimit.maximumCount = controlFramesPerWindow
    configuration.controlFrameRateLimit.windowLength = .seconds(30)
    return configuration
  }

  fileprivate var http2Stream: NIOHTTP2Handler.StreamConfiguration {
    var configuration = NIOHTTP2Handler.StreamConfiguration()
    configuration.streamResetFrameRateLimit.maximumCount = resetsPerWindow
    configuration.streamResetFrameRateLimit.windowLength = .seconds(30)
    configuration.streamErrorRateLimit.maximumCount = streamErrorsPerWindow
    configuration.streamErrorRateLimit.windowLength = .seconds(30)
    return configuration
  }
}
