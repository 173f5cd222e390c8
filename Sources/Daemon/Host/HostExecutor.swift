// SQLite blocks until its data is on the disk. That happens on a separate thread, never on one of the few that all
// asynchronous code shares.

import NIOPosix

/// An executor with one thread, which sleeps while there is nothing to do. A task that prefers it continues there after
/// each wait, without a switch to the shared threads.
public final class HostExecutor: SerialExecutor, TaskExecutor {
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() {
    pool.start()
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
    pool.submit { _ in job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
  }

  /// Runs the closure on the thread, without the switch to the shared threads that starting a task takes.
  public func submit(_ body: @escaping @Sendable () -> Void) {
    pool.submit { _ in body() }
  }

  /// Returns once all work that waits for the thread has run.
  func othersFirst(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in submit { continuation.resume() } }
  }

  /// Ends the thread. Nothing may run on it afterwards.
  public func shutDown() async {
    try? await pool.shutdownGracefully()
  }
}
