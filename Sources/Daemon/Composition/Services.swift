import Host
import Logging
import ServiceManager
import Services

/// A part that runs by itself until the daemon ends.
struct RunningPart: Service {
  let end: @Sendable () async -> Void

  func run(until stop: StopRequest) async {
    await stop.wait()
    await end()
  }
}

/// The servers. They end together, so that none waits for the clients of another one.
struct Ports: Service {
  let services: [any Service]

  func run(until stop: StopRequest) async {
    await withDiscardingTaskGroup { group in
      for service in services {
        group.addTask(executorPreference: TaskThreads.shared) { try? await service.run(until: stop) }
      }
    }
  }
}

/// The host as a service: the first one to start, and the last to stop.
struct HostService: Service {
  let host: Host
  let queue: InputQueue

  /// - Throws: the error if the host ends prematurely.
  func run(until stop: StopRequest) async throws {
    stop.whenMade { [queue] in queue.close() }
    let ended = await Task(executorPreference: host.executor) { try await host.run() }.result
    await host.executor.shutDown()
    try ended.get()
  }
}

/// The end of the start: the memory that only the start needed is returned, and the daemon is reported as ready.
struct ReadyService: Service {
  let greeting: String
  let manager: ServiceManager
  let logger: Logger

  func run(until stop: StopRequest) async {
    // The other services' first work comes first: it touches much of the program once.
    for _ in 0..<4 { await Task.yield() }
    IdleMemory.giveAllBack()
    logger.notice("\(greeting)")
    manager.ready()
    await stop.wait()
  }
}
