import Glibc
import NIOPosix
import Synchronization

/// A checker of passwords, one after the other on a thread of its own, because a check is slow on purpose. It uses at
/// most one check's memory and one core, at a lower priority than the threads that serve pushes. Known clients go
/// first, however many others wait. A check is refused while too many wait.
public final class PasswordChecker: Sendable {
  private struct Check {
    var password: [UInt8]
    var hash: PasswordHash
    var address: String
    var answer: CheckedContinuation<Bool?, Never>
  }

  /// The waiting checks: known clients' first, of each kind the oldest first.
  struct Turns<Check> {
    private var (known, unknown): ([Check], [Check]) = ([], [])

    mutating func add(_ check: Check, _ isKnown: Bool) {
      if isKnown { known.append(check) } else { unknown.append(check) }
    }

    mutating func next() -> Check? {
      if known.isEmpty && unknown.isEmpty { return nil }
      return known.isEmpty ? unknown.removeFirst() : known.removeFirst()
    }
  }

  private struct Waiting {
    /// The number of checks, including the running one.
    var count = 0
    var byAddress: [String: Int] = [:]
    var turns = Turns<Check>()
    var isStarted = false
  }

  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let waiting = Mutex(Waiting())
  private let limit: Int
  private let kept: Int
  private let addressLimit: Int

  /// - Parameters:
  ///   - waiting: checks that may wait for their turn, including the running one.
  ///   - kept: those of these places that only known clients get.
  ///   - perAddress: those that clients at one address may have.
  public init(waiting limit: Int, kept: Int = 0, perAddress addressLimit: Int) {
    self.limit = limit
    self.kept = kept
    self.addressLimit = addressLimit
  }

  deinit {
    if waiting.withLock({ $0.isStarted }) { pool.shutdownGracefully { _ in } }
  }

  /// Returns true if the hash is of that password; nil if too many checks wait already.
  /// - Parameters:
  ///   - address: the client's address, as `perAddress` counts checks.
  ///   - isKnown: true if a password was right from there before: its turn is before all others'.
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
        pool.start()
        // On Linux a priority belongs to a thread. Nice 5 leaves a third of another thread's share: providers can still
        // authenticate while the board is busy.
        pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5) }
      }
      return true
    }
    guard isTaken else { return nil }
    return await withCheckedContinuation { continuation in
      let check = Check(password: password, hash: hash, address: address, answer: continuation)
      waiting.withLock { $0.turns.add(check, isKnown) }
      pool.submit { state in self.runNext(isActive: state == .active) }
    }
  }

  /// Runs the next check; called once for each.
  private func runNext(isActive: Bool) {
    guard let next = waiting.withLock({ $0.turns.next() }) else { return }
    let isRight = isActive ? next.hash.isOf(next.password) : nil
    waiting.withLock { waiting in
      waiting.count -= 1
      let left = (waiting.byAddress[next.address] ?? 1) - 1
      waiting.byAddress[next.address] = left > 0 ? left : nil
    }
    next.answer.resume(returning: isRight)
  }
}
