import Glibc
import HTTP
import HandsetCore
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServerIdentity
import Synchronization

/// The port that providers push to: it accepts connections, speaks TLS and both versions of HTTP, gives each request to
/// its front end, and shuts down in order. Start it once, shut it down once.
public final class PushServer: Sendable {
  private let port: Port
  private let frontEnds: [any FrontEnd]
  private let connections: ConnectionRegistry
  private let neighbours: Neighbours
  /// The TLS context of new connections; nil if the port is not encrypted.
  private let tlsContext: Mutex<NIOSSLContext?>
  /// The TLS contexts of a test bench's faults.
  private let faultyContexts = Mutex<[Fault.CertificateFault: NIOSSLContext]>([:])
  private let listener = Mutex<(any Channel)?>(nil)

  /// - Parameters:
  ///   - frontEnds: the protocols of the port, at least one. The first that claims a request gets it, else the last.
  ///   - identity: the certificate that clients see; nil for a port without TLS.
  /// - Throws: `NIOSSLError` if certificate and key do not match.
  public init(_ port: Port, frontEnds: [any FrontEnd], identity: TLSIdentity?) throws {
    precondition(!frontEnds.isEmpty, "a port has at least one front end")
    self.port = port
    self.frontEnds = frontEnds
    let heapTrimmer = HeapTrimmer()
    connections = ConnectionRegistry(
      limit: port.limits.connections, limitPerAddress: port.limits.connectionsPerAddress,
      limitPerHolder: port.limits.connectionsPerProvider, closed: { heapTrimmer.connectionHasClosed(on: $0) })
    neighbours = Neighbours(uptime: port.clock.machineUptime)
    tlsContext = Mutex(try identity?.serverContext())
  }

  /// Binds the port, and accepts connections from now on.
  ///
  /// - Parameters:
  ///   - host: a name or an address; `::` for all interfaces.
  ///   - port: 0 for a free port.
  /// - Throws: `ListenError`.
  @discardableResult
  public func start(host: String, port: Int) async throws -> SocketAddress {
    do {
      return try listens(await bootstrap.bind(host: host, port: port).get())
    } catch let error as IOError {
      throw ListenError(host: host, port: port, error)
    }
  }

