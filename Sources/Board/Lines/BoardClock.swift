// Time is handed to the board, so that tests play hours in an instant and the drivers never look at a clock.

import Glibc
import SystemThreads

/// The uptime clock as the board sees it.
public protocol BoardClock: Sendable {
  /// Since the board booted.
  func now() -> Duration

  /// Returns when the clock shows `uptime` or later.
  func wait(until uptime: Duration)

  /// How long in real time until the clock shows `uptime`, zero where it does already; nil where real time does not
  /// move this clock, and its owner calls `Panel.wake()`.
  func realTime(until uptime: Duration) -> Duration?
}

/// CLOCK_MONOTONIC.
public struct MonotonicClock: BoardClock {
  /// Shorter waits spin: a sleep would take ten times as long as the pulse that it is for.
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
  /// Rounded up to the next nanosecond, so that a wait never ends early.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    self.init(
      tv_sec: Int(seconds) + Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
