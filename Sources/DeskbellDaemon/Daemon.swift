// The one place that sees all rooms: opens what is there, connects it around the handset, and closes it in reverse.

import AppLink
import Board
import BoardSimulator
import Clocks
import ControlAPI
import Glibc
import HTTPRoutes
import HandsetCore
import HandsetJournal
import HandsetStore
import Installation
import Logging
import NIOCore
import NIOPosix
import PushGateway
import ServiceLifecycle
import ServiceManager
import Speaker

/// The appliance.
public enum Daemon {
  public static let version = "0.1.1"

  /// Runs until SIGTERM or SIGINT.
  /// - Throws: what kept it from starting. A device that is missing does not.
  public static func run(_ options: DaemonOptions) async throws(DaemonError) {
    let written = try Configuration(options)
    var configuration = written
    let logger = logger(Logger.Level(rawValue: configuration.logLevel.rawValue) ?? .info)
    let manager = try serviceManager(logger)
    configuration.use(manager.sockets, logger: logger)
    DescriptorLimit.raise(for: configuration.limits, logger: logger)
    AllocatorThresholds.set()
    let house = try await House.open(configuration, manager: manager, logger: logger)
    do {
      let reload = Reload(options, written, logger: logger) { [server = house.gateway.server, door = house.door] in
        try server.use($0)
        try door.use($0)
      }
      let group = house.group(logger: configuration.logLevel == .debug ? logger : quiet(logger))
      // Without a service manager a hangup means what it always did: the terminal is gone, and so is the daemon.
      let signals = [SIGTERM, SIGINT] + (manager.isPresent ? [SIGHUP] : [])
      try await Signals.listen(for: signals, on: MultiThreadedEventLoopGroup.singleton) { number in
        Task(executorPreference: TaskThreads.shared) {
          if number == SIGHUP {
            manager.reloading(at: SystemClock().now().uptime)
            reload.run()
            manager.ready()
          } else {
            manager.stopping()
            await group.triggerGracefulShutdown()
          }
        }
      }
      ProgramPages.giveBack()
      logger.notice("\(house.greeting)")
      manager.ready()
      try await group.run()
    } catch let error as DaemonError {
      throw error
    } catch {
      throw DaemonError("\(error)")
    }
  }

  /// Runs without board and clients for as long as `work` takes: so that certificates, apps and providers are there
  /// before the daemon is started for good.
  /// - Parameter config: path of the configuration file.
  /// - Throws: what kept it from starting, and what `work` throws.
  public static func prepare(config: String, work: @Sendable (_ controlSocket: String) async throws -> Void)
    async throws
  {
    var configuration = try Configuration(DaemonOptions(config: config, logLevel: .error))
    configuration.board = nil
    configuration.panel = nil
    // What is wrong with a device is not news to somebody who was just asked about it.
    let logger = logger(.critical)
    // Whoever manages services waits for the daemon, not for this.
    let nobody = try ServiceManager(variable: { _ in nil }, logger: logger)
    let house = try await House.open(configuration, manager: nobody, logger: logger)
    let group = house.group(logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      do {
        try await work(configuration.controlSocket)
      } catch {
        await group.triggerGracefulShutdown()
        try? await tasks.waitForAll()
        throw error
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  private static func serviceManager(_ logger: Logger) throws(DaemonError) -> ServiceManager {
    do {
      return try ServiceManager(logger: logger)
    } catch {
      throw DaemonError(error.description)
    }
  }

  private static func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "deskbell") { _ in JournalLogHandler() }
    logger.logLevel = level
    return logger
  }

  /// The lifecycle's own account of starting and stopping is of no use to a person.
  private static func quiet(_ logger: Logger) -> Logger {
    var logger = logger
    logger.logLevel = .error
    return logger
  }
}

/// Everything that runs, started in order.
private struct House {
  let core: CoreService
  let gateway: GatewayService
  let control: ControlService
  let panel: PanelService
  /// The panel's TLS.
  let door: TLSDoor
  let greeting: String

