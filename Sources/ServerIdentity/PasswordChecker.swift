import Glibc
import NIOPosix
import Synchronization

/// Checks one password after the other on a thread of its own, because a check is slow on purpose: at most one check's memory
/// and one core, at a lower priority than the threads that serve pushes. A check is refused while too many wait.
public final class PasswordChecker: Sendable {
  private struct Waiting {
    var count = 0
    var byAddress: [String: Int] = [:]
    /// The thread starts with the first check.
    var isStarted = false
  }

  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let waiting = Mutex(Waiting())
  private let limit: Int
  private let kept: Int
  private let addressLimit: Int

  /// - Parameters:
  ///   - waiting: checks that may wait for their turn, the one that runs included.
  ///   - kept: places of these that only known clients get.
  ///   - perAddress: those of clients at one address.
  public init(waiting limit: Int, kept: Int = 0, perAddress addressLimit: Int) {
    self.limit = limit
    self.kept = kept
    self.addressLimit = addressLimit
  }

  deinit {
    if waiting.withLock({ $0.isStarted }) { pool.shutdownGracefully { _ in } }
  }

  /// Whether the hash is of that password; nil where too many wait already.
  /// - Parameters:
  ///   - address: the client's address, as `perAddress` counts checks.
  ///   - isKnown: whether a password was right from there before.
  public func check(
    _ password: [UInt8], against hash: PasswordHash, from address: String, isKnown: Bool = false
  ) async -> Bool? {
    let isTaken = waiting.withLock { waiting in
      guard waiting.count < limit - (isKnown ? 0 : kept), waiting.byAddress[address, default: 0] < addressLimit else {
        return false
      }
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
    // On Linux a priority belongs to a thread. Nice 5 leaves a third of another thread's share: providers can still
    // authenticate while the board is busy.
    pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5) }
  }
}
