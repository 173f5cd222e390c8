// The only place that reads the clocks. All other code receives the time as a value.

import Glibc
import HandsetCore

/// A source of moments.
public protocol Clock: Sendable {
  func now() -> Moment
  /// Whether real time moves it. Otherwise its owner moves it, and wakes what depends on it.
  var runsByItself: Bool { get }
}

extension Clock {
  public var runsByItself: Bool { true }

  /// The uptime on this clock at an uptime of the system, with which devices stamp their reports.
  public func uptime(ofSystem uptime: Duration) -> Duration { runsByItself ? uptime : now().uptime }
}

/// The system's own clocks: CLOCK_MONOTONIC, which the kernel also stamps GPIO edges with, and CLOCK_REALTIME.
public struct SystemClock: Clock {
  public init() {}

  public func now() -> Moment {
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