  /// - Throws: what kept it from starting.
  static func open(
    _ configuration: Configuration, manager: ServiceManager, logger: Logger
  ) async throws(DaemonError) -> House {
    Signals.ignoreFileSizeLimit()
    do {
      return try await House(configuration, manager: manager, logger: logger)
    } catch {
      throw error as? DaemonError ?? DaemonError("\(error)")
    }
  }

  /// The first to start is the last to stop.
  func group(logger: Logger) -> ServiceGroup {
    ServiceGroup(configuration: .init(services: [core, gateway, control, panel], logger: logger))
  }

  private init(_ configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    let started = SystemClock().now().uptime
    let devices = DeviceTable()
    let eventBell = EventBell()
    let eventLoops = MultiThreadedEventLoopGroup.singleton

    let store = try HandsetStore(directory: configuration.state)
    var (contents, damage) = try store.load(handset: House.handset)
    let device = try store.deviceID(of: House.handset, orElse: .random())
    try TestProvider.removeStored(from: store)
    let (providers, providerDamage) = try store.providers(Provider.self)
    for problem in damage + providerDamage { logger.error("the store: \(problem); left out") }
    let panelAccess = PanelAccess(storedPassword: try store.meta(.panelPassword), now: { SystemClock().now().uptime })
    try PanelService.requirePassword(configuration, panelAccess)
    let start = try House.start(by: store)
    let virtualClock = configuration.clock == .virtual ? try VirtualClock.goingOn(in: store, after: start) : nil
    let clock: any Clock = virtualClock ?? SystemClock()
    contents.timeZone = SystemTimeZone.table()
    let alarms = WallAlarms(timer: try KernelWallTimer())
    let journal = try configuration.journal.map { path in
      try InputJournal(path: path, contents: [.first: contents], logger: logger)
    }

    let library = SoundLibrary(state: configuration.state, systemSound: try House.systemSound(configuration))
    let outputs = Outputs(
      library: library, devices: devices, eventBell: eventBell,
      waker: Waker(eventLoop: eventLoops.next(), clock: clock), clock: clock, logger: logger)
    let executor = HostExecutor()
    let host = Host(
      handset: House.handset, contents: contents, store: store, executor: executor, clock: clock, output: outputs,
      logger: logger, journal: journal)
    outputs.connect(host: host, alarms: virtualClock == nil ? alarms : nil)

    let board = try BoardSetup(configuration.board, clock: clock, report: { [weak outputs] in outputs?.heard($0) })
    for name in [Outputs.storeDevice] + board.deviceNames { devices.add(name) }
    devices.add("speaker")
    if configuration.duck != nil { devices.add(Outputs.duckingDevice) }
    let speaker = try Speaker(output: House.soundOutput(configuration), ducking: House.ducking(configuration)) {
      [weak outputs] in outputs?.heard($0)
    }
    outputs.connect(board)
    if let why = board.panel?.scanReport?.priorityFault {
      let advice = "give the daemon CAP_SYS_NICE, or LimitRTPRIO=\(ScanReport.priority) in its systemd unit"
      logger.notice("scan: no real-time priority, the display may flicker under load: \(why); \(advice)")
    }
    outputs.connect(speaker: speaker)
    speaker.checkDevice()

    let folders = AppFolders(state: configuration.state)
    folders.removeApps(of: .first, except: Set(contents.apps.map(\.id)))
    let link = try House.appLink(configuration, host: host, eventLoop: eventLoops.next(), logger: logger)
    for app in contents.apps {
      let address = AppAddress(app.id, on: .first)
      link.install(address, hooks: folders.hooks(of: address) ?? AppHooks())
    }
    outputs.connect(link: link)
    try link.start()
    guard case .stored = await host.submit(.start(start)) else {
      throw DaemonError("the state directory \(configuration.state) cannot be written: make room, or mend its disk")
    }
    // Noted only now: were the daemon to end before it is stored that the board booted, that would be forgotten.
    try await host.write { store in try House.noteBoot(in: store) }
    core = CoreService(
      outputs: outputs, board: board, speaker: speaker, eventBell: eventBell, alarms: alarms, executor: executor,
      link: link, zoneWatch: await House.zoneWatch(host, eventLoops: eventLoops, logger: logger),
      watchdog: House.watchdog(manager, host: host, eventLoops: eventLoops))

    let directory = try ProviderDirectory(providers)
    let door = TLSDoor()
    self.door = door
    gateway = try await GatewayService(
      configuration, socket: manager.sockets.push, desk: PushDesk(host: host, device: device), providers: directory,
      clock: House.gatewayClock(clock), alarms: alarms, door: door, devices: devices, eventLoops: eventLoops,
      logger: logger)
    devices.set("push gateway", problem: nil)
    let certificates = CertificatesControl(door: door, authority: gateway.authority, renewal: gateway.renewal)
    let providerControl = ProvidersControl(host: host, directory: directory, testProvider: try TestProvider())
    let status = DaemonStatus(
      devices: devices, pushAddress: gateway.address, started: started, panel: board.panel)
    let boardStatus = BoardStatus(
      display: board.description?.display, vibration: { [outputs] in outputs.vibration(at: $0) })
    let testPushes = TestPushSender(
      pushAddress: gateway.address, certificates: certificates, providers: providerControl)
    let identity = HandsetIdentity(.first, name: "1", device: device)
    let handsets = HandsetsControl([identity], onBoard: identity.name, host: host) { access in
      let apps = AppsControl(
        access: access, folders: folders, link: link, language: configuration.language)
      let center = CenterControl(access: access)
      return HandsetResources(
        handset: StateControl(access: access, daemon: status, board: access.identity == identity ? boardStatus : nil),
        apps: apps, local: center, settings: center, center: center,
        sounds: SoundsControl(access: access, library: library, player: outputs),
        events: EventsControl(access: access, bell: eventBell),
        pushes: PushesControl(access: access, apps: apps, sender: testPushes))
    }
    let clockController = ClockController(
      host: host, clock: clock, moved: { [weak outputs] in outputs?.clockMoved() },
      waitForHooks: {
        await link.waitForHooks()
        // What the hooks came to was handed in before this, so it is stored with it or before it.
        _ = await host.submit(.wake)
      })
    let routes = try ControlRoutes(
      handsets: handsets, providers: providerControl, certificates: certificates, clock: clockController,
      panel: PanelControl(access: panelAccess, host: host)
    ).table()
    panel = try await PanelService(
      configuration, access: panelAccess, control: routes.routes, door: door, devices: devices, eventLoops: eventLoops,
      logger: logger)
    control = ControlService(
      server: try await HTTPServer.start(
        routes, on: .unixSocket(path: configuration.controlSocket), listening: manager.sockets.control?.descriptor,
        group: eventLoops, executor: TaskThreads.shared))
    let name = board.description?.board ?? "none"
    let summary = "pushes to \(gateway.address), board \(name)"
    greeting =
      "ready: pushes to \(gateway.address), control socket \(configuration.controlSocket), board \(name)"
      + (panel.address == nil ? "" : ", web panel: run 'deskbell panel'")
      + (virtualClock == nil ? "" : ", virtual clock")
    devices.whenChanged { [weak devices] in
      manager.show { House.status(summary, devices?.all ?? []) }
    }
    manager.show { House.status(summary, devices.all) }
  }

