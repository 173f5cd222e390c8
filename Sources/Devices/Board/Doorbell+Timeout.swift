// Poll counts milliseconds; a lamp's edges need a finer timeout.

import Glibc
import HandsetCore
import SystemThreads

extension Doorbell {
  /// Waits until the bell was rung (and resets it), a descriptor is readable, or the timeout has passed.
  /// - Parameter timeout: nil waits without end.
  func wait(timeout: Duration?, or descriptors: [Int32] = []) {
    var others = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let milliseconds = timeout.map { Int32(clamping: $0.inMicroseconds / 1_000) }
    switch wait(with: &others, milliseconds: milliseconds ?? -1) {
    case .rung: clear()
    case .ready: return
    case .timedOut:
      guard let timeout, let milliseconds else { return }
      // The remaining fraction is slept. More than that remains only after a month; the caller then waits again.
      var rest = timespec(timeout - .milliseconds(milliseconds))
      if rest.tv_sec == 0 { nanosleep(&rest, nil) }
    }
  }
}
