import Glibc

/// CLOCK_MONOTONIC: real time, which setting the clock does not change.
@Sendable public func monotonicTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
