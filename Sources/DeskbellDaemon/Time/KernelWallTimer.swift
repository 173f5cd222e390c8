// The kernel knows when the wall clock is set, and wakes nobody before something is due.

import CTimerFD
import Glibc
import HandsetCore

/// timerfd on CLOCK_REALTIME, cancelled when that clock is set.
final class KernelWallTimer: WallTimer {
  private let descriptor: Int32

  /// Where nothing is due the timer still has to be armed, or it would not tell that the clock was set: the year 2200.
  static let never = WallTime(seconds: 7_258_118_400)

  init() throws(DaemonError) {
    descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC))
    guard descriptor >= 0 else {
      throw DaemonError("the kernel has no timer on the wall clock: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  func arm(at time: WallTime?) -> WallTimerNews {
    let microseconds = max(1, min(time ?? KernelWallTimer.never, KernelWallTimer.never).microseconds)
    var value = itimerspec()
    value.it_value.tv_sec = Int(microseconds / 1_000_000)
    value.it_value.tv_nsec = Int(microseconds % 1_000_000) * 1_000
    // It is armed also where this says that the clock was set.
    let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
    guard timerfd_settime(descriptor, flags, &value, nil) != 0 else { return .nothingElse }
    return errno == ECANCELED ? .clockWasSet : .nothingElse
  }

  func wait() -> WallTimerNews {
    var expirations: UInt64 = 0
    while read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations)) < 0 {
      if errno == ECANCELED { return .clockWasSet }
      if errno != EINTR { break }
    }
    return .nothingElse
  }
}
