// A board without a battery clock boots in 1970 and learns the time a minute later. What such a clock stamped says
// nothing about how long ago it was: once the time is known, each wait that hangs on it begins anew.

extension WallTime {
  /// Whether a clock that shows it can be right; one that shows an earlier time has not been set.
  public var isPlausible: Bool { self >= Policy.earliestWallTime }
}

extension Handset {
  /// Rules R3, U9, F1 and L3: nothing expires, or falls due, only because the clock met a time server. Costs nothing
  /// where there is nothing of the kind.
  mutating func renewUnsetStamps(at now: Moment, _ turn: inout Turn) {
    guard now.wall.isPlausible else { return }
    while let gone = goneTokens.first, !gone.since.isPlausible, let before = tokens[gone.token] {
      let after = TokenRecord(app: before.app, goneSince: now.wall)
      commit(.token(gone.token, before: before, after: after), &turn)
    }
    while let gone = nodes.oldestGone, !gone.since.isPlausible {
      commit(
        .node(gone.id, before: nodes[gone.id], after: PublishingNode(goneSince: now.wall), published: .unchanged), &turn
      )
    }
    // A provider's own time is of its own clock: only the default is reckoned with this one.
    let expires = now.wall.advanced(by: Policy.defaultExpiration)
    while let (app, time) = holds.nextToExpire, !time.isPlausible, let before = holds[app] {
      let after = HeldUpdate(push: before.push, expires: expires, due: before.due)
      commit(.held(app, before: before, after: after, payload: nil), &turn)
    }
    while let (app, time) = slots.nextToExpire, !time.isPlausible, let before = slots[app] {
      var after = before
      after.expires = expires
      after.push.expiration = .at(expires)
      commit(.kept(app, before: before, after: after), &turn)
    }
    while let (app, time) = outbox.nextToExpire, !time.isPlausible { renewOffers(of: app, at: now, &turn) }
    renewCalendarTimes(at: now, &turn)
  }

  /// Those that wait for their app, and those that are with it.
  mutating func renewOffers(of app: AppID, at now: Moment, _ turn: inout Turn) {
    guard now.wall.isPlausible else { return }
    for before in outbox.all(of: app) where !before.expires.isPlausible {
      var after = before
      after.expires = now.wall.advanced(by: Policy.defaultExpiration)
      commit(.offered(app, before: before, after: after, payload: .unchanged), &turn)
    }
  }

  /// One that was presented before by a clock that was right is followed through all that happens to the clock.
  private mutating func renewCalendarTimes(at now: Moment, _ turn: inout Turn) {
    guard let next = schedule.nextWall, !next.isPlausible else { return }
    for before in schedule.due(before: Policy.earliestWallTime) {
      guard case .calendar(let time, _) = before.request.trigger, case .wall(_, _, let presented) = before.due,
        presented.map({ !$0.upperBound.isPlausible }) ?? true,
        // One that never comes again has come.
        let due = time.next(after: now.wall, in: timeZone)
      else { continue }
      let after = PendingNotification(request: before.request, due: .wall(due, from: now.wall, presented: nil))
      commit(.pending(before: before, after: after), &turn)
    }
  }
}
