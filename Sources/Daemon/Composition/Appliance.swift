// The composition of the daemon, from top to bottom: the stored state, the queue of inputs, the devices, the apps, the
// host with its sinks, the front ends, the control API. Each part is constructed once, with everything it needs.

import AppLink
import Clocks
import FleetDesk
import FleetMember
import HandsetCore
import HandsetStore
import Host
import Logging
import PushPort
import ServerIdentity
import ServiceManager
import Services
import Speaker
import WebCalls

extension RunningDaemon {
  init(appliance configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    Signals.ignoreFileSizeLimit()
    let started = SystemClock().now().uptime
    let (store, stored) = try StoredState.read(by: configuration, logger: logger)
    let clock: any Clock = stored.virtualClock ?? SystemClock()
    // The queue is first: every input goes through it, and the host takes from it.
    let queue = InputQueue()
    let bench = try Bench.made(by: configuration, of: stored, clock: clock, queue: queue)
    let runtime = Runtime(
      configuration, manager: manager, clock: clock, alarms: WallAlarms(timer: try KernelWallTimer()), logger: logger,
      bench: bench)
    let clockFile = try ClockFile(of: runtime)
    let machine = MachineAddress(eventLoops: runtime.eventLoops)
    let panelAccess = PanelAccess(stored, store: store, machine: machine)
    try configuration.refuseProblems(hasPanelPassword: panelAccess.hasPassword)

    let problem = stored.damaged.map { "the database was damaged, and is kept in \($0)" }
    runtime.devices.set(DeviceTable.store, problem: problem)
    let events = EventStreamSink()
    let devices = try Devices(runtime, of: stored.handsets.board.id, queue: queue, events: events)
    let apps = try InstalledApps(runtime, of: stored, queue: queue)
    let host = try RunningHost(
      runtime, stored, store: store, queue: queue, events: events, devices: devices, apps: apps)
    let benchApps = BenchApps(runtime, stored, host: host, link: apps.link)
    let frontEnds = try await FrontEnds(runtime, stored, host: host, machine: machine, benchApps: benchApps)
    port = frontEnds.port
    let control = try await ControlServers(
      runtime, stored, devices: devices, apps: apps, host: host, frontEnds: frontEnds, panelAccess: panelAccess,
      started: started, clockFile: clockFile,
      setup: BenchSetup(runtime, stored, apps: benchApps, frontEnds: frontEnds))
    let home = HomeLink.started(
      runtime, stored.handsets.board, board: devices.board.description, host: host, player: devices.speakerSink,
      panel: panelAccess)
    let desks = try host.fleetDesks(runtime, names: stored.handsets.names, providers: frontEnds.providers)

    // Without a service manager that watches, no timer wakes the process.
    let watchdog = manager.watchdogTimeout.map { timeout in
      let watchdog = Watchdog(
        eventLoops: Array(runtime.eventLoops.makeIterator()),
        askHost: { [executor = host.host.executor] in executor.submit($0) }, alive: manager.alive)
      watchdog.start(timeout: timeout)
      return watchdog
    }
    let zoneWatch = ZoneWatch.started(
      submittingTo: queue, eventLoops: runtime.eventLoops, logger: runtime.logger)
    var others: [any Service] = []
    if let home { others.append(home) }
    others += desks as [any Service]
    services =
      [
        HostService(host: host.host, queue: queue),
        // The devices and the apps stop after the port and before the host, so that their last reports are stored.
        RunningPart {
          watchdog?.stop()
          zoneWatch?.stop()
          await apps.stop()
          devices.stop()
          await runtime.alarms.stop()
        },
        Ports(services: [port, RunningPart { await control.socket.shutdown() }, control.panel]),
      ] + others
    let board = devices.board.description?.board ?? "none"
    greeting =
      "ready: pushes to \(port.address), control socket \(configuration.controlSocket), board \(board)"
      + (control.panel.address == nil ? "" : ", web panel: run 'deskbell panel'")
      + (stored.virtualClock == nil ? "" : runtime.joinedClock == nil ? ", virtual clock" : ", virtual clock for all")
    runtime.devices.show("pushes to \(port.address), board \(board)")
  }
}

extension PanelAccess {
  /// Sessions that expired while the daemon was off are removed; on a full disk, when the next session begins.
  fileprivate convenience init(_ stored: StoredState, store: HandsetStore, machine: MachineAddress) {
    self.init(
      storedPassword: stored.panelPassword, storedSessions: stored.panelSessions, storedNetwork: stored.panelNetwork,
      machine: machine, now: { SystemClock().now().uptime })
    if sessions.stored != stored.panelSessions {
      try? store.setMeta(.panelSessions, sessions.stored, durable: false)
    }
  }
}