  /// Accepts connections at a listening socket, and takes ownership of it. Another descriptor of the socket keeps its
  /// queue: clients that connect after `shutDown` wait for the next server.
  ///
  /// - Throws: `IOError` if it is no such socket.
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
    ServerBootstrap(group: port.eventLoopGroup)
      .serverChannelOption(.backlog, value: CInt(clamping: port.limits.connections))
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // The kernel detects clients that vanished, which costs no wake-up.
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      // The first read is small; then the buffer's size follows the size of earlier reads.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 16 * 1_024)
      )
      // One client may have sent hundreds of requests. After one read of it, the other connections have their turn.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .writeBufferWaterMark,
        value: .init(low: port.limits.unsentBytes / 2, high: port.limits.unsentBytes)
      )
      .childChannelInitializer { channel in self.accept(channel) }
  }

  /// Presents another certificate from the next connection on. A port without TLS stays without it.
  /// - Throws: `NIOSSLError` if certificate and key do not match.
  public func use(_ identity: TLSIdentity) throws {
    let context = try identity.serverContext()
    tlsContext.withLock { if $0 != nil { $0 = context } }
  }

  /// Sets the certificates that a test bench's faults present in place of the port's.
  /// - Throws: `NIOSSLError` if a certificate and its key do not match.
  public func use(_ faulty: [Fault.CertificateFault: TLSIdentity]) throws {
    let contexts = try faulty.mapValues { try $0.serverContext() }
    faultyContexts.withLock { $0 = contexts }
  }

  public var limits: PortLimits { port.limits }

  /// A provider's use of the port since it opened.
  public struct ProviderUse: Sendable {
    public var connections = 0
    public var requests = 0
    /// Requests answered 429 because they came too fast.
    public var refusedRequests = 0
  }

  /// The use by provider name, for providers that have sent a request or are connected.
  public var use: [String: ProviderUse] {
    var use = port.requests.mapValues { ProviderUse(requests: $0.admitted, refusedRequests: $0.refused) }
    for (provider, count) in connections.counts { use[provider, default: ProviderUse()].connections = count }
    return use
  }

  /// Refused requests by the HTTP status of their reason since the start, also of other servers of the same port.
  public var refusedRequests: [Int: Int] { port.refusedRequests }

  public var connectionCount: Int { connections.count }

  /// Stops accepting, sends every client GOAWAY, answers the requests under way, and closes. Does not wait for silent
  /// clients. Connections that are open after `PortLimits.shutdownDuration` are cut.
  public func shutDown() async {
    let channel = listener.withLock { exchange(&$0, with: nil) }
    try? await channel?.close()
    await end(
      connections.refuseMore(), silence: port.limits.silenceAtShutdown, within: port.limits.shutdownDuration)
    port.refusals.flush()
  }

  func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    let address = ClientAddress(channel.remoteAddress, neighbours: neighbours)
    do throws(ConnectionRegistry.Full) {
      try connections.add(channel, from: address)
    } catch {
      if error.isNew {
        port.logger.warning(
          "connections are refused: too many are open", metadata: ["limit": "\(error.limit.rawValue)"])
      }
      return channel.eventLoop.makeFailedFuture(error)
    }
    let benched = port.bench.map { BenchedConnection($0, on: channel) }
    if benched?.isCutAtAccept() == true { return channel.eventLoop.makeFailedFuture(ChannelError.eof) }
    let fault = benched?.certificate.flatMap { kind in faultyContexts.withLock { $0[kind] } }
    let context = tlsContext.withLock { $0 == nil ? nil : fault ?? $0 }
    return channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let watch = StrangerWatch(from: address, port: self.port, connections: self.connections)
      try pipeline.addHandler(watch)
      if let context { try pipeline.addHandler(self.tlsHandler(context)) }
      try pipeline.addHandler(
        ProtocolDetector(port: self.port, watch: watch) { found, channel in
          watch.handshakeEnded()
          switch found {
          case .http2: try self.configureHTTP2(channel, watch, benched)
          case .http1: try self.configureHTTP1(channel, watch, benched)
          }
        })
    }
  }

  private func tlsHandler(_ context: NIOSSLContext) -> NIOSSLServerHandler {
    var configuration = NIOSSLHandler.Configuration()
    configuration.maximumPreservedOutboundBufferCapacity = port.limits.preservedOutboundBytes
    return NIOSSLServerHandler(
      context: context,
      customVerificationCallback: { [port] certificates, promise in
        promise.completeWith(.success(port.limits.accepts(certificates) ? .certificateVerified : .failed))
      }, configuration: configuration)
  }

  /// Records that a provider has authenticated: its connection keeps its place, and may be silent.
  private func keep(_ channel: any Channel, for provider: String) {
    connections.keep(channel, for: provider)
    channel.eventLoop.execute {
      let pipeline = channel.pipeline.syncOperations
      guard let watch = try? pipeline.handler(type: StrangerWatch.self) else { return }
      pipeline.removeHandler(watch, promise: nil)
    }
  }

  private func client(
    _ channel: any Channel, _ address: ClientAddress?, certificate: ClientCertificate? = nil,
    provider: Provider? = nil, benched: BenchedConnection?, _ transport: Client.Transport
  ) -> Client {
    Client(
      port: port, frontEnds: benched.map { [BenchedFrontEnd(frontEnds, on: $0)] } ?? frontEnds, address: address,
      ipAddress: address?.ipv4 ?? channel.remoteAddress?.ipAddress ?? "",
      certificate: certificate, provider: provider, transport: transport)
  }

  private func configureHTTP1(
    _ channel: any Channel, _ watch: StrangerWatch, _ benched: BenchedConnection?
  ) throws {
    // The response's field `Connection` ends the connection.
    let transport = Client.Transport(authenticated: { self.keep(channel, for: $0) }, end: { _ in })
    let client = client(channel, watch.address, benched: benched, transport)
    try HTTPService.serve(channel, by: client, limits: HTTPLimits(port.limits), executor: port.executor)
  }

  private func configureHTTP2(
    _ channel: any Channel, _ watch: StrangerWatch, _ benched: BenchedConnection?
  ) throws {
    let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
    var certificate = try tls?.peerCertificate.map { certificate in
      ClientCertificate(
        try CertificateFingerprint(certificate),
        content: port.catchAll == nil ? nil : ProviderCertificate(der: try certificate.toDERBytes()))
    }
    // A client with a valid certificate has authenticated before its first request.
    let provider = try? certificate?.provider(in: port)
    let (address, eventLoop) = (watch.address, channel.eventLoop)
    let connection = HTTP2Connection(
      port: port, isAuthenticated: provider != nil, benched: benched,
      isProgressing: {
        self.connections.isProgressing(address, within: self.port.limits.handshakeDuration, now: eventLoop.now)
      }, connections: { self.connections.count(of: $0) },
      makeClient: { [certificate] connection in
        self.client(
          channel, address, certificate: certificate, provider: provider, benched: benched,
          self.transport(connection, channel))
      })
    watch.whenSilent = { [weak connection] in connection?.end(.noError, "", reason: .idleTimeout) }
    try channel.pipeline.syncOperations.addHandler(connection)
    if let provider { keep(channel, for: provider.name) }
  }

  private func transport(_ connection: HTTP2Connection, _ channel: any Channel) -> Client.Transport {
    Client.Transport(
      authenticated: { [weak connection] provider in
        connection?.allowMoreStreams()
        self.keep(channel, for: provider)
      },
      end: { [weak connection] in
        switch $0 {
        case .keep: break
        case .drain: connection?.drain(.shutdown)
        case .close: connection?.end(.enhanceYourCalm, "too many refused requests")
        }
      })
  }
}