  /// What `systemctl status` shows of a daemon that runs.
  private static func status(_ summary: String, _ devices: [DeviceReport]) -> String {
    let missing = devices.filter { !$0.works }
    return missing.isEmpty
      ? summary
      : "\(summary); does not work: "
        + missing.map { "\($0.name) (\($0.problem ?? "for no known reason"))" }.joined(separator: ", ")
  }

  /// Nil where nobody watches: then nothing wakes for it either.
  private static func watchdog(_ manager: ServiceManager, host: Host, eventLoops: any EventLoopGroup) -> Watchdog? {
    guard let timeout = manager.watchdogTimeout else { return nil }
    let watchdog = Watchdog(
      eventLoops: Array(eventLoops.makeIterator()), askHost: { [weak host] in host?.whenAtHand($0) },
      alive: manager.alive)
    watchdog.start(timeout: timeout)
    return watchdog
  }

  /// The one on the board.
  private static let handset: HandsetNumber = 1

  /// What started: the board, where its boot is another than the one noted, or only the daemon.
  private static func start(by store: HandsetStore) throws -> Start {
    guard let boot = bootID else { return .daemon }
    return try store.meta(.bootID) == boot ? .daemon : .board
  }

  private static func noteBoot(in store: HandsetStore) throws {
    guard let boot = bootID, try store.meta(.bootID) != boot else { return }
    try store.setMeta(.bootID, boot)
  }