extension RunningHost {
  fileprivate func fleetDesks(
    _ runtime: Runtime, names: HandsetNames, providers: ProvidersResource
  ) throws -> [FleetDesk] {
    guard let settings = runtime.configuration.fleet else { return [] }
    return try desks.map { desk in
      FleetDesk(
        try runtime.connect(desk.member, settings), inbox: desk.inbox, host: host, queue: queue,
        handsets: desk.handsets, names: names, environment: runtime.configuration.pushEnvironment,
        providerChanges: providers.changes())
    }
  }
}

/// The apps' folders, the link to their programs and connections, and the calls of their receivers.
struct InstalledApps: Sendable {
  let folders: AppFolders
  let link: AppLink
  let keys: AppKeys
  let calls: WebCaller
  private let events: AppInputAdapter

  init(_ runtime: Runtime, of stored: StoredState, queue: InputQueue) throws {
    let (configuration, names, logger) = (runtime.configuration, stored.handsets.names, runtime.outsideLogger)
    folders = AppFolders(state: configuration.state)
    link = try AppLink(
      socket: AppLink.socket(beside: configuration.controlSocket), mode: configuration.appsSocketMode, handsets: names
    ) { logger.notice("\($0)") }
    events = AppInputAdapter(queue: queue, link: link, eventLoop: runtime.eventLoops.next())
    keys = stored.appKeys
    calls = WebCaller(runtime, names: names, keys: keys, queue: queue)
  }

  func start() throws { try link.start(emit: events.handle) }

  func stop() async {
    calls.shutDown()
    await link.shutDown()
  }
}

/// The devices of the handset on the board, and their sinks.
struct Devices: Sendable {
  let board: BoardSetup
  let boardSink: BoardSink
  let speakerSink: SpeakerSink
  let library: SoundLibrary
  let speaker: Speaker

  init(_ runtime: Runtime, of handset: HandsetID, queue: InputQueue, events: EventStreamSink) throws {
    let (configuration, clock, table) = (runtime.configuration, runtime.clock, runtime.devices)
    // Home Assistant, a fleet's servers and a test bench follow them too.
    let isAlwaysFollowed = configuration.home != nil || configuration.fleet != nil || runtime.bench != nil
    let reporter = DeviceReporter(
      queue: queue, handset: handset, devices: table, clock: clock, logger: runtime.logger
    ) { isAlwaysFollowed || events.hasListeners(to: handset) }
    let reports = BoardReports(reporter)
    board = try BoardSetup(configuration.board, display: configuration.display, clock: clock) { reports.handle($0) }
    board.announce(in: table, logger: runtime.logger)
    let playbacks = Playbacks(reporter, screen: board.screen)
    table.add(Playbacks.deviceName)
    if configuration.duck != nil { table.add(Playbacks.duckingDevice) }
    speaker = try Speaker(output: configuration.soundOutput, ducking: configuration.ducking) { playbacks.handle($0) }
    library = SoundLibrary(state: configuration.state, systemSound: try configuration.systemSound())
    boardSink = BoardSink(handset: handset, board: board, reports: reports)
    speakerSink = SpeakerSink(handset: handset, speaker: speaker, library: library, playbacks: playbacks)
  }

  func stop() {
    speaker.shutdown()
    board.front?.stop()
    board.screen?.end()
  }
}

/// The push port in front of the host, with its certificate and its providers.
struct FrontEnds: Sendable {
  let port: PortService
  let channels: ChannelAdapter
  let certificates: CertificatesResource
  let providers: ProvidersResource

  /// - Parameter benchApps: nil for a desk's daemon.
  init(
    _ runtime: Runtime, _ stored: StoredState, host: RunningHost, machine: MachineAddress, benchApps: BenchApps?
  ) async throws {
    let tls = ServerTLS()
    let adapter = PushAdapter(queue: host.queue, handsets: stored.handsets, host: host.host)
    let receiver: any AnyReceiver =
      if let benchApps, let bench = runtime.bench {
        BenchReceiver(inner: CatchAllReceiver(adapter: adapter, apps: benchApps), bench: bench)
      } else {
        adapter
      }
    let board = stored.handsets.board.id
    channels = ChannelAdapter(registry: stored.channels, host: host.host, queue: host.queue, clock: runtime.clock)
    let keeper: any ChannelKeeper =
      if let benchApps { BenchChannels(inner: channels, apps: benchApps, board: board) } else { channels }
    port = try await PortService(
      runtime, receiver: receiver, channels: keeper, providers: stored.providers, tls: tls)
    if let authority = tls.authorityPEM { try runtime.bench?.credentials?.write(authority: authority) }
    certificates = CertificatesResource(tls: tls, renewal: port.renewal, machine: machine)
    providers = try ProvidersResource(host: host.host, directory: stored.providers, now: runtime.joinedWallTime)
  }
}
