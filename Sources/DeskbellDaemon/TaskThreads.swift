// Swift's own executor on Linux is libdispatch, whose worker threads are watched by a timer that fires once a second
// for as long as the program runs. Nothing due should mean no wake-up, so tasks run on threads of ours, which only wait.

import NIOPosix

/// The threads that tasks run on: for what may take its time, commands and the control API. Pushes do without tasks.
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
