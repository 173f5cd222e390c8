import ServiceLifecycle

/// A part that works by itself until the daemon ends.
struct RunningPart: Service {
  /// Returns when the part has ended.
  let stop: @Sendable () async -> Void

  func run() async {
    try? await gracefulShutdown()
    await stop()
  }
}

/// Applies what is submitted: the first service to start, and the last to stop.
struct HostService: Service {
  let host: Host
  let queue: InputQueue

  func run() async {
    async let ended: Void = withTaskExecutorPreference(host.executor) { await host.run() }
    try? await gracefulShutdown()
    queue.close()
    await ended
    await host.executor.shutDown()
  }
}
