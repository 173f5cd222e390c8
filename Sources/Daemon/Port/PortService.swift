import Glibc
import HTTP
import HandsetCore
import Host
import Logging
import NIOCore
import PushPort
import ServerIdentity
import Services
import UnixSockets

typealias AnyReceiver = PushReceiver & KeyedReceiver & PublishingReceiver

/// The port that providers push to, and its certificate.
struct PortService: Service {
  let address: String
  /// The address of the port without TLS; nil if there is none.
  let httpAddress: String?
  /// The address of the port for the management of channels alone; nil if there is none.
  let channelsAddress: String?
  private let server: PushServer
  private let plain: PushServer?
  private let management: PushServer?
  private let tls: ServerTLS
  /// Renews the daemon's certificate; nil if the user's own certificate is used.
  let renewal: CertificateRenewal?
  /// Forgets the rates, failures and refusals of all clients.
  let forgetClients: @Sendable () -> Void

  /// - Parameters:
  ///   - channels: keeps the channels of broadcasts.
  ///   - tls: gets the port's certificate, for the panel too.
  ///   - isReady: true if pushes can be accepted; until then clients are told to retry.
  init(
    _ runtime: Runtime, receiver: any AnyReceiver, channels: any ChannelKeeper, providers: ProviderDirectory,
    tls: ServerTLS, isReady: (@Sendable () -> Bool)? = nil
  ) async throws {
    let (configuration, logger) = (runtime.configuration, runtime.logger)
    var folder = CertificateFolder(path: "\(configuration.state)/tls", extraNames: configuration.names)
    if let now = runtime.joinedWallTime { folder.now = now }
    let (made, identity): (CertificateAuthority?, TLSIdentity)
    if let own = configuration.certificate {
      (made, identity) = (nil, try TLSIdentity(certificateChainFile: own.chain, keyFile: own.key))
    } else {
      let current = try folder.current()
      (made, identity) = (current, current.identity)
      if current.made == .authority {
        logger.notice("made a certificate authority: deskbell ca prints its certificate")
      }
    }
    try tls.use(identity)
    self.tls = tls
    let port = Port(
      recorder: receiver, providers: providers, clock: runtime.portClock, limits: configuration.limits,
      environment: configuration.pushEnvironment,
      runtime: PortRuntime(logger: logger, eventLoopGroup: runtime.eventLoops, executor: TaskThreads.shared),
      bench: runtime.bench)
    forgetClients = { port.forgetClients() }
    let keyed = KeyedFrontEnds(
      receiver, providers: providers, templates: configuration.hookTemplates, limits: configuration.limits)
    let unavailable: [any FrontEnd] = isReady.map { [UnavailableFrontEnd(until: $0)] } ?? []
    server = try PushServer(
      port,
      frontEnds: unavailable + [APNsFrontEnd(receiver), ChannelsFrontEnd(channels)] + keyed.frontEnds()
        + [PublishingFrontEnd(receiver, limits: configuration.limits)],
      identity: identity)
    if runtime.bench != nil, made != nil, let key = try CertificateAuthority.key(in: folder.path) {
      try server.use(Fault.CertificateFault.identities(by: key, names: folder.names, now: folder.now()))
    }
    address = try await Self.start(server, at: configuration.listen, or: runtime.manager.sockets.push)
    if let http = configuration.http {
      let plain = try PushServer(
        port, frontEnds: unavailable + keyed.frontEnds(for: http.ways) + [NoFrontEnd()], identity: nil)
      let address = try await Self.start(plain, at: http.listen, other: "http: listen:")
      (httpAddress, self.plain) = (address, plain)
      logger.notice(
        "without TLS at \(address): anyone on the network can read messages and access keys there")
    } else {
      (httpAddress, plain) = (nil, nil)
    }
    if let own = configuration.channels {
      let management = try PushServer(
        port, frontEnds: unavailable + [ChannelsFrontEnd(channels, hasOwnPort: true)], identity: identity)
      let address = try await Self.start(management, at: own, other: "channels:")
      (channelsAddress, self.management) = (address, management)
      logger.notice("channels are managed at \(address) too")
    } else {
      (channelsAddress, management) = (nil, nil)
    }
    renewal = made.map { [server, management, devices = runtime.devices, folder] made in
      CertificateRenewal(
        of: folder, current: made, alarms: runtime.joinedClock == nil ? runtime.alarms : nil, logger: logger,
        uses: .init(
          certificate: { identity in
            try server.use(identity)
            try management?.use(identity)
            try tls.use(identity)
          }, standing: { devices.show($0) }))
    }
    runtime.devices.set("push gateway", problem: nil)
  }

