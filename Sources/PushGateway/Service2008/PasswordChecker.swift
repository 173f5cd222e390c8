// Checking a password is made to be slow, so strangers must not have it done as often as they like: one thread does it,
// behind all others, and whoever finds too many waiting is sent away.

import Glibc
import NIOPosix
import Synchronization

/// Checks one password after the other, on a thread of its own: never more than one check's memory, nor more than one
/// core, and that behind what serves pushes.
public final class PasswordChecker: Sendable {
  private struct Waiting {
    var count = 0
    var byAddress: [String: Int] = [:]
    /// Nobody who sends no password needs the thread.
    var isStarted = false
  }

  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let waiting = Mutex(Waiting())
  private let limit: Int
  private let addressLimit: Int

  /// - Parameters:
  ///   - waiting: checks that may wait for their turn, the one that runs included.
  ///   - perAddress: those of clients at one address.
  public init(waiting limit: Int, perAddress addressLimit: Int) {
    self.limit = limit
    self.addressLimit = addressLimit
  }

  deinit {
    if waiting.withLock({ $0.isStarted }) { pool.shutdownGracefully { _ in } }
  }

  /// Whether the hash is of that password; nil where too many wait already.
  /// - Parameter address: whoever asks, as `perAddress` counts them.
  public func check(_ password: [UInt8], against hash: PasswordHash, from address: String) async -> Bool? {
    let isTaken = waiting.withLock { waiting in
      guard waiting.count < limit, waiting.byAddress[address, default: 0] < addressLimit else { return false }
      waiting.count += 1
      waiting.byAddress[address, default: 0] += 1
      if !waiting.isStarted {
        waiting.isStarted = true
        start()
      }
      return true
    }
    guard isTaken else { return nil }
    return await withCheckedContinuation { continuation in
      pool.submit { state in
        let isRight = state == .active ? hash.isOf(password) : nil
        self.waiting.withLock { waiting in
          waiting.count -= 1
          let left = (waiting.byAddress[address] ?? 1) - 1
          waiting.byAddress[address] = left > 0 ? left : nil
        }
        continuation.resume(returning: isRight)
      }
    }
  }

  private func start() {
    pool.start()
    // On Linux a priority is a thread's. This one gets a third of what another gets, and not nothing: on a board that is
    // busy, providers should get in all the same.
    pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5) }
  }
}
