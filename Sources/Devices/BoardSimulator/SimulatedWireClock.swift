import Board
import Synchronization
import SystemThreads

/// The clock for the wires of a simulated board. The pauses of a pulse, in which a processor spins for a real chip, take no
/// time: they move this clock instead. Longer waits are real.
public final class SimulatedWireClock: BoardClock {
  /// The longest wait that takes no time.
  static let longestPause: Duration = .microseconds(60)

  /// The nanoseconds by which the clock is ahead of the machine's uptime.
  private let ahead = Atomic<Int64>(0)

  public init() {}

  public func now() -> Duration { monotonicTime() + .nanoseconds(ahead.load(ordering: .relaxed)) }

  public func wait(until uptime: Duration) {
    let left = uptime - now()
    guard left > .zero else { return }
    if left > SimulatedWireClock.longestPause {
      MonotonicClock().wait(until: monotonicTime() + left)
    } else {
      // Rounded up, so that the wait never ends early.
      ahead.add((left.components.attoseconds + 999_999_999) / 1_000_000_000, ordering: .relaxed)
    }
  }

  public func realTime(until uptime: Duration) -> Duration? { max(uptime - now(), .zero) }
}
