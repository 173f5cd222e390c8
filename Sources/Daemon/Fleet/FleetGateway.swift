// A gateway of a fleet: the push port of `deskbell serve`, with the engine behind it instead of handsets. It stores
// nothing but its certificate, so a fleet may have any number of gateways.

import Clocks
import FleetLink
import FoundationEssentials
import HandsetCore
import Host
import Logging
import NATSClient
import NIOCore
import NIOPosix
import PushPort
import ServerIdentity
import ServiceLifecycle
import ServiceManager

/// All parts of a running gateway.
struct FleetGateway: RunningDaemon {
  let gateway: PortService
  let greeting: String
  private let services: [any Service]

  init(_ configuration: Configuration, manager: ServiceManager, logger: Logger) async throws {
    guard let settings = configuration.fleet, let member = settings.gateway else {
      throw DaemonError(
        "a gateway needs a settings file with fleet: { servers: […], gateway: NAME, seed: FILE, ca: FILE }; "
          + "'deskbell fleet add NAME --gateway' writes one")
    }
    try configuration.refuseProblems(hasPanelPassword: nil)
    try await settings.refuseOldServers()
    let eventLoops = MultiThreadedEventLoopGroup.singleton
    let runtime = Runtime(
      configuration: configuration, manager: manager, clock: SystemClock(),
      alarms: WallAlarms(timer: try KernelWallTimer()), devices: DeviceTable { manager.show($0) },
      eventLoops: eventLoops, logger: logger,
      outsideLogger: LogMeter.logger(over: logger, eventLoop: eventLoops.next()))
    let connection = try FleetConnection(member, settings, runtime: runtime)
    let registry = FleetRegistry(environment: configuration.pushEnvironment.rawValue)
    let providers = try FleetProviders(environment: configuration.pushEnvironment, logger: runtime.outsideLogger)
    let receiver = FleetReceiver(
      named: member.name, registry: registry, providers: providers, storage: FleetStorage(connection),
      logger: runtime.outsideLogger)
    gateway = try await PortService(
      runtime, receiver: receiver, providers: providers.directory, tls: ServerTLS()
    ) { registry.isComplete && providers.isComplete }
    let reading = RegistryReading(
      name: member.name, registry: registry, providers: providers, connection: connection,
      logger: runtime.outsideLogger)
    connection.nats.subscribe(to: FleetNames.roll) { _ in reading.answerRoll() }
    services = [
      RunningPart {
        connection.nats.end()
        await runtime.alarms.stop()
      },
      reading, gateway,
    ]
    greeting = "ready: a gateway for pushes to \(gateway.address), fleet of \(settings.servers.count) servers"
    runtime.devices.show("pushes to \(gateway.address)")
  }

  func group(logger: Logger) -> ServiceGroup {
    ServiceGroup(configuration: .init(services: services, logger: logger))
  }
}

/// The task that keeps the registry up to date.
private struct RegistryReading: Service {
  let name: String
  let registry: FleetRegistry
  let providers: FleetProviders
  let connection: FleetConnection
  let logger: Logger
  let began = SystemClock.wallTime()

  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) { await readTokens() }
      group.addTask(executorPreference: TaskThreads.shared) { await readProviders() }
      let pulse = connection.eventLoop.scheduleRepeatedTask(
        initialDelay: FleetConnection.pulse, delay: FleetConnection.pulse
      ) { _ in answerRoll() }
      try? await gracefulShutdown()
      pulse.cancel()
      group.cancelAll()
    }
  }

  private func readTokens() async {
    await StreamWatch(FleetNames.tokens, over: connection.nats, eventLoop: connection.eventLoop).run {
      if let problem = registry.take($0.message) {
        logger.warning("\(connection.device): \($0.message.subject) is left out: \(problem)")
      }
    } complete: {
      registry.complete()
      show()
    } failed: {
      registry.lose()
      connection.show("the registry cannot be read: \($0)")
    }
  }

  private func readProviders() async {
    await StreamWatch(FleetNames.providers, over: connection.nats, eventLoop: connection.eventLoop).run {
      providers.take($0)
    } idle: {
      if providers.isComplete { providers.build() }
    } complete: {
      providers.complete()
      show()
    } failed: {
      connection.show("the registry cannot be read: \($0)")
    }
  }

  private func show() {
    guard registry.isComplete, providers.isComplete else { return }
    connection.show(nil)
    logger.notice("\(connection.device): knows \(registry.count) tokens")
    answerRoll()
  }

  /// Publishes that the gateway is connected.
  func answerRoll() {
    var record = AliveRecord(
      gateway: name, version: Daemon.version, tokens: registry.count, since: began.microseconds / 1_000)
    record.ready = registry.isComplete && providers.isComplete
    guard let payload = try? JSONEncoder().encode(record) else { return }
    connection.nats.publish(NATSMessage(subject: FleetNames.alive(name), payload: Array(payload)))
  }
}