  /// Another at each boot.
  private static var bootID: String? {
    guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 64)
    guard fgets(&bytes, CInt(bytes.count), file) != nil else { return nil }
    return String(decoding: bytes.map(UInt8.init(bitPattern:)).prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// Credentials go by the real time, whatever the handset's clock shows.
  private static func gatewayClock(_ clock: any Clock) -> GatewayClock {
    var gatewayClock = GatewayClock.system
    gatewayClock.handset = { clock.now().wall }
    return gatewayClock
  }

  /// The link to the apps' processes; their socket is beside the control socket.
  private static func appLink(
    _ configuration: Configuration, host: Host, eventLoop: any EventLoop, logger: Logger
  ) throws -> AppLink {
    let requests = try LinkRequests()
    return AppLink(
      socket: "\(SharedFiles.parent(of: configuration.controlSocket))/apps.sock", mode: configuration.appsSocketMode,
      handsets: .one, requests: requests,
      events: AppEventAdapter(host: host, link: requests, handsets: .one, eventLoop: eventLoop, logger: logger)
    ) { logger.notice("\($0)") }
  }

  /// Calendars go by the machine's time zone, also when somebody sets it. Nil where the zone stays what it is.
  private static func zoneWatch(_ host: Host, eventLoops: any EventLoopGroup, logger: Logger) async -> ZoneWatch? {
    if SystemTimeZone.isFixed { return nil }
    do {
      return try await ZoneWatch.start(on: SystemTimeZone.path, group: eventLoops) { [weak host] in
        guard let host else { return }
        House.enter(SystemTimeZone.table(), host, eventLoops.next())
      }
    } catch {
      logger.warning("the time zone is that of the start, restart the daemon when it is set: \(error)")
      return nil
    }
  }

  /// Nobody tells it twice: what cannot be stored is handed in again.
  private static func enter(_ zone: TimeZoneTable, _ host: Host, _ eventLoop: any EventLoop) {
    host.submit(.setTimeZone(zone)) { [weak host] outcome in
      guard case .failed = outcome else { return }
      eventLoop.scheduleTask(in: .seconds(1)) { [weak host] in
        if let host { enter(zone, host, eventLoop) }
      }
    }
  }

  private static func systemSound(_ configuration: Configuration) throws(DaemonError) -> String {
    guard let folder = SharedFiles.folder("Sounds") else {
      throw DaemonError(
        "the shipped sounds are nowhere to be found: looked for the folder Sounds in "
          + SharedFiles.candidates.joined(separator: ", ") + "; set DESKBELL_SHARE to the folder that has it")
    }
    let path = "\(folder)/\(configuration.defaultSound).wav"
    guard SharedFiles.isFile(path) else {
      throw DaemonError("default-sound: there is no \(path); choose one of the WAV files in \(folder)")
    }
    return path
  }

  private static func ducking(_ configuration: Configuration) -> Ducking? {
    configuration.duck.map { duck in
      Ducking(
        element: ALSAMixerElement(card: duck.card, element: duck.element), amplitude: Double(duck.percent) / 100,
        record: "\(configuration.state)/ducked.json")
    }
  }

  private static func soundOutput(_ configuration: Configuration) -> any SpeakerOutput {
    switch configuration.speaker {
    case .alsa(let pcm): ALSASink(pcm: pcm)
    case .wav(let folder): WAVSink(folder: folder)
    }
  }
}

/// The handset and its outputs: the first to start, the last to stop.
private struct CoreService: Service {
  let outputs: Outputs
  let board: BoardSetup
  let speaker: Speaker
  let eventBell: EventBell
  let alarms: WallAlarms
  let executor: HostExecutor
  let link: AppLink
  let zoneWatch: ZoneWatch?
  let watchdog: Watchdog?

