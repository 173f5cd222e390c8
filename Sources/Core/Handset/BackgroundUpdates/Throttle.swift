/// The deliveries that an app has used: it is woken three times in any 60 minutes (rule U7), across restarts and boots.
public struct DeliveryBudget: Hashable, Sendable, Codable {
  /// The last times at which it was woken, oldest first, at most as many as the budget has: older ones no longer count.
  public private(set) var deliveries: [Moment]

  public init(deliveries: [Moment] = []) {
    self.deliveries = Array(deliveries.suffix(Policy.deliveryBudget))
  }

  /// The time on the uptime clock at which the next delivery is available; nil if one is available now.
  public var freeAt: Duration? {
    guard deliveries.count == Policy.deliveryBudget, let oldest = deliveries.first else { return nil }
    return oldest.uptime + Policy.deliveryWindow
  }

  func spending(at now: Moment) -> DeliveryBudget {
    DeliveryBudget(deliveries: deliveries + [now.inWholeMicroseconds])
  }

  func afterStart(_ start: Start, at now: Moment) -> DeliveryBudget {
    // A delivery that counts as now may be older than one whose time is plausible.
    DeliveryBudget(deliveries: deliveries.map { $0.afterStart(start, at: now) }.sorted { $0.uptime < $1.uptime })
  }
}

extension Moment {
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
