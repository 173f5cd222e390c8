// A gateway of a fleet: the push port of `deskbell serve`, with the fleet's servers behind it instead of handsets. It
// stores nothing but its certificate, so a fleet may have any number of gateways.

import Clocks
import FleetLink
import FleetMember
import Host
import Logging
import NIOCore
import PushPort
import ServiceLifecycle

/// The part of a gateway behind its port: it judges pushes by the registry, stores them in the fleet's stream, and keeps
/// the registry up to date.
public final class FleetGateway: Service {
  /// The receiver of the port's requests.
  public let receiver: any PushReceiver & KeyedReceiver & PublishingReceiver
  private let connection: FleetConnection
  private let registry: FleetRegistry
  private let providers: FleetProviders
  private let began = SystemClock.wallTime()

  private var logger: Logger { connection.logger }

  /// - Parameter environment: the one of Apple's two services that the gateway emulates.
  public init(_ connection: FleetConnection, environment: PushEnvironment) throws {
    self.connection = connection
    registry = FleetRegistry(environment: environment.rawValue)
    providers = try FleetProviders(environment: environment, logger: connection.logger)
    receiver = FleetReceiver(connection, registry: registry, providers: providers)
    connection.nats.subscribe(to: FleetNames.roll) { [weak self] _ in self?.answerRoll() }
  }

  /// The providers of all desks.
  public var directory: ProviderDirectory { providers.directory }

  /// True if the whole registry was read, so that pushes can be judged.
  public var isReady: Bool { registry.isComplete && providers.isComplete }

  public func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: TaskThreads.shared) { await self.readTokens() }
      group.addTask(executorPreference: TaskThreads.shared) { await self.readProviders() }
      let pulse = connection.eventLoop.scheduleRepeatedTask(
        initialDelay: FleetConnection.pulse, delay: FleetConnection.pulse
      ) { [weak self] _ in self?.answerRoll() }
      try? await gracefulShutdown()
      pulse.cancel()
      group.cancelAll()
    }
  }

  private func readTokens() async {
    await connection.jetStream.watch(FleetNames.tokens) {
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
    await connection.jetStream.watch(FleetNames.providers) {
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
    guard isReady else { return }
    connection.show(nil)
    logger.notice("\(connection.device): knows \(registry.count) tokens")
    answerRoll()
  }

  private func answerRoll() {
    var record = AliveRecord(
      gateway: connection.name, version: connection.version, tokens: registry.count,
      since: began.microseconds / 1_000)
    record.ready = isReady
    connection.answerRoll(record)
  }
}
