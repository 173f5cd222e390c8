import Clocks
import FleetGateway
import FleetMember
import Logging
import NIOPosix
import ServerIdentity
import ServiceManager
import Services

extension RunningDaemon {
  init(gateway configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    guard let settings = configuration.fleet, let member = settings.gateway else {
      throw DaemonError(
        "a gateway needs a settings file with fleet: { servers: […], gateway: NAME, seed: FILE, ca: FILE }; "
          + "'deskbell fleet add NAME --gateway' writes one")
    }
    try configuration.refuseProblems(hasPanelPassword: nil)
    try await settings.refuseOldServers()
    let runtime = Runtime(
      configuration, manager: manager, clock: SystemClock(), alarms: WallAlarms(timer: try KernelWallTimer()),
      logger: logger)
    let connection = try runtime.connect(member, settings)
    let fleet = try FleetGateway(connection, environment: configuration.pushEnvironment)
    port = try await PortService(
      runtime, receiver: fleet, channels: fleet, providers: fleet.directory, tls: ServerTLS()
    ) { fleet.isReady }
    services = [
      RunningPart {
        connection.nats.end()
        await runtime.alarms.stop()
      },
      fleet, port,
    ]
    greeting = "ready: a gateway for pushes to \(port.address), fleet of \(settings.servers.count) servers"
    runtime.devices.show("pushes to \(port.address)")
  }
}
