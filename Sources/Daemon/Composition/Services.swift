import Host
import Logging
import ServiceLifecycle
import ServiceManager

/// A service with a name for the lifecycle library, which would else make one of all that the service contains: a tenth of
/// the start.
struct NamedService: Service, CustomStringConvertible {
  let service: any Service

  var description: String { "\(type(of: service))" }

  func run() async throws { try await service.run() }
}

/// A part that runs by itself until the daemon ends.
struct RunningPart: Service {
  let stop: @Sendable () async -> Void

  func run() async {
    try? await gracefulShutdown()
    await stop()
  }
}

/// The servers. They end together, so that none waits for the clients of another one.
struct Ports: Service {
  let services: [any Service]

  func run() async {
    await withDiscardingTaskGroup { group in
      for service in services { group.addTask(executorPreference: TaskThreads.shared) { try? await service.run() } }
    }
  }
}

/// The host as a service: the first one to start, and the last to stop.
struct HostService: Service {
  let host: Host
  let queue: InputQueue

  /// - Throws: the error if the host ends prematurely.
  func run() async throws {
    let running = Task(executorPreference: host.executor) { try await host.run() }
    let ended = await withTaskCancellationOrGracefulShutdownHandler {
      await running.result
    } onCancelOrGracefulShutdown: {
      queue.close()
    }
    await host.executor.shutDown()
    try ended.get()
  }
}

/// The end of the start: the memory that only the start needed is returned, and the daemon is reported as ready.
struct ReadyService: Service {
  let greeting: String
  let manager: ServiceManager
  let logger: Logger

  func run() async throws {
    // The other services' first work comes first: it touches much of the program once.
    for _ in 0..<4 { await Task.yield() }
    IdleMemory.giveAllBack()
    logger.notice("\(greeting)")
    manager.ready()
    try await gracefulShutdown()
  }
}
