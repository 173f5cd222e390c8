// For load balancers and monitors: the health is good if a new push would be stored. Devices do not count, since each
// affects only itself; the metrics and 'deskbell state' have them.

import Host
import NIOCore

/// A check of the host's thread and, on that thread, of the store.
struct HealthCheck {
  let host: Host
  let eventLoop: any EventLoop
  /// The time that the host's thread has to answer. A commit on a slow SD card takes a second.
  var patience = TimeAmount.seconds(5)

  /// Answers within `patience`, even if the host does not.
  func report() async -> HealthReport {
    let silence = HealthReport(problems: ["the host's thread does not answer"])
    let (answers, answer) = AsyncStream.makeStream(of: HealthReport.self)
    let patience = eventLoop.scheduleTask(in: patience) { _ = answer.yield(silence) }
    Task(executorPreference: TaskThreads.shared) {
      let problem = await host.storeProblem()
      patience.cancel()
      answer.yield(HealthReport(problems: problem.map { ["nothing can be stored: \($0)"] } ?? []))
    }
    // The second answer is ignored.
    return await answers.first { _ in true } ?? silence
  }
}
