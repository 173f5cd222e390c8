// Checking a password is made to be slow, so strangers must not have it done as often as they like: one thread does it,
// behind all others, and whoever finds too many waiting is sent away.

import Glibc
import NIOPosix
import Synchronization

/// Checks one password after the other, on a thread of its own: never more than one check's memory, nor more than one
/// core, and that at the lowest priority.
final class PasswordChecker: Sendable {
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let waiting = Mutex(0)
  private let limit: Int
  /// Nobody who sends no password needs the thread.
  private let isStarted = Atomic(false)

  /// - Parameter waiting: checks that may wait for their turn, the one that runs included.
  init(waiting limit: Int) {
    self.limit = limit
  }

  deinit {
    if isStarted.load(ordering: .relaxed) { pool.shutdownGracefully { _ in } }
  }

  /// Nil where too many wait already.
  func check(_ password: [UInt8], against hash: PasswordHash) async -> Bool? {
    let isTaken = waiting.withLock { waiting in
      guard waiting < limit else { return false }
      waiting += 1
      return true
    }
    guard isTaken else { return nil }
    if isStarted.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged {
      pool.start()
      // On Linux a priority is a thread's.
      pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) }
    }
    return await withCheckedContinuation { continuation in
      pool.submit { state in
        let isRight = state == .active && hash.isOf(password)
        self.waiting.withLock { $0 -= 1 }
        continuation.resume(returning: isRight)
      }
    }
  }
}
