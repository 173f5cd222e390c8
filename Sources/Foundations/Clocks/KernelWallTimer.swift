import CFileDescriptors
import Glibc
import HandsetCore
import SystemThreads

/// A timerfd on CLOCK_REALTIME: the kernel cancels it when that clock is set, and causes no wake-up before a deadline.
public final class KernelWallTimer: WallTimer {
  private let descriptor: Int32

  /// The year 2200. Without a deadline the timer must still be armed, or it would not report that the clock was set.
  static let never = WallTime(seconds: 7_258_118_400)

  /// - Throws: `ClockError` if the process has no descriptors left.
  public init() throws(ClockError) {
    descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC))
    guard descriptor >= 0 else {
      throw ClockError(description: "no timer on the wall clock: \(SystemError.last.reason)")
    }
  }

  deinit { close(descriptor) }

  public func arm(at time: WallTime?) -> Bool {
    let microseconds = max(1, min(time ?? KernelWallTimer.never, KernelWallTimer.never).microseconds)
    var value = itimerspec()
    value.it_value.tv_sec = Int(microseconds / 1_000_000)
    value.it_value.tv_nsec = Int(microseconds % 1_000_000) * 1_000
    // ECANCELED reports that the clock was set; the timer is armed all the same.
    let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
    return timerfd_settime(descriptor, flags, &value, nil) != 0 && errno == ECANCELED
  }

  public func wait() -> Bool {
    var expirations: UInt64 = 0
    while read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations)) < 0 {
      if errno == ECANCELED { return true }
      if errno != EINTR { break }
    }
    return false
  }
}
