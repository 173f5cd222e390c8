// The port that providers push to: accepts, speaks TLS, hands each stream to the protocol's handler, and ends in order.

import Glibc
import HandsetCore
import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import ServerIdentity
import Synchronization

/// Serves pushes. Start it once, shut it down once.
public final class PushServer: Sendable {
  private let gateway: Gateway
  private let eventLoopGroup: any EventLoopGroup
  private let connections: ConnectionRegistry
  private let neighbours: Neighbours
  private let tlsContext: Mutex<NIOSSLContext>
  private let listener = Mutex<(any Channel)?>(nil)

  /// - Parameters:
  ///   - publishing: keeps the nodes of the 2008 service; nil serves the provider API alone.
  ///   - identity: the certificate that clients see.
  ///   - environment: which of Apple's two services it plays.
  ///   - eventLoopGroup: where connections live. Not shut down here.
  ///   - executor: where calls of the 2008 service are answered; nil for Swift's own.
  /// - Throws: `NIOSSLError` where certificate and key do not go together.
  public init(
    receiver: any PushReceiver, publishing: (any PublishingReceiver)? = nil, providers: ProviderDirectory,
    identity: TLSIdentity, clock: GatewayClock = .system, limits: GatewayLimits = .standard,
    environment: PushEnvironment = .production, logger: Logger,
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, executor: (any TaskExecutor)? = nil
  ) throws {
    let rates = RequestRates(limits, clock)
    let refusals = RefusalMeter(
      receiver, limits: limits, rates: rates, clock: clock, eventLoop: eventLoopGroup.next())
    let service = publishing.map {
      PublishingService(
        $0, refusals: refusals, providers: providers, clock: clock, limits: limits, rates: rates, executor: executor)
    }
    gateway = Gateway(
      receiver: receiver, publishing: service, providers: providers, clock: clock, limits: limits, rates: rates,
      refusals: refusals, environment: environment, logger: logger)
    connections = ConnectionRegistry(
      limit: limits.connections, limitPerAddress: limits.connectionsPerAddress)
    neighbours = Neighbours(uptime: clock.uptime)
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
    do {
      return try listens(await bootstrap.bind(host: host, port: port).get())
    } catch let error as IOError {
      throw ListenError(host: host, port: port, problem: ListenError.problem(error.errnoCode) ?? "\(error)")
    }
  }

  /// Accepts from now on at a socket that listens already, and belongs to the server from now on. Whoever keeps a
  /// descriptor of it keeps its queue: who connects after `shutDown` waits for the next server.
  ///
  /// - Returns: where it listens.
  /// - Throws: `IOError` where it is no such socket.
  @discardableResult
  public func start(listening descriptor: CInt) async throws -> SocketAddress {
    try listens(await bootstrap.withBoundSocket(descriptor).get())
  }

  private func listens(_ channel: any Channel) throws -> SocketAddress {
    guard let address = channel.localAddress else { throw ChannelError.unknownLocalAddress }
    listener.withLock { $0 = channel }
    return address
  }

