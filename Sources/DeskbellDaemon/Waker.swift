// Nothing due means no wake-up. What is due has one timer, on the earlier of the handset's two clocks.

import HandsetCore
import NIOCore
import Synchronization

/// Calls back when the handset wants to be woken.
final class Waker: Sendable {
  private let eventLoop: any EventLoop
  private let clock: any Clock
  private let pending = Mutex<(deadline: Deadline, timer: Scheduled<Void>)?>(nil)

  init(eventLoop: any EventLoop, clock: any Clock) {
    self.eventLoop = eventLoop
    self.clock = clock
  }

  /// Forgets the deadline before.
  /// - Parameter deadline: nil for none.
  func set(_ deadline: Deadline?, _ wake: @escaping @Sendable () -> Void) {
    pending.withLock { pending in
      guard pending?.deadline != deadline else { return }
      pending?.timer.cancel()
      pending = deadline.map { ($0, eventLoop.scheduleTask(in: delay(until: $0), wake)) }
    }
  }

  /// Asks for the same deadline again count as new: it came, and could not be dealt with.
  func forget() {
    pending.withLock { pending in
      pending?.timer.cancel()
      pending = nil
    }
  }

  private func delay(until deadline: Deadline) -> TimeAmount {
    let now = clock.now()
    let byUptime = deadline.uptime.map { ($0 - now.uptime).inMicroseconds }
    let byWall = deadline.wall.map { $0.microseconds.subtractingReportingOverflow(now.wall.microseconds) }
      .map { $0.overflow ? Int64.max : $0.partialValue }
    // A wall clock that is set meanwhile makes this early or late; a day at most, then it is looked at again.
    let microseconds = min(byUptime ?? .max, byWall ?? .max, 24 * 3600 * 1_000_000)
    // One more, so that what is due is past when the timer fires.
    return .microseconds(max(microseconds, 0) + 1)
  }
}
