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
