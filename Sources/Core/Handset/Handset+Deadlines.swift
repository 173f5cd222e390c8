// The times at which something is due by time alone.

extension Handset {
  /// Returns the time at which the handset needs `Input.wake`; nil if nothing is due. The next change of the visible
  /// state by the time of day is included.
  public func wakeAt(after now: Moment) -> Deadline? {
    let uptimes = [
      banner?.until, outbox.deadlines.first?.time, holds.dues.first?.time, schedule.byUptime.first?.time,
      snoozes.first?.time, record.snooze?.until, repeatsAt, selection?.until,
    ]
    let walls = [
      holds.expirations.first?.time, outbox.expirations.first?.time, slots.expirations.first?.time,
      schedule.byWall.first?.time, nextNightEdge(after: now),
    ]
    return Deadline(uptime: uptimes.compactMap { $0 }.min(), wall: walls.compactMap { $0 }.min())
  }

  mutating func expire(isStart: Bool, _ turn: inout Turn) {
    if let banner, banner.until <= turn.now.uptime { endBanner(&turn) }
    renewUnsetStamps(&turn)
    expireUpdates(isStart: isStart, &turn)
    forgetGone(&turn)
  }

  /// Forgets gone tokens and nodes after the same time, and the oldest above their limits.
  mutating func forgetGone(_ turn: inout Turn) {
    while let oldest = goneTokens.first,
      oldest.time.advanced(by: Policy.goneTokenLifetime) <= turn.now.wall || goneTokens.count > Policy.goneTokenLimit
    {
      commit(.token(oldest.item, before: tokens[oldest.item], after: nil), &turn)
    }
    while let oldest = nodes.gone.first,
      oldest.time.advanced(by: Policy.goneTokenLifetime) <= turn.now.wall || nodes.gone.count > Policy.goneNodeLimit
    {
      commit(.node(oldest.item, before: nodes[oldest.item], after: nil, published: .unchanged), &turn)
    }
  }
}
