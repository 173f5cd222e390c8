import Clocks
import HTTP
import HandsetCore
import Host
import Installation
import WebPanel

/// The control API on its socket, and the web panel.
struct ControlServers: Sendable {
  let socket: HTTPServer
  let panel: PanelService

  /// - Parameters:
  ///   - started: the system's uptime at the daemon's start.
  ///   - clockFile: the file that has the virtual clock's time; nil if there is none.
  ///   - setup: nil for a desk's daemon.
  init(
    _ runtime: Runtime, _ stored: StoredState, devices: Devices, apps: InstalledApps, host: RunningHost,
    frontEnds: FrontEnds, panelAccess: PanelAccess, started: Duration, clockFile: ClockFile?,
    setup: BenchSetup?
  ) async throws {
    let (configuration, port, board) = (runtime.configuration, frontEnds.port, devices.board)
    let clock = ClockController(
      host: HostTime(
        host: host.host, queue: host.queue, calls: runtime.joinedClock.map { _ in apps.calls },
        faults: runtime.bench?.faults), clock: runtime.clock,
      isJoined: runtime.joinedClock != nil,
      moved: { [front = board.front, renewal = port.renewal] in
        clockFile?.clockMoved()
        renewal?.clockMoved()
        front?.wake()
      },
      waitForPrograms: { [link = apps.link, queue = host.queue] in
        await link.waitForPrograms()
        // The results of the programs were submitted before this, so they are stored with it or before it.
        _ = await queue.submit(.wake, to: .due)
      })
    let parts = ControlParts(
      host: host.host, queue: host.queue, handsets: stored.handsets, devices: runtime.devices, front: board.front,
      display: board.description?.display, vibration: { [sink = devices.boardSink] in sink.vibration(at: $0) },
      folders: apps.folders, link: apps.link, keys: apps.keys, language: configuration.language,
      library: devices.library, play: devices.speakerSink.play(_:at:), events: host.events, counters: host.metrics,
      providers: frontEnds.providers, certificates: frontEnds.certificates, clock: clock, panel: panelAccess,
      metricsToken: MetricsToken(stored: stored.metricsToken), templates: configuration.hookTemplates.keys.sorted(),
      channels: frontEnds.channels, pushAddress: port.address, httpAddress: port.httpAddress,
      channelsAddress: port.channelsAddress, port: { port.figures },
      settingsFile: configuration.file,
      stateDirectory: SharedFiles.absolute(configuration.state) ?? configuration.state, started: started,
      eventLoop: runtime.eventLoops.next(), bench: runtime.bench, benchSetup: setup)
    let routes = try RouteTable(ControlRoutes(parts).routes)
    panel = try await PanelService(
      configuration, parts, routes: routes.routes, eventLoops: runtime.eventLoops, logger: runtime.outsideLogger)
    socket = try await HTTPServer.start(
      HTTPService(routes, executor: TaskThreads.shared), on: .unixSocket(path: configuration.controlSocket),
      listening: runtime.manager.sockets.control?.descriptor, group: runtime.eventLoops)
  }
}
