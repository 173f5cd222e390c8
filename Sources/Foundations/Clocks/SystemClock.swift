// The only place that reads the clocks. All other code receives the time as a value.

import Glibc
import HandsetCore
import SystemThreads

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

  public static func uptime() -> Duration { monotonicTime() }

  /// Returns the processor time of this thread, without its waits.
  public static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  public static func wallTime() -> WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }
}