  /// Listens on the service manager's socket if there is one, else at the address.
  /// - Parameter other: the option that chooses another port, for the error.
  /// - Returns: the address, with the port that was taken.
  private static func start(
    _ server: PushServer, at listen: NetworkAddress, or socket: CInt? = nil, other: String = "--listen"
  ) async throws -> String {
    guard let socket else {
      let bound = try await listen.listening(other: other) { host in
        try await server.start(host: host, port: listen.port)
      }
      return NetworkAddress(host: listen.host, port: bound.port ?? listen.port).description
    }
    let bound = try await server.start(listening: socket)
    let host = NetworkAddress(host: bound.ipAddress ?? "", port: bound.port ?? 0)
    return host.isEverywhere ? "*:\(host.port)" : host.description
  }

  var providers: [UsageReport.Provider] {
    let limits = server.limits
    return server.use.map { name, use in
      UsageReport.Provider(
        provider: name, connections: .init(used: use.connections, limit: limits.connectionsPerProvider),
        requests: use.requests,
        refusedRequests: use.refusedRequests, requestsPerSecondLimit: limits.requestsPerSecond)
    }
  }

  var figures: MetricsFigures.OfPort {
    MetricsFigures.OfPort(
      connections: [("push", server.connectionCount)] + (plain.map { [("http", $0.connectionCount)] } ?? [])
        + (management.map { [("channels", $0.connectionCount)] } ?? []),
      connectionLimit: server.limits.connections, refusedRequests: server.refusedRequests, providers: providers)
  }

  func use(_ identity: TLSIdentity) throws {
    try server.use(identity)
    try management?.use(identity)
    try tls.use(identity)
  }

  func run(until stop: StopRequest) async {
    await stop.wait()
    renewal?.stop()
    async let plainEnd: Void? = plain?.shutDown()
    async let managementEnd: Void? = management?.shutDown()
    await server.shutDown()
    await plainEnd
    await managementEnd
  }
}

extension Runtime {
  /// Credentials are checked by the real time, whatever the handsets' clock shows, unless the clocks are joined.
  fileprivate var portClock: PortClock {
    if let joinedClock { return .joined(to: joinedClock) }
    var clock = PortClock.system
    clock.handset = { [handsets = self.clock] in handsets.now().wall }
    return clock
  }
}

extension DeviceTable {
  /// Lists an expired authority among the devices, for `deskbell doctor` and the panel. A valid one is listed only if
  /// it was listed before.
  fileprivate func show(_ standing: CertificateAuthority.Standing) {
    let name = "certificate authority"
    if case .ended(let problem) = standing {
      set(name, problem: problem)
    } else if all.contains(where: { $0.name == name }) {
      set(name, problem: nil)
    }
  }
}

/// The error for a port that is in use: the program that uses it, and the commands that help.
enum TakenPort {
  /// Adds the program that uses a port to the error of a server; other errors stay as they are.
  /// - Parameter other: the option that chooses another port: `--listen`.
  static func explained(_ error: any Error, at address: Configuration.Address, other: String) -> any Error {
    guard (error as? ListenError)?.isTaken ?? (error as? ServerError)?.isTaken ?? false else { return error }
    return DaemonError("cannot listen on \(address): \(problem(SocketHolder.ofPort(address.port), address, other))")
  }

  static func problem(_ holder: SocketHolder?, _ address: Configuration.Address, _ other: String) -> String {
    var free = address
    // A port 100 further is free more often than the next one.
    free.port += address.port < 65_400 ? 100 : -100
    let another = "choose another with \(other) '\(free)'"
    guard let holder else { return "another program has that port; stop it, or \(another)" }
    if holder.process == Int(getpid()) { return "this daemon has that port already; \(another)" }
    let stop = holder.stopping.map { "stop it with '\($0)'" } ?? "stop it"
    return "\(holder) has that port; \(stop), or \(another)"
  }
}
