// The only place that reads the clocks. Everybody else is told what time it is.

import Glibc
import HandsetCore

/// Tells the moment.
protocol Clock: Sendable {
  func now() -> Moment
  /// Whether real time moves it. Otherwise somebody does, and wakes those that go by it.
  var runsByItself: Bool { get }
}

extension Clock {
  var runsByItself: Bool { true }

  /// That uptime of the system's as this clock has it: a device stamps what it did with the system's clock.
  func uptime(ofSystem uptime: Duration) -> Duration { runsByItself ? uptime : now().uptime }
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
