// The composition of the daemon, from top to bottom: the stored state, the queue of inputs, the devices, the sinks, the
// host, the front ends, the control API. Each part is constructed once, with everything it needs.

import AppLink
import Clocks
import ControlAPI
import HTTP
import HandsetCore
import HandsetStore
import HomeAssistant
import InputRecording
import Installation
import Logging
import NIOPosix
import PushPort
import ServerIdentity
import ServiceLifecycle
import ServiceManager
import Speaker
import WebCalls
import WebPanel

/// All parts of the running daemon.
struct Appliance: RunningDaemon {
  let gateway: PortService
  /// The line for the log once the daemon runs.
  let greeting: String
  private let services: [any Service]

  /// Returns the services in the order in which they start; they stop in reverse order.
  func group(logger: Logger) -> ServiceGroup {
    ServiceGroup(configuration: .init(services: services, logger: logger))
  }

  init(_ configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    Signals.ignoreFileSizeLimit()
    let started = SystemClock().now().uptime

    // The stored state.
    let stored = try StoredState.read(by: configuration, logger: logger)
    let (store, start, handsets, loaded) = (stored.store, stored.start, stored.handsets, stored.loaded)
    let (providers, virtualClock, damaged) = (stored.providers, stored.virtualClock, stored.damaged)
    let eventLoops = MultiThreadedEventLoopGroup.singleton
    let machine = MachineAddress(eventLoops: eventLoops)
    let panelAccess = PanelAccess(
      storedPassword: stored.panelPassword, storedSessions: stored.panelSessions, storedNetwork: stored.panelNetwork,
      machine: machine, now: { SystemClock().now().uptime })
    let metricsToken = MetricsToken(stored: stored.metricsToken)
    // Sessions that expired while the daemon was off are removed; on a full disk, when the next session begins.
    if panelAccess.sessions.stored != stored.panelSessions {
      try? store.setMeta(.panelSessions, panelAccess.sessions.stored, durable: false)
    }
    try configuration.refuseProblems(hasPanelPassword: panelAccess.hasPassword)
    let board = handsets.board.id

    // Time, and the queue that every input goes through.
    let runtime = Runtime(
      configuration: configuration, manager: manager, clock: virtualClock ?? SystemClock(),
      alarms: WallAlarms(timer: try KernelWallTimer()), devices: DeviceTable { manager.show($0) },
      eventLoops: eventLoops, logger: logger,
      outsideLogger: LogMeter.logger(over: logger, eventLoop: eventLoops.next()))
    let (clock, devices) = (runtime.clock, runtime.devices)
    let queue = InputQueue()
    let waker = Waker(eventLoop: eventLoops.next(), clock: clock, alarms: runtime.alarms) { queue.wake() }

    // The devices of the handset on the board, and the apps.
    let reporter = DeviceReporter(queue: queue, handset: board, devices: devices, clock: clock, logger: logger)
    let boardReports = BoardReports(reporter)
    let boardSetup = try BoardSetup(configuration.board, display: configuration.display, clock: clock) {
      boardReports.handle($0)
    }
    devices.set(HostStatus.storeDevice, problem: damaged.map { "the database was damaged, and is kept in \($0)" })
    boardSetup.announce(in: devices, logger: logger)
    let playbacks = Playbacks(reporter, screen: boardSetup.screen)
    devices.add(Playbacks.deviceName)
    if configuration.duck != nil { devices.add(Playbacks.duckingDevice) }
    let speaker = try Speaker(output: configuration.soundOutput, ducking: configuration.ducking) {
      playbacks.handle($0)
    }
    let library = SoundLibrary(state: configuration.state, systemSound: try configuration.systemSound())
    let folders = AppFolders(state: configuration.state)
    let linkRequests = try LinkRequests()
    let link = AppLink(
      socket: AppLink.socket(beside: configuration.controlSocket), mode: configuration.appsSocketMode,
      handsets: handsets.names, requests: linkRequests,
      emit: AppEventAdapter(
        queue: queue, link: linkRequests, handsets: handsets.names, eventLoop: eventLoops.next(),
        logger: runtime.outsideLogger
      ).handle
    ) { runtime.outsideLogger.notice("\($0)") }

    let appKeys = stored.appKeys
    let webCaller = WebCaller(runtime, names: handsets.names, keys: appKeys, queue: queue)

    // The sinks.
    let boardSink = BoardSink(handset: board, board: boardSetup, reports: boardReports)
    let speakerSink = SpeakerSink(handset: board, speaker: speaker, library: library, playbacks: playbacks)
    let eventStream = EventStreamSink()
    let homeInbox = configuration.home.map { _ in HomeInbox(handset: board) }
    let metricsSink = MetricsSink(loaded)
    let desks = try configuration.fleet?.desks.map { try ($0, handsets.of($0)) } ?? []
    let fleetInboxes = desks.map { FleetInbox(handsets: $0.1.map(\.id)) }
    let sinks: [any CommitSink] =
      [boardSink, speakerSink, AppLinkSink(link: link), eventStream, WebCallSink(caller: webCaller), metricsSink]
      + [homeInbox].compactMap(\.self) + fleetInboxes + [IdleMemory(eventLoop: eventLoops.next())]

    // The host.
    let host = Host(
      handsets: loaded, board: board, store: store, queue: queue, waker: waker, sinks: sinks,
      recorder: try InputRecorder.opened(by: configuration, for: loaded, logger: logger),
      status: HostStatus(devices: devices, logger: logger))
    speaker.checkDevice()
    folders.install(loaded, into: link)
    try link.start()
    try await host.begin(start)
    for handset in loaded { for call in handset.contents.calls { webCaller.add(call, of: handset.id) } }

    // The front ends.
    let tls = ServerTLS()
    gateway = try await PortService(
      runtime, receiver: PushAdapter(queue: queue, handsets: handsets, host: host), providers: providers, tls: tls)

    // The control API and the panel.
    let certificates = CertificatesControl(tls: tls, renewal: gateway.renewal, machine: machine)
    let providerControl = ProvidersControl(host: host, directory: providers, testProvider: try TestProvider())
    let status = DaemonStatus(
      devices: devices, pushAddress: gateway.address, httpAddress: gateway.httpAddress, started: started,
      panel: boardSetup.panel, settingsFile: configuration.file,
      stateDirectory: Configuration.absolute(configuration.state) ?? configuration.state,
      providers: { [gateway] in gateway.providers })
    let boardStatus = BoardStatus(
      display: boardSetup.description?.display, vibration: { boardSink.vibration(at: $0) })
    let testPushes = TestPushSender(
      pushAddress: gateway.address, certificates: certificates, providers: providerControl)
    let handsetsControl = HandsetsControl(handsets, host: host, queue: queue) { access in
      let names: Set<String?> =
        access.identity.id == board ? [access.identity.name, nil] : [access.identity.name]
      let apps = AppsControl(
        access: access, folders: folders, link: link, keys: appKeys, language: configuration.language
      ) { app in providers.endReading(of: app, on: names) }
      let center = CenterControl(access: access)
      return HandsetResources(
        handset: StateControl(access: access, daemon: status, board: access.identity.id == board ? boardStatus : nil),
        apps: apps, local: center, settings: center, center: center,
        sounds: SoundsControl(access: access, library: library, player: speakerSink),
        events: EventsControl(access: access, stream: eventStream),
        pushes: PushesControl(access: access, apps: apps, sender: testPushes))
    }
    let clockController = ClockController(
      host: HostTime(host: host, queue: queue), clock: clock, moved: { boardSetup.panel?.wake() },
      waitForPrograms: {
        await link.waitForPrograms()
        // The results of the programs were submitted before this, so they are stored with it or before it.
        _ = await queue.submit(.wake, to: .due)
      })
    let keys = AccessKeysControl(
      providers: providerControl, handsets: handsets, host: host, certificates: certificates,
      templates: configuration.hookTemplates.keys.sorted(),
      ports: .init(push: gateway.address, http: gateway.httpAddress))
    let metrics = MetricsControl(
      host: host, handsets: handsets, sink: metricsSink, queue: queue, gateway: gateway, devices: devices,
      panel: panelAccess, token: metricsToken, eventLoop: eventLoops.next())
    let panelControl = PanelControl(access: panelAccess, host: host, metrics: metrics)
    let routes = try ControlRoutes(
      handsets: handsetsControl, providers: providerControl, keys: keys, certificates: certificates,
      clock: clockController, panel: panelControl, metrics: metrics
    ).table()
    let panel = try await PanelService(
      configuration, panel: panelControl, control: routes.routes, tls: tls, devices: devices, eventLoops: eventLoops,
      logger: runtime.outsideLogger)
    let control = try await HTTPServer.start(
      HTTPService(routes, executor: TaskThreads.shared), on: .unixSocket(path: configuration.controlSocket),
      listening: manager.sockets.control?.descriptor, group: eventLoops)

    let boardHandset = HandsetIdentity(board, name: handsets.board.name, device: handsets.board.device)
    let home = HomeService(
      runtime, inbox: homeInbox, access: HandsetAccess(host: host, queue: queue, identity: boardHandset),
      player: speakerSink
    ) {
      HomeDevice(
        configuration.home, of: handsets.board, board: boardSetup.description, panel: try? await panelAccess.report(),
        devices: devices)
    }

    let fleet =
      try configuration.fleet.map { settings in
        try zip(desks, fleetInboxes).map { desk, inbox in
          try FleetDesk(
            desk.0, settings, runtime: runtime, inbox: inbox, host: host, queue: queue, handsets: desk.1,
            names: handsets.names, providers: providerControl)
        }
      } ?? []

    // The services.
    let watchdog = Watchdog.started(by: manager, asking: host.executor, eventLoops: eventLoops)
    let zoneWatch = await ZoneWatch.started(submittingTo: queue, eventLoops: eventLoops, logger: logger)
    services =
      [
        HostService(host: host, queue: queue),
        // The devices and the apps stop after the gateway and before the host, so that their last reports are stored.
        RunningPart {
          watchdog?.stop()
          await zoneWatch?.stop()
          webCaller.shutDown()
          await link.shutDown()
          speaker.shutdown()
          boardSetup.panel?.stop()
          boardSetup.screen?.end()
          await runtime.alarms.stop()
        },
        Ports(services: [gateway, RunningPart { await control.shutdown() }, panel]), home,
      ] + (fleet.isEmpty ? [] : [FleetService(desks: fleet)])
    let name = boardSetup.description?.board ?? "none"
    greeting =
      "ready: pushes to \(gateway.address), control socket \(configuration.controlSocket), board \(name)"
      + (panel.address == nil ? "" : ", web panel: run 'deskbell panel'")
      + (virtualClock == nil ? "" : ", virtual clock")
    devices.show("pushes to \(gateway.address), board \(name)")
  }
}
