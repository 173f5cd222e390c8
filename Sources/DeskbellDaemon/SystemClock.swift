// The only place that reads the clocks. Everybody else is told what time it is.

import Glibc
import HandsetCore

/// Tells the moment.
protocol Clock: Sendable {
  func now() -> Moment
}

/// The system's own clocks: CLOCK_MONOTONIC, which the kernel also stamps GPIO edges with, and CLOCK_REALTIME.
struct SystemClock: Clock {
  func now() -> Moment {
    let uptime = read(CLOCK_MONOTONIC)
    let wall = read(CLOCK_REALTIME)
    return Moment(
      uptime: .seconds(uptime.tv_sec) + .nanoseconds(uptime.tv_nsec),
      wall: WallTime(microseconds: Int64(wall.tv_sec) * 1_000_000 + Int64(wall.tv_nsec) / 1_000))
  }

  private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
