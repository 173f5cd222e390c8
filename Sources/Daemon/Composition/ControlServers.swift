import Clocks
import ControlAPI
import HTTP
import HandsetCore
import Host
import WebPanel

/// The control API on its socket, and the web panel.
struct ControlServers: Sendable {
  let socket: HTTPServer
  let panel: PanelService

  /// - Parameters:
  ///   - panelAccess: who may open the web panel.
  ///   - started: the system's uptime at the daemon's start.
  init(
    _ runtime: Runtime, _ stored: StoredState, devices: Devices, apps: InstalledApps, host: RunningHost,
    frontEnds: FrontEnds, panelAccess: PanelAccess, started: Duration
  ) async throws {
    let (configuration, port) = (runtime.configuration, frontEnds.port)
    let status = DaemonStatus(
      devices: runtime.devices, pushAddress: port.address, httpAddress: port.httpAddress, started: started,
      panel: devices.board.panel, settingsFile: configuration.file,
      stateDirectory: Configuration.absolute(configuration.state) ?? configuration.state,
      providers: { port.providers })
    let handsets = Self.handsets(
      stored.handsets, status, runtime: runtime, devices: devices, apps: apps, host: host, frontEnds: frontEnds)
    let clock = ClockController(
      host: HostTime(host: host.host, queue: host.queue), clock: runtime.clock,
      moved: { [front = devices.board.panel] in front?.wake() },
      waitForPrograms: { [link = apps.link, queue = host.queue] in
        await link.waitForPrograms()
        // The results of the programs were submitted before this, so they are stored with it or before it.
        _ = await queue.submit(.wake, to: .due)
      })
    let keys = AccessKeysControl(
      providers: frontEnds.providers, handsets: stored.handsets, host: host.host, certificates: frontEnds.certificates,
      templates: configuration.hookTemplates.keys.sorted(),
      ports: .init(push: port.address, http: port.httpAddress))
    let metrics = MetricsControl(
      host: host.host, handsets: stored.handsets, sink: host.metrics, queue: host.queue, gateway: port,
      devices: runtime.devices, panel: panelAccess, token: MetricsToken(stored: stored.metricsToken),
      eventLoop: runtime.eventLoops.next())
    let panelControl = PanelControl(access: panelAccess, host: host.host, metrics: metrics)
    let routes = try ControlRoutes(
      handsets: handsets, providers: frontEnds.providers, keys: keys, certificates: frontEnds.certificates,
      clock: clock, panel: panelControl, metrics: metrics
    ).table()
    panel = try await PanelService(
      configuration, panel: panelControl, control: routes.routes, tls: frontEnds.tls, devices: runtime.devices,
      eventLoops: runtime.eventLoops, logger: runtime.outsideLogger)
    socket = try await HTTPServer.start(
      routes, on: .unixSocket(path: configuration.controlSocket),
      listening: runtime.manager.sockets.control?.descriptor, group: runtime.eventLoops, executor: TaskThreads.shared)
  }

  /// Returns the resources of each handset.
  private static func handsets(
    _ handsets: Handsets, _ status: DaemonStatus, runtime: Runtime, devices: Devices, apps: InstalledApps,
    host: RunningHost, frontEnds: FrontEnds
  ) -> HandsetsControl {
    let (board, boardSink, directory) = (handsets.board.id, devices.boardSink, frontEnds.directory)
    let boardStatus = BoardStatus(
      display: devices.board.description?.display, vibration: { boardSink.vibration(at: $0) })
    let testPushes = TestPushSender(
      pushAddress: frontEnds.port.address, certificates: frontEnds.certificates, providers: frontEnds.providers)
    return HandsetsControl(handsets, host: host.host, queue: host.queue) { access in
      let isBoard = access.identity.id == board
      let names: Set<String?> = isBoard ? [access.identity.name, nil] : [access.identity.name]
      let control = AppsControl(
        access: access, folders: apps.folders, link: apps.link, keys: apps.keys,
        language: runtime.configuration.language
      ) { app in directory.endReading(of: app, on: names) }
      let center = CenterControl(access: access)
      return HandsetResources(
        handset: StateControl(access: access, daemon: status, board: isBoard ? boardStatus : nil), apps: control,
        local: center, settings: center, center: center,
        sounds: SoundsControl(access: access, library: devices.library, player: devices.speakerSink),
        events: EventsControl(access: access, stream: host.events),
        pushes: PushesControl(access: access, apps: control, sender: testPushes))
    }
  }
}
