import Clocks
import HTTP
import HandsetCore
import Host
import WebPanel

/// The control API on its socket, and the web panel.
struct ControlServers: Sendable {
  let socket: HTTPServer
  let panel: PanelService

  /// - Parameter started: the system's uptime at the daemon's start.
  init(
    _ runtime: Runtime, _ stored: StoredState, devices: Devices, apps: InstalledApps, host: RunningHost,
    frontEnds: FrontEnds, panelAccess: PanelAccess, started: Duration
  ) async throws {
    let (configuration, port) = (runtime.configuration, frontEnds.port)
    let status = DaemonStatus(
      devices: runtime.devices, pushAddress: port.address, httpAddress: port.httpAddress, started: started,
      front: devices.board.front, settingsFile: configuration.file,
      stateDirectory: Configuration.absolute(configuration.state) ?? configuration.state,
      providers: { port.providers })
    let handsets = Self.handsets(
      stored.handsets, status, runtime: runtime, devices: devices, apps: apps, host: host, frontEnds: frontEnds)
    let clock = ClockController(
      host: HostTime(host: host.host, queue: host.queue), clock: runtime.clock,
      moved: { [front = devices.board.front] in front?.wake() },
      waitForPrograms: { [link = apps.link, queue = host.queue] in
        await link.waitForPrograms()
        // The results of the programs were submitted before this, so they are stored with it or before it.
        _ = await queue.submit(.wake, to: .due)
      })
    let keys = AccessKeysResource(
      providers: frontEnds.providers, handsets: stored.handsets, host: host.host, certificates: frontEnds.certificates,
      templates: configuration.hookTemplates.keys.sorted(),
      ports: .init(push: port.address, http: port.httpAddress))
    let metrics = MetricsResource(
      host: host.host, handsets: stored.handsets, sink: host.metrics, queue: host.queue, devices: runtime.devices,
      panel: panelAccess, token: MetricsToken(stored: stored.metricsToken), eventLoop: runtime.eventLoops.next(),
      port: { port.figures })
    let panelControl = PanelResource(access: panelAccess, host: host.host, metrics: metrics)
    let routes = try ControlRoutes(
      ControlParts(
        handsets: handsets, providers: frontEnds.providers, keys: keys, certificates: frontEnds.certificates,
        clock: clock, panel: panelControl, metrics: metrics)
    ).table()
    panel = try await PanelService(
      configuration, panel: panelControl, control: routes.routes, tls: frontEnds.tls, devices: runtime.devices,
      eventLoops: runtime.eventLoops, logger: runtime.outsideLogger)
    socket = try await HTTPServer.start(
      HTTPService(routes, executor: TaskThreads.shared), on: .unixSocket(path: configuration.controlSocket),
      listening: runtime.manager.sockets.control?.descriptor, group: runtime.eventLoops)
  }

  private static func handsets(
    _ handsets: Handsets, _ status: DaemonStatus, runtime: Runtime, devices: Devices, apps: InstalledApps,
    host: RunningHost, frontEnds: FrontEnds
  ) -> HandsetDirectory {
    let (board, boardSink, directory) = (handsets.board.id, devices.boardSink, frontEnds.directory)
    let boardStatus = BoardStatus(
      display: devices.board.description?.display, vibration: { boardSink.vibration(at: $0) })
    let testPushes = TestPushSender(
      pushAddress: frontEnds.port.address, certificates: frontEnds.certificates, providers: frontEnds.providers)
    return HandsetDirectory(handsets, host: host.host, queue: host.queue) { access in
      let isBoard = access.identity.id == board
      let names: Set<String?> = isBoard ? [access.identity.name, nil] : [access.identity.name]
      let control = AppsResource(
        access: access, folders: apps.folders, link: apps.link, keys: apps.keys,
        language: runtime.configuration.language
      ) { app in directory.endReading(of: app, on: names) }
      return HandsetResources(
        access: access, state: StateResource(access: access, daemon: status, board: isBoard ? boardStatus : nil),
        apps: control,
        sounds: SoundsResource(access: access, library: devices.library, player: devices.speakerSink),
        events: EventsResource(access: access, stream: host.events),
        pushes: PushesResource(access: access, sender: testPushes))
    }
  }
}
