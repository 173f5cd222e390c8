/// A scheduled notification that is not due yet. Intervals use the uptime clock, calendar times the wall clock. Each
/// keeps the values that it needs to stay correct when the wall clock is set or the board was off.
public struct PendingNotification: Hashable, Sendable, Codable {
  public var request: LocalNotification
  public var due: Due

  /// The due time, on one of the two clocks.
  public enum Due: Hashable, Sendable, Codable {
    /// The time on the uptime clock. `wall` is the same time on the wall clock, which is used after a boot.
    case uptime(Duration, wall: WallTime)
    /// The time on the wall clock. `from` is the time from which it was computed last. All times within `presented`
    /// have been presented.
    case wall(WallTime, from: WallTime, presented: ClosedRange<WallTime>?)

    /// The due time; nil if it is due on the other clock.
    var onUptime: Duration? { if case .uptime(let time, _) = self { time } else { nil } }
    var onWall: WallTime? { if case .wall(let time, _, _) = self { time } else { nil } }

    /// Returns the end of the wait in whole microseconds, the precision of the database.
    static func after(_ wait: Duration, at now: Moment) -> Due {
      .uptime(.microseconds((now.uptime + wait).inMicroseconds), wall: now.wall.advanced(by: wait))
    }

    private enum CodingKeys: CodingKey { case uptime, wall }
    private enum PartKeys: CodingKey { case at, wall, from, presentedFrom, presentedTo }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      if values.contains(.uptime) {
        let parts = try values.nestedContainer(keyedBy: PartKeys.self, forKey: .uptime)
        self = .uptime(
          try parts.decode(Duration.self, forKey: .at), wall: try parts.decode(WallTime.self, forKey: .wall))
        return
      }
      let parts = try values.nestedContainer(keyedBy: PartKeys.self, forKey: .wall)
      var presented: ClosedRange<WallTime>?
      if let first = try parts.decodeIfPresent(WallTime.self, forKey: .presentedFrom) {
        let last = try parts.decode(WallTime.self, forKey: .presentedTo)
        guard first <= last else {
          throw DecodingError.dataCorruptedError(
            forKey: .presentedTo, in: parts, debugDescription: "it is before presentedFrom")
        }
        presented = first...last
      }
      self = .wall(
        try parts.decode(WallTime.self, forKey: .at), from: try parts.decode(WallTime.self, forKey: .from),
        presented: presented)
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .uptime(let uptime, let wall):
        var parts = values.nestedContainer(keyedBy: PartKeys.self, forKey: .uptime)
        try parts.encode(uptime, forKey: .at)
        try parts.encode(wall, forKey: .wall)
      case .wall(let wall, let from, let presented):
        var parts = values.nestedContainer(keyedBy: PartKeys.self, forKey: .wall)
        try parts.encode(wall, forKey: .at)
        try parts.encode(from, forKey: .from)
        try parts.encodeIfPresent(presented?.lowerBound, forKey: .presentedFrom)
        try parts.encodeIfPresent(presented?.upperBound, forKey: .presentedTo)
      }
    }
  }

  /// The time at which it is due on the current wall clock.
  public var dueWall: WallTime {
    switch due {
    case .uptime(_, let wall): wall
    case .wall(let wall, _, _): wall
    }
  }

  /// Returns the time for which it has been due; negative if it is not due yet.
  func lateness(at now: Moment) -> Duration {
    switch due {
    case .uptime(let uptime, _): now.uptime - uptime
    case .wall(let wall, _, _): .microseconds(now.wall.microseconds) - .microseconds(wall.microseconds)
    }
  }

  /// Returns the next repetition after it was presented; nil if it does not repeat or never comes again. All times that
  /// were missed meanwhile count as presented with it (rule L3).
  func following(at now: Moment, in zone: TimeZoneTable) -> PendingNotification? {
    var next = self
    switch (request.trigger, due) {
    case (.interval(let interval, true), .uptime(let uptime, _)):
      let step = max(interval.inMicroseconds, 1)
      let missed = (now.uptime - uptime).inMicroseconds / step * step
      next.due = .after(uptime + .microseconds(missed) + .microseconds(step) - now.uptime, at: now)
    case (.calendar(let time, true), .wall(let wall, _, let presented)):
      let last = max(wall, now.wall)
      if let ahead = presented, ahead.lowerBound > wall {
        // The clock was set back to before the presented times. They are not repeated.
        guard let due = time.next(after: last, in: zone, exceptWithin: ahead) else { return nil }
        let known = ahead.lowerBound > last ? ahead : ahead.lowerBound...max(ahead.upperBound, last)
        next.due = .wall(due, from: last, presented: known)
        return next
      }
      guard let due = time.next(after: last, in: zone) else { return nil }
      let isFirstMissed = time.next(after: wall, in: zone) == due
      // The span of presented times continues.
      let known = presented.flatMap { $0.upperBound < wall ? $0.lowerBound : nil }
      let first = isFirstMissed ? known ?? wall : time.last(before: now.wall, in: zone)
      next.due = .wall(due, from: last, presented: first...last)
    default:
      return nil
    }
    return next
  }

  /// Returns the notification after the wall clock was set, by `step` and to `wall`. Presented times are not repeated,
  /// and future times on the new clock are not skipped (rule L3).
  func afterWallClockStep(of step: Duration, to wall: WallTime, in zone: TimeZoneTable) -> PendingNotification {
    var next = self
    switch (request.trigger, due) {
    case (_, .uptime(let uptime, let wall)):
      next.due = .uptime(uptime, wall: wall.advanced(by: step))
    case (.calendar(let time, _), .wall(_, _, let presented)) where step < .zero:
      guard let candidate = time.next(after: wall, in: zone) else { break }
      if let presented, presented.contains(candidate) {
        guard let beyond = time.next(after: presented.upperBound, in: zone) else { break }
        next.due = .wall(beyond, from: wall, presented: presented)
      } else {
        next.due = .wall(candidate, from: wall, presented: presented)
      }
    case (.calendar(let time, _), .wall(let due, _, let presented?)) where due <= wall:
      // Set forward again: all times before `wall` have been presented.
      guard presented.contains(time.last(before: wall, in: zone)),
        let beyond = time.next(after: max(wall, presented.upperBound), in: zone)
      else { break }
      next.due = .wall(beyond, from: wall, presented: presented)
    default:
      // Set forward: it is due now, or when the calendar says.
      break
    }
    return next
  }

  /// Returns the notification after a restart of the daemon. Uptime continued, and the wall clock may have been set.
  func afterRestart(at now: Moment, in zone: TimeZoneTable) -> PendingNotification {
    switch due {
    case .uptime(let uptime, let before):
      let wall = now.wall.advanced(by: uptime - now.uptime)
      let step = Duration.microseconds(wall.microseconds) - .microseconds(before.microseconds)
      guard step >= Policy.wallClockStep || step <= .zero - Policy.wallClockStep else { return self }
      return PendingNotification(request: request, due: .uptime(uptime, wall: wall))
    case .wall(_, let from, _):
      // The clock showed `from` once, so it was set back.
      guard now.wall < from else { return self }
      let step = Duration.microseconds(now.wall.microseconds) - .microseconds(from.microseconds)
      return afterWallClockStep(of: step, to: now.wall, in: zone)
    }
  }

  /// Returns the notification in another time zone. If it is due it stays due; otherwise its time is computed again.
  func inTimeZone(_ zone: TimeZoneTable, at now: Moment) -> PendingNotification {
    guard case .calendar(let time, _) = request.trigger, case .wall(let wall, let from, let presented) = due,
      wall > now.wall
    else { return self }
    func next(after wall: WallTime) -> WallTime? {
      presented.map { time.next(after: wall, in: zone, exceptWithin: $0) } ?? time.next(after: wall, in: zone)
    }
    // A clock that has not been set since the boot says nothing about times that have passed.
    guard let due = next(after: max(now.wall, from)) else { return self }
    return PendingNotification(request: request, due: .wall(due, from: from, presented: presented))
  }

  /// Returns the notification after a boot, which reset the uptime clock: the remaining wait by the wall clock if that
  /// is plausible, otherwise the full interval.
  func afterBoot(at now: Moment) -> PendingNotification {
    guard case .interval(let interval, _) = request.trigger, case .uptime(_, let wall) = due else { return self }
    let isUnset = !wall.isPlausible && now.wall.isPlausible
    let left = isUnset ? interval : .microseconds(wall.microseconds) - .microseconds(now.wall.microseconds)
    return PendingNotification(request: request, due: .after(min(left, interval), at: now))
  }
}

extension CalendarTime {
  /// Returns the first such time after `wall` that is not in the span.
  fileprivate func next(
    after wall: WallTime, in zone: TimeZoneTable, exceptWithin span: ClosedRange<WallTime>
  ) -> WallTime? {
    guard let next = next(after: wall, in: zone) else { return nil }
    return span.contains(next) ? self.next(after: span.upperBound, in: zone) : next
  }

  /// Returns the last such time at or before `wall`; if there was none within `Policy.missedTimeSpan`, the start of
  /// that span. Both serve equally well as the bound of a span of presented times.
  fileprivate func last(before wall: WallTime, in zone: TimeZoneTable) -> WallTime {
    var last = wall.advanced(by: .zero - Policy.missedTimeSpan)
    while let next = next(after: last, in: zone), next <= wall { last = next }
    return last
  }
}