  private var bootstrap: ServerBootstrap {
    ServerBootstrap(group: eventLoopGroup)
      .serverChannelOption(.backlog, value: CInt(clamping: gateway.limits.connections))
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // A client that vanished without a word is found out by the kernel, which costs us no wake-up.
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      // What is read first is small, and what has been read once is kept for the next time.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 64 * 1_024)
      )
      .childChannelOption(
        .writeBufferWaterMark,
        value: .init(low: gateway.limits.unsentBytes / 2, high: gateway.limits.unsentBytes)
      )
      .childChannelInitializer { channel in self.accept(channel) }
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
    gateway.refusals.flush()
  }

  private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    let address = ClientAddress(channel.remoteAddress, neighbours: neighbours)
    do throws(ConnectionRegistry.Full) {
      try connections.add(channel, from: address)
    } catch {
      if error.isNew {
        gateway.logger.warning(
          "connections are refused: too many are open", metadata: ["limit": "\(error.limit.rawValue)"])
      }
      return channel.eventLoop.makeFailedFuture(error)
    }
    let context = tlsContext.withLock { $0 }
    var tls = NIOSSLHandler.Configuration()
    tls.maximumPreservedOutboundBufferCapacity = gateway.limits.preservedOutboundBytes
    return channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let watch = StrangerWatch(from: address, limits: self.gateway.limits, connections: self.connections)
      try pipeline.addHandler(watch)
      try pipeline.addHandler(
        NIOSSLServerHandler(
          context: context,
          customVerificationCallback: { [limits = gateway.limits] certificates, promise in
            promise.completeWith(.success(limits.accepts(certificates) ? .certificateVerified : .failed))
          }, configuration: tls))
      try pipeline.addHandler(
        ProtocolDetector(gateway: self.gateway) { found, channel in
          watch.handshakeEnded()
          switch found {
          case .http2: try self.configureHTTP2(channel, watch)
          case .http1: try self.configureHTTP1(channel, from: address)
          }
        })
    }
  }

  /// The client has shown who it is: it keeps its place, and may be silent.
  private func keep(_ channel: any Channel) {
    connections.keep(channel)
    channel.eventLoop.execute {
      let pipeline = channel.pipeline.syncOperations
      guard let watch = try? pipeline.handler(type: StrangerWatch.self) else { return }
      pipeline.removeHandler(watch, promise: nil)
    }
  }

  private func configureHTTP1(_ channel: any Channel, from address: ClientAddress?) throws {
    guard let publishing = gateway.publishing else { throw UnknownProtocol() }
    try publishing.serve(channel, from: address) { self.keep(channel) }
  }

  private func configureHTTP2(_ channel: any Channel, _ watch: StrangerWatch) throws {
    let tls = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
    // Who shows a certificate may need no first request; who shows none costs little until there is one.
    let certified = try tls.peerCertificate.map { certificate in
      Connection(
        gateway: gateway, address: watch.address,
        certificate: try CertificateFingerprint(certificate))
    }
    let isAuthenticated = certified?.isAuthenticated ?? false
    let (address, eventLoop) = (watch.address, channel.eventLoop)
    let gate = FrameGate(
      gateway: gateway, isAuthenticated: isAuthenticated,
      isProgressing: { self.connections.isProgressing(address, self.gateway.limits, now: eventLoop.now) },
      wakeUp: { gate, channel in
        let connection = certified ?? Connection(gateway: self.gateway, address: address)
        try self.addHTTP2(behind: gate, connection, channel)
      })
    watch.whenSilent = { [weak gate] in gate?.end(.noError, "", reason: .idleTimeout) }
    try channel.pipeline.syncOperations.addHandler(gate)
    if isAuthenticated { keep(channel) }
  }

  private func addHTTP2(behind gate: FrameGate, _ connection: Connection, _ channel: any Channel) throws {
    let gateway = gateway
    let limits = gateway.limits
    let eventLoop = channel.eventLoop
    let management = NIOHTTP2ServerConnectionManagementHandler(
      eventLoop: eventLoop,
      configuration: .init(
        maxIdleTime: TimeAmount(limits.idleDuration), maxAge: nil, maxGraceTime: TimeAmount(limits.closingDuration),
        keepalive: nil))
    connection.whenAuthenticated = { [weak gate] in
      gate?.allowMoreStreams()
      self.keep(channel)
    }
    connection.whenUnwelcome = { [weak gate] in gate?.end(.enhanceYourCalm, "too many refused requests") }
    let shared = NIOLoopBound((connection, gate), eventLoop: eventLoop)
    let http2 = NIOHTTP2Handler(
      mode: .server, eventLoop: eventLoop, connectionConfiguration: limits.http2Connection,
      streamConfiguration: limits.http2Stream,
      streamDelegate: FrameGate.StreamObserver(gate, management, eventLoop: eventLoop)
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        let (connection, gate) = shared.value
        guard gate.admitStream() else {
          return try stream.pipeline.syncOperations.addHandler(StreamRefusal())
        }
        try stream.pipeline.syncOperations.addHandler(StreamRouter(gateway: gateway, connection: connection))
      }
    }
    let handler = ConnectionHandler(gateway: gateway, gate: gate)
    try channel.pipeline.syncOperations.addHandlers([http2, handler, management], position: .after(gate))
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
  fileprivate func accepts(_ certificates: [NIOSSLCertificate]) -> Bool {
    guard certificates.count <= clientCertificates else { return false }
    var bytes = 0
    for certificate in certificates { bytes += (try? certificate.toDERBytes().count) ?? clientCertificateBytes + 1 }
    return bytes <= clientCertificateBytes
  }

  fileprivate var http2Connection: NIOHTTP2Handler.ConnectionConfiguration {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.initialSettings = [
      // What `FrameGate` tells the client, and holds it to, is less.
      HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(Int32.max)),
      HTTP2Setting(parameter: .maxHeaderListSize, value: advertisedHeaderListBytes),
    ]
    configuration.maximumConnectionGlitches = streamErrors
    configuration.maximumSequentialEmptyDataFrames = emptyDataFrames
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
