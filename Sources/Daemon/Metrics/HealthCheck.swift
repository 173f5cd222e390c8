// For load balancers and monitors: the health is good if a new push would be stored. Devices do not count, since each
// affects only itself; the metrics and 'deskbell state' have them.

import Host
import NIOCore
import Synchronization

/// A check of the host's thread and, on that thread, of the store.
struct HealthCheck {
  let host: Host
  let eventLoop: any EventLoop
  /// The time that the host's thread has to answer. A commit on a slow SD card takes a second.
  var patience = TimeAmount.seconds(5)

  /// Answers within `patience`, even if the host does not.
  func report() async -> HealthReport {
    await withCheckedContinuation { continuation in
      let first = FirstAnswer(continuation)
      let patience = eventLoop.scheduleTask(in: patience) {
        first.give(HealthReport(problems: ["the host's thread does not answer"]))
      }
      Task(executorPreference: TaskThreads.shared) {
        let problem = await host.storeProblem()
        patience.cancel()
        first.give(HealthReport(problems: problem.map { ["nothing can be stored: \($0)"] } ?? []))
      }
    }
  }
}

/// The first of two answers; the second is ignored.
private final class FirstAnswer: Sendable {
  private let continuation: Mutex<CheckedContinuation<HealthReport, Never>?>

  init(_ continuation: CheckedContinuation<HealthReport, Never>) {
    self.continuation = Mutex(continuation)
  }

  func give(_ report: HealthReport) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: report)
  }
}
