// Time is an argument. Uptime and wall time are two types, so that a throttle cannot use a clock that can be set, and a
// calendar cannot use a clock that starts at boot.

/// A point on the wall clock.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// - Parameter seconds: since 1970-01-01T00:00:00Z; clamped to what microseconds can express.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    self.microseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

  /// The time `duration` later (earlier where it is negative), saturating.
  public func advanced(by duration: Duration) -> WallTime {
    let (sum, overflow) = microseconds.addingReportingOverflow(duration.inMicroseconds)
    return WallTime(microseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }
}

/// When an input happened, on both clocks.
public struct Moment: Hashable, Sendable, Codable {
  /// Since the board booted. Throttles, banners and lamps use it, because it cannot be set.
  public var uptime: Duration
  /// Calendars, expirations and the stamps of events use it.
  public var wall: WallTime

  public init(uptime: Duration, wall: WallTime) {
    self.uptime = uptime
    self.wall = wall
  }
}

/// When the handset needs to be woken: at the earlier of the two, each on its own clock.
public struct Deadline: Hashable, Sendable {
  public var uptime: Duration?
  public var wall: WallTime?

  /// Nil if both are nil.
  public init?(uptime: Duration?, wall: WallTime?) {
    if uptime == nil && wall == nil { return nil }
    self.uptime = uptime
    self.wall = wall
  }
}

extension Duration {
  /// Whole microseconds, rounded towards zero, saturating.
  public var inMicroseconds: Int64 {
    // Not by `components`, which traps where the seconds are more than 64 bits.
    Int64(clamping: attoseconds / 1_000_000_000_000)
  }
}