public struct ListenError: Error, CustomStringConvertible {
  /// True if another program has the port.
  public let isTaken: Bool
  public let description: String

  fileprivate init(host: String, port: Int, _ error: IOError) {
    let problem =
      switch error.errnoCode {
      case EADDRINUSE: "another program has that port; stop it, or choose another with --listen HOST:PORT"
      case EACCES: "ports below 1024 need privileges; choose another with --listen HOST:PORT"
      case EADDRNOTAVAIL: "this machine has no such address; choose one of its own with --listen HOST:PORT"
      default: "\(error)"
      }
    isTaken = error.errnoCode == EADDRINUSE
    description = "cannot listen on \(host), port \(port): \(problem)"
  }
}

extension HTTPLimits {
  /// Creates the limits of HTTP/1.1 from those of HTTP/2, as far as both have them.
  fileprivate init(_ limits: PortLimits) {
    self.init()
    headerFieldBytes = limits.headerListBytes
    headerBytes = limits.headerListBytes
    headerTimeout = limits.handshakeDuration
    bodyTimeout = limits.bodyDuration
    idleTimeout = limits.idleDuration
    writeTimeout = limits.answerDuration
    lingerTimeout = limits.discardDuration
    lingerBytes = limits.discardedBytes
    skippedBytesPerSecond = limits.skippedBytesPerSecond
  }
}

extension PortLimits {
  /// Returns true if the certificates that a client shows are few and small enough to be kept.
  fileprivate func accepts(_ certificates: [NIOSSLCertificate]) -> Bool {
    guard certificates.count <= clientCertificates else { return false }
    let bytes = certificates.map { (try? $0.toDERBytes().count) ?? clientCertificateBytes + 1 }
    return bytes.reduce(0, +) <= clientCertificateBytes
  }
}
