import ServiceLifecycle

/// Applies what is submitted: the first service to start, and the last to stop.
struct HostService: Service {
  let host: Host
  let queue: InputQueue

  func run() async {
    async let ended: Void = host.run()
    try? await gracefulShutdown()
    queue.close()
    await ended
    await host.executor.shutDown()
  }
}
