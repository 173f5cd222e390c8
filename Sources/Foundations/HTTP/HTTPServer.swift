import Glibc
import NIOCore
import NIOPosix
import UnixSockets

/// An HTTP/1.1 server on a Unix socket or TCP. While no client is connected, nothing wakes.
public struct HTTPServer: Sendable {
  /// The address it listens on; for TCP with the actual port.
  public let address: HTTPAddress

  private let listener: any Channel
  private let socketFile: ListeningUnixSocket?
  private let served: ConnectionRegistry
  /// The connections to answer 503. None gives way to another.
  private let refused: ConnectionRegistry

  /// - Parameters:
  ///   - socketMode: permission bits of a Unix socket's file.
  ///   - descriptor: a socket that listens at that address already. It belongs to the server from now on; its file
  ///     belongs to its creator, and stays.
  ///   - secure: adds the TLS handler to a connection, before all others; nil for no TLS.
  public static func start(
    _ service: HTTPService, on address: HTTPAddress, socketMode: UInt16 = 0o600, listening descriptor: CInt? = nil,
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup,
    secure: (@Sendable (any Channel) throws -> Void)? = nil
  ) async throws(ServerError) -> HTTPServer {
    let limits = service.limits
    let served = ConnectionRegistry(limit: limits.connections, limitPerAddress: limits.connectionsPerAddress)
    let refused = ConnectionRegistry(limit: limits.refusedConnections, limitPerAddress: limits.refusedConnections)
    let neighbours = Neighbours()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: listenBacklog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let address = ClientAddress(channel.remoteAddress, neighbours: neighbours)
          let holder = service.isKnown == nil ? knownClients : nil
          let isServed = (try? served.add(channel, from: address, holder: holder)) != nil
          if !isServed { try refused.add(channel, from: nil, holder: knownClients) }
          try secure?(channel)
          try service.serve(channel, refused: !isServed, keepPlace: { served.keep(channel, for: knownClients) })
        }
      }
    func server(
      _ bound: EventLoopFuture<any Channel>, _ file: ListeningUnixSocket? = nil, hint: String
    ) async throws(ServerError) -> HTTPServer {
      do {
        let listener = try await bound.get()
        var address = address
        if case .tcp(let host, let port) = address {
          address = .tcp(host: host, port: listener.localAddress?.port ?? port)
        }
        return HTTPServer(address: address, listener: listener, socketFile: file, served: served, refused: refused)
      } catch {
        file?.removeFile()
        let code = (error as? IOError)?.errnoCode
        throw ServerError(
          address: "\(address)", reason: code.map { String(cString: strerror($0)) } ?? "\(error)", hint: hint,
          isTaken: code == EADDRINUSE)
      }
    }
    if let descriptor {
      return try await server(bootstrap.withBoundSocket(descriptor), hint: "hand over a socket that listens")
    }
    switch address {
    case .unixSocket(let path):
      let socket = try ListeningUnixSocket(
        path: path, mode: mode_t(socketMode) & 0o777, backlog: listenBacklog, pathLimit: HTTPAddress.unixPathLimit)
      return try await server(bootstrap.withBoundSocket(socket.descriptor), socket, hint: "try again")
    case .tcp(let host, let port):
      // The kernel detects a client that vanished without closing, which costs us no wake-up.
      let bound = bootstrap.childChannelOption(.socketOption(.so_keepalive), value: 1).bind(host: host, port: port)
      return try await server(bound, hint: "choose another port, or stop who has it")
    }
  }

  /// The number of open connections, including those being refused.
  public var connectionCount: Int { served.count + refused.count }

  /// Takes no more connections, ends idle ones and streams at once, lets requests be answered, and closes the remaining
  /// ones after `limit`. A second call waits likewise.
  /// - Parameter silence: the time that a client may be silent within its request, or leave its answer unread.
  public func shutdown(silence: Duration = .milliseconds(100), within limit: Duration = .seconds(5)) async {
    socketFile?.removeFile()
    try? await listener.close().get()
    await end(served.refuseMore() + refused.refuseMore(), silence: silence, within: limit)
  }
}

private let listenBacklog: CInt = 128

/// The holder of all connections with known clients. There is no share for each client.
private let knownClients = "known"
