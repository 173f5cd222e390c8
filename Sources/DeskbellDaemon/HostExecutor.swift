// SQLite blocks until the disk has what it was given. That happens on a thread of its own, never on one of the few
// that all asynchronous code shares.

import NIOPosix

/// Runs an actor on one thread, which sleeps while there is nothing to do.
final class HostExecutor: SerialExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() {
    pool.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    pool.submit { _ in job.runSynchronously(on: executor) }
  }

  /// Ends the thread once everything that was enqueued has run.
  func shutDown() async {
    try? await pool.shutdownGracefully()
  }
}
