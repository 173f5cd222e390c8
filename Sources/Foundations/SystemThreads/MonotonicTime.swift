import Glibc

/// Returns the time of CLOCK_MONOTONIC: real time, unaffected by setting the clock.
@Sendable public func monotonicTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
