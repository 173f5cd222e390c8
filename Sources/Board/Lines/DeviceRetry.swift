// When to try again to take lines that cannot be had. A chip that is missing shows when it comes; a line that another
// program uses gives no sign, and is asked for at growing intervals.

/// Why lost devices are looked for.
enum DeviceRetry {
  /// A chip came or went, or somebody asked.
  case now
  /// There is something new to draw.
  case wanted
  /// Time has passed.
  case time
}

/// The times at which one device is tried again.
struct RetrySchedule: Hashable, Sendable {
  private var interval: Duration?
  /// Of a retry; the first attempt is none.
  private var lastAt: Duration?
  /// Nil while nothing is due by itself.
  private(set) var dueAt: Duration?

  /// It could not be had.
  mutating func lost(_ kind: LineFault.Kind, at now: Duration) {
    guard kind == .busy || kind == .failed else {
      dueAt = nil
      return
    }
    let limits = BoardLimits.retryIntervals
    let next = min(interval.map { $0 * 2 } ?? limits.lowerBound, limits.upperBound)
    interval = next
    dueAt = now + next
  }

  /// Its lines are ours; whether they work shows when they are used.
  mutating func taken() { dueAt = nil }

  /// It works.
  mutating func reset() { self = RetrySchedule() }

  /// Whether to try again now; counts as having tried.
  mutating func isDue(at now: Duration, _ reason: DeviceRetry) -> Bool {
    let isDue =
      switch reason {
      case .now: true
      case .wanted: dueAt != nil && lastAt.map { now - $0 >= BoardLimits.retryIntervals.lowerBound } ?? true
      case .time: dueAt.map { now >= $0 } ?? false
      }
    if isDue { lastAt = now }
    return isDue
  }
}
