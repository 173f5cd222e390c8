// SQLite blocks until the disk has what it was given. That happens on a thread of its own, never on one of the few
// that all asynchronous code shares.

import Glibc
import NIOPosix
import Synchronization

/// Runs an actor on one thread, which sleeps while there is nothing to do.
final class HostExecutor: SerialExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let thread = Mutex<pthread_t?>(nil)

  init() {
    pool.start()
    pool.submit { [weak self] _ in self?.thread.withLock { $0 = pthread_self() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    pool.submit { _ in job.runSynchronously(on: executor) }
  }

  /// Runs the closure on the thread, without the detour over the shared ones that starting a task takes.
  func submit(_ body: @escaping @Sendable () -> Void) {
    pool.submit { _ in body() }
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the host's thread")
  }

  func isIsolatingCurrentContext() -> Bool? {
    thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } } ?? false
  }

  /// Ends the thread once everything that was submitted has run.
  func shutDown() async {
    try? await pool.shutdownGracefully()
  }
}
