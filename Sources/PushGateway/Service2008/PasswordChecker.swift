// Checking a password is made to be slow, so strangers must not have it done as often as they like: one thread does it,
// behind all others, and whoever finds too many waiting is sent away.

import CMalloc
import Glibc
import NIOPosix
import Synchronization

/// Checks one password after the other, on a thread of its own: never more than one check's memory, nor more than one
/// core, and that behind what serves pushes.
final class PasswordChecker: Sendable {
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private struct Waiting {
    var count = 0
    var byAddress: [String: Int] = [:]
  }

  private let waiting = Mutex(Waiting())
  private let limit: Int
  private let addressLimit: Int
  /// Nobody who sends no password needs the thread.
  private let isStarted = Atomic(false)

  /// - Parameters:
  ///   - waiting: checks that may wait for their turn, the one that runs included.
  ///   - perAddress: those of clients at one address.
  init(waiting limit: Int, perAddress addressLimit: Int) {
    self.limit = limit
    self.addressLimit = addressLimit
  }

  deinit {
    if isStarted.load(ordering: .relaxed) { pool.shutdownGracefully { _ in } }
  }

  /// Nil where too many wait already.
  func check(_ password: [UInt8], against hash: PasswordHash, from address: String) async -> Bool? {
    let isTaken = waiting.withLock { waiting in
      guard waiting.count < limit, waiting.byAddress[address, default: 0] < addressLimit else { return false }
      waiting.count += 1
      waiting.byAddress[address, default: 0] += 1
      return true
    }
    guard isTaken else { return nil }
    if isStarted.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged {
      pool.start()
      // On Linux a priority is a thread's. This one gets a third of what another gets, and not nothing: on a board that
      // is busy, providers should get in all the same.
      pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5) }
    }
    return await withCheckedContinuation { continuation in
      pool.submit { state in
        let isRight = state == .active && hash.isOf(password)
        let isLast = self.waiting.withLock { waiting in
          waiting.count -= 1
          let left = (waiting.byAddress[address] ?? 1) - 1
          waiting.byAddress[address] = left > 0 ? left : nil
          return waiting.count == 0
        }
        // The allocator would keep the 16 MB of a check for the next.
        if isLast { malloc_trim(0) }
        continuation.resume(returning: isRight)
      }
    }
  }
}
