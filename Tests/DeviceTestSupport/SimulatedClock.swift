// Virtual time for boards in tests: a wait is over at once, and the clock shows that it took place.

import Board
import Synchronization

/// A clock that moves when somebody waits or moves it.
public final class SimulatedClock: BoardClock {
  private let uptime: Mutex<Duration>

  public init(uptime: Duration = .zero) {
    self.uptime = Mutex(uptime)
  }

  public func now() -> Duration { uptime.withLock { $0 } }

  public func wait(until end: Duration) {
    uptime.withLock { $0 = max($0, end) }
  }

  /// Nil: only `wait` moves this clock.
  public func realTime(until uptime: Duration) -> Duration? { uptime <= now() ? .zero : nil }
}
