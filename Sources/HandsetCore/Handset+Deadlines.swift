// What falls due without an input, and when.

extension Handset {
  /// When it wants `Input.wake`; nil where nothing is due. What shows itself otherwise from a time of the day on is
  /// due as well, at the next such time.
  public func wakeAt(after now: Moment) -> Deadline? {
    let uptimes = [banner?.until, outbox.nextDeadline?.at, holds.nextDue?.at, schedule.nextUptime]
    let walls = [
      holds.nextToExpire?.at, outbox.nextToExpire?.at, slots.nextToExpire?.at, schedule.nextWall,
      nextNightEdge(after: now),
    ]
    return Deadline(uptime: uptimes.compactMap { $0 }.min(), wall: walls.compactMap { $0 }.min())
  }

  /// Does what fell due before the input came.
  mutating func expire(at now: Moment, isStart: Bool, _ turn: inout Turn) {
    if let banner, banner.until <= now.uptime { endBanner(&turn) }
    renewUnsetStamps(at: now, &turn)
    expireUpdates(at: now, isStart: isStart, &turn)
    forgetGoneTokens(at: now, &turn)
    forgetGoneNodes(at: now, &turn)
  }

  /// Gone tokens are remembered for their time, and no more of them than the limit.
  mutating func forgetGoneTokens(at now: Moment, _ turn: inout Turn) {
    while let oldest = goneTokens.first,
      oldest.since.advanced(by: Policy.goneTokenLifetime) <= now.wall || goneTokens.count > Policy.goneTokenLimit
    {
      commit(.token(oldest.token, before: tokens[oldest.token], after: nil), &turn)
    }
  }
}
