/// A point on the wall clock. Uptime is another type, so that a throttle cannot use a clock that can be set, and a
/// calendar cannot use a clock that starts at boot.
public struct WallTime: Hashable, Comparable, Sendable, SingleValueCodable {
  /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// - Parameter seconds: since 1970-01-01T00:00:00Z; clamped to the range of microseconds.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    self.microseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

  /// Returns the time `duration` later (earlier if it is negative), saturating.
  public func advanced(by duration: Duration) -> WallTime {
    let (sum, overflow) = microseconds.addingReportingOverflow(duration.inMicroseconds)
    return WallTime(microseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// True if a clock that shows this time has been set.
  public var isPlausible: Bool { self >= Policy.earliestWallTime }

  public var coded: Int64 { microseconds }
  public init(coded microseconds: Int64) { self.init(microseconds: microseconds) }
}

/// The time of an input, on both clocks.
public struct Moment: Hashable, Sendable, Codable {
  /// The time since the board booted. Throttles, banners and lamps use it, because it cannot be set.
  public var uptime: Duration
  /// The time for calendars, expirations and the stamps of events.
  public var wall: WallTime

  public init(uptime: Duration, wall: WallTime) {
    self.uptime = uptime
    self.wall = wall
  }

  /// The lead of the wall clock over the uptime clock.
  package var skew: Duration { .microseconds(wall.microseconds) - uptime }

  /// The moment in the precision of the database: a finer duration would not be read back exactly.
  var inWholeMicroseconds: Moment { Moment(uptime: .microseconds(uptime.inMicroseconds), wall: wall) }

  /// Returns the same moment on the current uptime clock. After a boot the wall clock gives its age if that is
  /// plausible: a board without a battery clock may have lost hours, or show 1970. Otherwise it counts as now, and a
  /// wait that began at it starts again. An uptime in the future is from an earlier boot, whatever kind of start it is.
  func afterStart(_ start: Start, at now: Moment) -> Moment {
    guard start == .board || uptime > now.uptime else { return self }
    let (microseconds, overflow) = now.wall.microseconds.subtractingReportingOverflow(wall.microseconds)
    let elapsed = Duration.microseconds(microseconds)
    guard !overflow, elapsed >= .zero, elapsed <= Policy.plausibleOffTime else { return now.inWholeMicroseconds }
    return Moment(uptime: now.inWholeMicroseconds.uptime - elapsed, wall: wall)
  }
}

/// The time at which the handset needs to be woken: the earlier of the two, each on its own clock.
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
    // `components` is not used, because it traps if the seconds are more than 64 bits.
    Int64(clamping: attoseconds / 1_000_000_000_000)
  }
}
