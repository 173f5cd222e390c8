import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// An executor with one thread, which sleeps while there is nothing to do: SQLite blocks until its data is on the disk. A
/// task that prefers it continues there after each wait, without a switch to the shared threads. Another thread may lend
/// itself for one job.
public final class HostExecutor: SerialExecutor, TaskExecutor {
  /// A batch that took longer waited for the disk, for which no event loop should wait.
  private static let quickBatch = Duration.microseconds(500)

  private struct State {
    var jobs = CircularBuffer<@Sendable () -> Void>()
    /// True while a thread runs jobs, or is about to.
    var isBusy = false
    /// The thread that runs the next job; nil for the executor's own.
    var lender: pthread_t?
    var isQuick = false

    /// Returns true if no job is left, and then no thread is busy.
    mutating func rests() -> Bool {
      isBusy = !jobs.isEmpty
      return !isBusy
    }

    mutating func next() -> (@Sendable () -> Void)? { rests() ? nil : jobs.removeFirst() }
  }

  private let state = Mutex(State())
  private let pool = NIOThreadPool(numberOfThreads: 1)

  init() {
    pool.start()
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
    submit { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
  }

  /// Runs the closure on the thread, without the switch to the shared threads that starting a task takes.
  public func submit(_ body: @escaping @Sendable () -> Void) {
    let (starts, isLent) = state.withLock { state in
      state.jobs.append(body)
      defer { state.isBusy = true }
      return (!state.isBusy, state.lender == pthread_self())
    }
    guard starts else { return }
    if isLent {
      state.withLock { $0.next() }?()
      if state.withLock({ $0.rests() }) { return }
    }
    pool.submit { [self] _ in while let job = state.withLock({ $0.next() }) { job() } }
  }

  /// Calls `body`. The job that it enqueues runs on this thread if no other one runs, and if the last batch was quick;
  /// further jobs go to the executor's thread.
  func lend(_ body: () -> Void) {
    let isLent = state.withLock { state in
      guard state.isQuick, !state.isBusy, state.lender == nil else { return false }
      state.lender = pthread_self()
      return true
    }
    body()
    if isLent { state.withLock { $0.lender = nil } }
  }

  /// Notes the duration of a batch with its wait for the disk.
  func note(_ duration: Duration) {
    state.withLock { $0.isQuick = duration < HostExecutor.quickBatch }
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
