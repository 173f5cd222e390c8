// The composition of the daemon, from top to bottom: the stored state, the queue of inputs, the devices, the apps, the
// host with its sinks, the front ends, the control API. Each part is constructed once, with everything it needs.

import Clocks
import FleetDesk
import FleetMember
import HandsetCore
import HandsetStore
import Host
import Logging
import ServiceLifecycle
import ServiceManager

extension RunningDaemon {
  /// Makes all parts of the appliance.
  init(appliance configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    Signals.ignoreFileSizeLimit()
    let started = SystemClock().now().uptime
    let (store, stored) = try StoredState.read(by: configuration, logger: logger)
    let runtime = Runtime(
      configuration, manager: manager, clock: stored.virtualClock ?? SystemClock(),
      alarms: WallAlarms(timer: try KernelWallTimer()), logger: logger)
    let machine = MachineAddress(eventLoops: runtime.eventLoops)
    let panelAccess = PanelAccess(stored, store: store, machine: machine)
    try configuration.refuseProblems(hasPanelPassword: panelAccess.hasPassword)

    // The queue is first: every input goes through it, and the host takes from it.
    let queue = InputQueue()
    let problem = stored.damaged.map { "the database was damaged, and is kept in \($0)" }
    runtime.devices.set(DeviceTable.store, problem: problem)
    let devices = try Devices(runtime, of: stored.handsets.board.id, queue: queue)
    let apps = try InstalledApps(runtime, of: stored, queue: queue)
    let host = try await RunningHost(runtime, stored, store: store, queue: queue, devices: devices, apps: apps)
    let frontEnds = try await FrontEnds(runtime, stored, host: host, machine: machine)
    port = frontEnds.port
    let control = try await ControlServers(
      runtime, stored, devices: devices, apps: apps, host: host, frontEnds: frontEnds, panelAccess: panelAccess,
      started: started)
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
    let zoneWatch = await ZoneWatch.started(submittingTo: queue, eventLoops: runtime.eventLoops, logger: logger)
    var others: [any Service] = []
    if let home { others.append(home) }
    others += desks as [any Service]
    services =
      [
        HostService(host: host.host, queue: queue),
        // The devices and the apps stop after the port and before the host, so that their last reports are stored.
        RunningPart {
          watchdog?.stop()
          await zoneWatch?.stop()
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
      + (stored.virtualClock == nil ? "" : ", virtual clock")
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
