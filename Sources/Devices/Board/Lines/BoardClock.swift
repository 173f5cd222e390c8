import Glibc
import SystemThreads

/// The clock of a board, passed to it so that tests simulate hours in an instant.
public protocol BoardClock: Sendable {
  /// Returns the time since the board booted.
  func now() -> Duration

  /// Waits until the clock shows `uptime` or later.
  func wait(until uptime: Duration)

  /// Returns the real time until the clock shows `uptime`, zero if it already does; nil if real time does not move this
  /// clock and its owner calls `Front.wake()`.
  func realTime(until uptime: Duration) -> Duration?
}

public struct MonotonicClock: BoardClock {
  /// The shortest wait that sleeps; shorter ones spin, because a sleep would take ten times as long as the pulse.
  static let spinLimit: Duration = .microseconds(60)

  public init() {}

  public func now() -> Duration { monotonicTime() }

  public func wait(until uptime: Duration) {
    if uptime - now() > MonotonicClock.spinLimit {
      var time = timespec(uptime)
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
    while now() < uptime {}
  }

  public func realTime(until uptime: Duration) -> Duration? {
    max(uptime - now(), .zero)
  }
}

extension timespec {
  /// Converts a duration, rounded up to the next nanosecond so that a wait never ends early.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    self.init(
      tv_sec: Int(seconds) + Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
