// Swift's default executor on Linux is libdispatch, whose worker threads are watched by a timer that fires once a
// second while the program runs. Nothing due should mean no wake-up, so tasks run on our own threads.

import NIOPosix

/// The threads that tasks run on, for slow work, commands and the control API. Pushes do not use tasks.
public final class TaskThreads: TaskExecutor {
  public static let shared = TaskThreads(count: 2)

  private let pool: NIOThreadPool

  private init(count: Int) {
    pool = NIOThreadPool(numberOfThreads: count)
    pool.start()
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    pool.submit { _ in job.runSynchronously(on: executor) }
  }
}
