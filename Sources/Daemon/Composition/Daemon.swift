import AppLink
import Clocks
import Glibc
import Host
import Logging
import ServiceManager
import Services

/// A daemon that runs until a signal ends it. A missing device, or a server that does not answer, does not prevent its
/// start.
struct RunningDaemon: Sendable {
  let port: PortService
  let greeting: String
  /// The services in the order in which they start; they stop in reverse order.
  let services: [any Service]
}

public enum Daemon {
  public static let version = "1.0.0"

  /// Runs the appliance until SIGTERM or SIGINT.
  public static func run(_ options: DaemonOptions) async throws(DaemonError) {
    try await run(options) { try await RunningDaemon(appliance: $0, manager: $1, logger: $2) }
  }

  /// Runs a gateway of a fleet until SIGTERM or SIGINT.
  public static func runGateway(_ options: DaemonOptions) async throws(DaemonError) {
    try await run(options) { try await RunningDaemon(gateway: $0, manager: $1, logger: $2) }
  }

  private static func run(
    _ options: DaemonOptions, _ make: (Configuration, ServiceManager, Logger) async throws -> RunningDaemon
  ) async throws(DaemonError) {
    do {
      let written = try Configuration(options)
      var configuration = written
      let logger = logger(Logger.Level(rawValue: configuration.logLevel.rawValue) ?? .info)
      let manager = try ServiceManager(logger: logger)
      configuration.use(manager.sockets, logger: logger)
      ProcessLimits.raiseDescriptors(for: configuration.limits, logger: logger)
      ProcessLimits.setAllocatorThresholds()
      do throws(AppLinkError) {
        try AppLink.adoptOrphans()
      } catch {
        logger.warning("\(error)")
      }
      let daemon = try await make(configuration, manager, logger)
      // Only now: a start that failed may have named the folder of a bench that runs.
      defer { written.bench?.removeFolder() }
      let port = daemon.port
      let ready = ReadyService(greeting: daemon.greeting, manager: manager, logger: logger)
      let group = ServiceGroup(daemon.services + [ready])
      // Without a service manager a hangup has its usual meaning: the terminal is closed, so the daemon ends.
      let signals = [SIGTERM, SIGINT] + (manager.isPresent ? [SIGHUP] : [])
      try await Signals.listen(for: signals) { number in
        Task(executorPreference: TaskThreads.shared) {
          if number == SIGHUP {
            manager.reloading(at: SystemClock().now().uptime)
            written.reload(by: options, logger: logger, use: port.use)
            manager.ready()
          } else {
            manager.stopping()
            group.stop()
          }
        }
      }
      try written.bench?.endWithInput()
      try await group.run()
    } catch {
      throw DaemonError(describing: error)
    }
  }

  /// Runs without board and clients while `work` runs, so that certificates, apps and providers exist before the daemon
  /// is started regularly.
  /// - Throws: the error that prevents the start, and what `work` throws.
  public static func prepare<Value: Sendable>(
    config: String, work: @Sendable (_ controlSocket: String) async throws -> Value
  ) async throws -> Value {
    var configuration = try Configuration(DaemonOptions(config: config, logLevel: .error))
    (configuration.board, configuration.display) = (nil, nil)
    configuration.panel = nil
    configuration.fleet = nil
    // Setup has just shown the device problems.
    let logger = logger(.critical)
    let group: ServiceGroup
    do {
      // The service manager waits for the daemon, not for this run.
      let nobody = try ServiceManager(variable: { _ in nil }, logger: logger)
      group = ServiceGroup(
        try await RunningDaemon(appliance: configuration, manager: nobody, logger: logger).services)
    } catch {
      throw DaemonError(describing: error)
    }
    return try await withThrowingTaskGroup(of: Void.self, returning: Value.self) { tasks in
      tasks.addTask { try await group.run() }
      let value: Value
      do {
        value = try await work(configuration.controlSocket)
      } catch {
        group.stop()
        try? await tasks.waitForAll()
        throw error
      }
      group.stop()
      try await tasks.waitForAll()
      return value
    }
  }

  private static func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "deskbell") { _ in JournalLogHandler() }
    logger.logLevel = level
    return logger
  }
}
