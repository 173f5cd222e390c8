// Virtual time for boards in tests: a wait ends at once, and the clock shows its end.

import Board
import Synchronization

/// A clock that moves by waits or by being set.
public final class SimulatedClock: BoardClock {
  private let uptime: Mutex<Duration>

  public init(uptime: Duration = .zero) {
    self.uptime = Mutex(uptime)
  }

  public func now() -> Duration { uptime.withLock { $0 } }

  public func wait(until end: Duration) {
    uptime.withLock { $0 = max($0, end) }
  }

  /// Returns nil for later times: only `wait` moves this clock.
  public func realTime(until uptime: Duration) -> Duration? { uptime <= now() ? .zero : nil }
}
