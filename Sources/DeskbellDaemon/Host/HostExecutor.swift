// SQLite blocks until the disk has what it was given. That happens on a thread of its own, never on one of the few
// that all asynchronous code shares.

import NIOCore
import NIOPosix
import ServiceManager

/// Runs an actor on one thread, which sleeps while there is nothing to do. A task that prefers it goes on there after each
/// wait, without the detour over the shared threads.
final class HostExecutor: SerialExecutor, TaskExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() {
    pool.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
    pool.submit { _ in job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
  }

  /// Runs the closure on the thread, without the detour over the shared ones that starting a task takes.
  func submit(_ body: @escaping @Sendable () -> Void) {
    pool.submit { _ in body() }
  }

  /// Returns once all that waits for the thread has run.
  func othersFirst(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in submit { continuation.resume() } }
  }

  /// Ends the thread. Nothing is to run on it any more.
  func shutDown() async {
    try? await pool.shutdownGracefully()
  }
}

extension Watchdog {
  /// Nil where no service manager watches: then nothing wakes for it either.
  static func started(
    by manager: ServiceManager, asking host: HostExecutor, eventLoops: any EventLoopGroup
  ) -> Watchdog? {
    guard let timeout = manager.watchdogTimeout else { return nil }
    let watchdog = Watchdog(
      eventLoops: Array(eventLoops.makeIterator()), askHost: { host.submit($0) }, alive: manager.alive)
    watchdog.start(timeout: timeout)
    return watchdog
  }
}
