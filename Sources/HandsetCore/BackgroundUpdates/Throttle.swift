// Rule U7: an app is woken three times in any 60 minutes, and what it had is counted across restarts and boots.

/// What an app used of its deliveries.
public struct DeliveryBudget: Hashable, Sendable, Codable {
  /// When it was woken last, oldest first: as many as the budget has, since those before cannot count any more.
  public private(set) var deliveries: [Moment]

  public init(deliveries: [Moment] = []) {
    self.deliveries = Array(deliveries.suffix(Policy.deliveryBudget))
  }

  /// On the uptime clock: from when on there is a delivery to spend; nil where there always was.
  public var freeAt: Duration? {
    guard deliveries.count == Policy.deliveryBudget, let oldest = deliveries.first else { return nil }
    return oldest.uptime + Policy.deliveryWindow
  }

  func spending(at now: Moment) -> DeliveryBudget {
    DeliveryBudget(deliveries: deliveries + [now.inWholeMicroseconds])
  }

  func afterStart(_ start: Start, at now: Moment) -> DeliveryBudget {
    // One that counts as just now may have been before one whose time is believed.
    DeliveryBudget(deliveries: deliveries.map { $0.afterStart(start, at: now) }.sorted { $0.uptime < $1.uptime })
  }
}

extension Moment {
  /// As a database has it: a duration may be finer, and would not come back as it was.
  var inWholeMicroseconds: Moment { Moment(uptime: .microseconds(uptime.inMicroseconds), wall: wall) }

  /// The same moment on the uptime clock of now. After a boot the wall clock says how long ago it was, where that can
  /// be believed: a board without a battery clock may have lost hours, or come from 1970. Where it cannot be, it counts
  /// as just now, and a wait that it began begins anew. An uptime that is still to come is of an earlier boot, whatever
  /// the start says.
  func afterStart(_ start: Start, at now: Moment) -> Moment {
    guard start == .board || uptime > now.uptime else { return self }
    let (microseconds, overflow) = now.wall.microseconds.subtractingReportingOverflow(wall.microseconds)
    let elapsed = Duration.microseconds(microseconds)
    guard !overflow, elapsed >= .zero, elapsed <= Policy.plausibleOffTime else { return now.inWholeMicroseconds }
    return Moment(uptime: now.inWholeMicroseconds.uptime - elapsed, wall: wall)
  }
}
