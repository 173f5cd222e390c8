import CMemory
import NIOCore
import Synchronization

/// A timer that returns the memory of closed connections to the kernel. The allocator keeps it in holes all over its
/// heaps, and later allocations make further holes, so resident memory would grow as long as clients come and go.
final class HeapTrimmer: Sendable {
  /// The time between two trims, of a millisecond or two each, while connections come and go.
  private static let interval = TimeAmount.seconds(2)

  /// The time for which parts of a closed connection may still be held: TLS waits five seconds for `close_notify`.
  private static let lag = TimeAmount.seconds(5)

  /// The time at which the last connection closed; nil once its memory is returned.
  private let lastClose = Mutex<NIODeadline?>(nil)
  private let trim: @Sendable () -> Void

  init(trim: @escaping @Sendable () -> Void = { malloc_trim(0) }) {
    self.trim = trim
  }

  /// Schedules a trim. No timer runs once all memory is returned, so an idle daemon does not wake.
  func connectionHasClosed(on eventLoop: any EventLoop) {
    let wasWaiting = lastClose.withLock { exchange(&$0, with: eventLoop.now) != nil }
    if !wasWaiting { wait(on: eventLoop) }
  }

  private func wait(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: Self.interval) { [self] in
      trim()
      let goesOn = lastClose.withLock { lastClose in
        if let close = lastClose, eventLoop.now - close > Self.lag { lastClose = nil }
        return lastClose != nil
      }
      if goesOn { wait(on: eventLoop) }
    }
  }
}