  func run() async {
    try? await gracefulShutdown()
    watchdog?.stop()
    await zoneWatch?.stop()
    outputs.stopWaking()
    await link.shutDown()
    speaker.shutdown()
    board.panel?.stop()
    board.screen?.end()
    await alarms.stop()
    await executor.shutDown()
  }
}

/// The port that providers push to, and its certificate.
private struct GatewayService: Service {
  let address: String
  /// The CA's certificate as PEM; nil where the user's own certificate is used.
  let authority: String?
  let server: PushServer
  /// Nil likewise.
  let renewal: CertificateRenewal?

  /// - Parameter socket: one that listens already; nil opens the port that is configured.
  init(
    _ configuration: Configuration, socket: CInt?, desk: PushDesk, providers: ProviderDirectory, clock: GatewayClock,
    alarms: WallAlarms, door: TLSDoor, devices: DeviceTable, eventLoops: any EventLoopGroup, logger: Logger
  ) async throws {
    let identity: TLSIdentity
    var renewal: (certificates: CertificateRenewal, current: CertificateAuthority)?
    if let own = configuration.certificate {
      identity = try TLSIdentity(certificateChainFile: own.chain, keyFile: own.key)
      authority = nil
    } else {
      let made = CertificateRenewal(folder: "\(configuration.state)/tls", extraNames: configuration.names)
      let current = try made.current()
      if current.made == .authority {
        logger.notice("made a certificate authority: deskbell ca prints its certificate")
      }
      identity = current.identity
      authority = current.certificatePEM
      renewal = (made, current)
    }
    try door.use(identity)
    server = try PushServer(
      receiver: desk, publishing: desk, providers: providers, identity: identity, clock: clock,
      limits: configuration.limits, environment: configuration.pushEnvironment, logger: logger,
      eventLoopGroup: eventLoops, executor: TaskThreads.shared)
    let listen = configuration.listen
    if let socket {
      let bound = try await server.start(listening: socket)
      let host = bound.ipAddress ?? ""
      let isAny = host == "::" || host == "0.0.0.0"
      address = Configuration.Address(host: isAny ? "*" : host, port: bound.port ?? 0).description
    } else {
      let bound = try await GatewayService.bind(server, listen)
      address = Configuration.Address(host: listen.host, port: bound.port ?? listen.port).description
    }
    if let (certificates, current) = renewal {
      let uses = CertificateRenewal.Uses(
        certificate: { [server] identity in
          try server.use(identity)
          try door.use(identity)
        },
        standing: { GatewayService.show($0, in: devices) })
      certificates.start(with: current, alarms: alarms, logger: logger, uses: uses)
    }
    self.renewal = renewal?.certificates
  }

  /// An authority that has ended stands among the devices, where `deskbell doctor` and the panel look; a good one does
  /// not, unless it stood there before.
  private static func show(_ standing: CertificateAuthority.Standing, in devices: DeviceTable) {
    let name = "certificate authority"
    if case .ended(let problem) = standing {
      devices.set(name, problem: problem)
    } else if devices.all.contains(where: { $0.name == name }) {
      devices.set(name, problem: nil)
    }
  }

  /// `*` is both IPv6 and IPv4, or IPv4 alone where the kernel has no IPv6.
  private static func bind(_ server: PushServer, _ listen: Configuration.Address) async throws -> SocketAddress {
    guard listen.host == "*" else { return try await server.start(host: listen.host, port: listen.port) }
    do {
      return try await server.start(host: "::", port: listen.port)
    } catch let error as ListenError {
      guard let bound = try? await server.start(host: "0.0.0.0", port: listen.port) else { throw error }
      return bound
    }
  }

  func run() async {
    try? await gracefulShutdown()
    renewal?.stop()
    await server.shutDown()
  }
}

/// The Unix socket that the commands talk to.
private struct ControlService: Service {
  let server: HTTPServer

  func run() async {
    try? await gracefulShutdown()
    await server.shutdown()
  }
}
