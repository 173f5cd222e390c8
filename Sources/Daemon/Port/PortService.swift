import HandsetCore
import Logging
import NIOCore
import PushPort
import ServerIdentity
import ServiceLifecycle

/// A receiver of the requests from every front end.
typealias AnyReceiver = PushReceiver & KeyedReceiver & PublishingReceiver

/// The port that providers push to, and its certificate.
struct PortService: Service {
  let address: String
  /// The address of the port without TLS; nil if there is none.
  let httpAddress: String?
  private let server: PushServer
  private let plain: PushServer?
  private let tls: ServerTLS
  /// Renews the daemon's certificate; nil if the user's own certificate is used.
  let renewal: CertificateRenewal?

  /// - Parameters:
  ///   - receiver: takes the pushes.
  ///   - tls: gets the port's certificate, for the panel too.
  ///   - isReady: true if pushes can be accepted; until then clients are told to retry.
  init(
    _ runtime: Runtime, receiver: any AnyReceiver, providers: ProviderDirectory, tls: ServerTLS,
    isReady: (@Sendable () -> Bool)? = nil
  ) async throws {
    let (configuration, logger, devices) = (runtime.configuration, runtime.logger, runtime.devices)
    let identity: TLSIdentity
    var made: (folder: CertificateFolder, current: CertificateAuthority)?
    if let own = configuration.certificate {
      identity = try TLSIdentity(certificateChainFile: own.chain, keyFile: own.key)
    } else {
      let folder = CertificateFolder(path: "\(configuration.state)/tls", extraNames: configuration.names)
      let current = try folder.current()
      if current.made == .authority {
        logger.notice("made a certificate authority: deskbell ca prints its certificate")
      }
      identity = current.identity
      made = (folder, current)
    }
    try tls.use(identity)
    self.tls = tls
    let gateway = Port(
      recorder: receiver, providers: providers, clock: runtime.gatewayClock, limits: configuration.limits,
      environment: configuration.pushEnvironment, logger: logger, eventLoopGroup: runtime.eventLoops,
      executor: TaskThreads.shared)
    let keyed: [PlainPort.FrontEndName: any FrontEnd] = [
      .ntfy: NtfyFrontEnd(
        receiver, providers: providers, templates: configuration.hookTemplates, limits: configuration.limits),
      .gotify: GotifyFrontEnd(receiver),
      .hooks: HookFrontEnd(receiver, templates: configuration.hookTemplates),
    ]
    let unavailable: [any FrontEnd] = isReady.map { [UnavailableFrontEnd(until: $0)] } ?? []
    func keyedFrontEnds(_ names: [PlainPort.FrontEndName]) -> [any FrontEnd] {
      // Hooks and Gotify's few paths come before topics, which may have nearly any name.
      [.hooks, .gotify, .ntfy].filter(names.contains).compactMap { keyed[$0] }
    }
    server = try PushServer(
      gateway,
      frontEnds: unavailable + [APNsFrontEnd(receiver)] + keyedFrontEnds(PlainPort.FrontEndName.allCases)
        + [PublishingFrontEnd(receiver, limits: configuration.limits)],
      identity: identity)
    let listen = configuration.listen
    if let socket = runtime.manager.sockets.push {
      let bound = try await server.start(listening: socket)
      let host = bound.ipAddress ?? ""
      let isAny = host == "::" || host == "0.0.0.0"
      address = Configuration.Address(host: isAny ? "*" : host, port: bound.port ?? 0).description
    } else {
      let bound = try await listen.listening(other: "--listen") { [server] host in
        try await server.start(host: host, port: listen.port)
      }
      address = Configuration.Address(host: listen.host, port: bound.port ?? listen.port).description
    }
    if let http = configuration.http {
      let plain = try PushServer(
        gateway, frontEnds: unavailable + keyedFrontEnds(http.frontEnds) + [NoFrontEnd()], identity: nil)
      let bound = try await http.listen.listening(other: "http: listen:") { host in
        try await plain.start(host: host, port: http.listen.port)
      }
      httpAddress = Configuration.Address(host: http.listen.host, port: bound.port ?? http.listen.port).description
      self.plain = plain
      logger.notice(
        "without TLS at \(httpAddress ?? ""): whoever is on the network can read messages and access keys there")
    } else {
      (httpAddress, plain) = (nil, nil)
    }
    renewal = made.map { [server] made in
      CertificateRenewal(
        of: made.folder, current: made.current, alarms: runtime.alarms, logger: logger,
        uses: .init(
          certificate: { identity in
            try server.use(identity)
            try tls.use(identity)
          },
          standing: { PortService.show($0, in: devices) }))
    }
    devices.set("push gateway", problem: nil)
  }

  /// The use of the port by each provider.
  var providers: [UsageReport.Provider] {
    let limits = server.limits
    return server.use.map { name, use in
      UsageReport.Provider(
        provider: name, connections: .init(use.connections, of: limits.connectionsPerProvider), requests: use.requests,
        refusedRequests: use.refusedRequests, requestsPerSecondLimit: limits.requestsPerSecond)
    }
  }

  var figures: MetricsFigures.OfPort {
    MetricsFigures.OfPort(
      connections: [("push", server.connectionCount)] + (plain.map { [("http", $0.connectionCount)] } ?? []),
      connectionLimit: server.limits.connections, refusedRequests: server.refusedRequests, providers: providers)
  }

  /// Activates a certificate.
  func use(_ identity: TLSIdentity) throws {
    try server.use(identity)
    try tls.use(identity)
  }

  /// Lists an expired authority among the devices, for `deskbell doctor` and the panel. A valid one is listed only if
  /// it was listed before.
  private static func show(_ standing: CertificateAuthority.Standing, in devices: DeviceTable) {
    let name = "certificate authority"
    if case .ended(let problem) = standing {
      devices.set(name, problem: problem)
    } else if devices.all.contains(where: { $0.name == name }) {
      devices.set(name, problem: nil)
    }
  }

  func run() async {
    try? await gracefulShutdown()
    renewal?.stop()
    async let plainEnd: Void? = plain?.shutDown()
    await server.shutDown()
    await plainEnd
  }
}
