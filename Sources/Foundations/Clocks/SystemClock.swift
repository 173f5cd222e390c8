// The only place that reads the clocks. All other code receives the time as a value.

import Glibc
import HandsetCore

/// A source of moments.
public protocol Clock: Sendable {
  func now() -> Moment
  /// True if real time moves it. Otherwise its owner moves it, and wakes what depends on it.
  var runsByItself: Bool { get }
}

extension Clock {
  public var runsByItself: Bool { true }

  /// Returns the uptime on this clock at an uptime of the system, with which devices stamp their reports.
  public func uptime(ofSystem uptime: Duration) -> Duration { runsByItself ? uptime : now().uptime }
}

/// The system's own clocks: CLOCK_MONOTONIC, which the kernel also stamps GPIO edges with, and CLOCK_REALTIME.
public struct SystemClock: Clock {
  public init() {}

  public func now() -> Moment { Moment(uptime: SystemClock.uptime(), wall: SystemClock.wallTime()) }

  public static func uptime() -> Duration {
    let time = read(CLOCK_MONOTONIC)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  public static func wallTime() -> WallTime {
    let time = read(CLOCK_REALTIME)
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
