// A board without a battery clock boots in 1970 and gets the time a minute later. Stamps of a clock that was not set
// say nothing about ages, so once the time is known, each wait that depends on such a stamp starts again.

extension Handset {
  /// Renews stamps of an unset clock, so that nothing expires or becomes due only because the clock was set (rules R3,
  /// U9, F1 and L3). No cost without such stamps.
  mutating func renewUnsetStamps(_ turn: inout Turn) {
    guard turn.now.wall.isPlausible else { return }
    while let gone = goneTokens.first, !gone.time.isPlausible, let before = tokens[gone.item] {
      let after = TokenRecord(app: before.app, goneSince: turn.now.wall)
      commit(.token(gone.item, before: before, after: after), &turn)
    }
    while let gone = nodes.gone.first, !gone.time.isPlausible {
      let after = PublishingNode(goneSince: turn.now.wall)
      commit(.node(gone.item, before: nodes[gone.item], after: after, published: .unchanged), &turn)
    }
    // An expiration that a provider chose does not depend on this clock. Only the default does.
    let expires = turn.now.wall.advanced(by: Policy.defaultExpiration)
    while let next = holds.expirations.first, !next.time.isPlausible, let before = holds[next.item] {
      var after = before
      after.expires = expires
      commit(.held(next.item, before: before, after: after, payload: nil), &turn)
    }
    while let next = slots.expirations.first, !next.time.isPlausible, let before = slots[next.item] {
      var after = before
      after.expires = expires
      after.push.expiration = .at(expires)
      commit(.kept(next.item, before: before, after: after), &turn)
    }
    while let next = outbox.expirations.first, !next.time.isPlausible { renewOffers(of: next.item, &turn) }
    renewDeferred(&turn)
    renewCalendarTimes(&turn)
  }

  /// Renews the app's offers, both those that wait for it and those that it has.
  mutating func renewOffers(of app: AppID, _ turn: inout Turn) {
    guard turn.now.wall.isPlausible else { return }
    for before in outbox.all(of: app) where !before.expires.isPlausible {
      var after = before
      after.expires = turn.now.wall.advanced(by: Policy.defaultExpiration)
      commit(.offered(app, before: before, after: after, payload: .unchanged), &turn)
    }
  }

  /// Renews calendar times. Times that were presented while the clock was set stay recorded.
  private mutating func renewCalendarTimes(_ turn: inout Turn) {
    guard let next = schedule.byWall.first, !next.time.isPlausible else { return }
    for before in schedule.due(before: Policy.earliestWallTime) {
      guard case .calendar(let time, _) = before.request.trigger, case .wall(_, _, let presented) = before.due,
        presented.map({ !$0.upperBound.isPlausible }) ?? true,
        // If it never comes again, it is due now.
        let due = time.next(after: turn.now.wall, in: timeZone)
      else { continue }
      let after = PendingNotification(request: before.request, due: .wall(due, from: turn.now.wall, presented: nil))
      commit(.pending(before: before, after: after), &turn)
    }
  }
}
