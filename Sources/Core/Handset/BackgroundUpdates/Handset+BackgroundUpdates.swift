// Rules U1, U2, U4 to U7 and U9: from the arrival of an update to its delivery to the app.

extension Handset {
  /// Delivers the update if the rules allow that now, otherwise holds it in the app's slot.
  mutating func hold(_ push: Push, for app: App, _ turn: inout Turn) {
    guard app.manifest.receivesBackgroundUpdates else {
      turn.rule(.noBackgroundMode, on: push.id)
      return emit(.discarded(.noBackgroundMode), app: app.id, push: push.id, &turn)
    }
    turn.rule(.backgroundMode, on: push.id)
    guard app.state.lifecycle != .forceQuit else {
      turn.rule(.forceQuit, on: push.id)
      return emit(.discarded(.isForceQuit), app: app.id, push: push.id, &turn)
    }
    if let old = holds[app.id] {
      turn.rule(.replacesHeld, on: push.id)
      commit(.held(app.id, before: old, after: nil, payload: nil), &turn)
      emit(.discarded(.replaced, newer: push.id), app: app.id, push: old.push, &turn)
    }
    let (due, reason): (Duration?, Event.Held?)
    switch permission(for: app, at: turn.now) {
    case .now:
      let isCharged = app.state.lifecycle != .foreground
      turn.rule(isCharged ? .budgetLeft : .atOnce, on: push.id)
      return deliver(
        push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: turn.now), isCharged: isCharged,
        &turn)
    case .later(let uptime, let why): (due, reason) = (uptime, why)
    case .no(let why): (due, reason) = (nil, why)
    }
    let update = HeldUpdate(push: push.id, expires: push.keptUntil(at: turn.now), due: due)
    commit(.held(app.id, before: nil, after: update, payload: push.payload), &turn)
    guard let reason else { return }
    turn.rule(reason.ruling, on: push.id)
    emit(.held(reason), app: app.id, push: push.id, &turn)
  }

  /// Delivers the held update (rules U6, U7 and U10).
  /// - Parameter isCharged: true if it uses the budget.
  /// - Returns: false if no update is held, or the app cannot receive it.
  @discardableResult
  mutating func deliverHeld(of id: AppID, isCharged: Bool, _ turn: inout Turn) -> Bool {
    guard let update = holds[id], let app = apps[id], isReachable(app) else { return false }
    deliver(update.push, to: app, payload: .held, expires: update.expires, isCharged: isCharged, &turn)
    commit(.held(id, before: update, after: nil, payload: nil), &turn)
    return true
  }

  mutating func discardHeld(of app: AppID, _ reason: Event.Discarded, _ turn: inout Turn) {
    guard let update = holds[app] else { return }
    commit(.held(app, before: update, after: nil, payload: nil), &turn)
    emit(.discarded(reason), app: app, push: update.push, &turn)
  }

  mutating func spendBudget(of app: AppID, _ turn: inout Turn) {
    let before = budgets[app] ?? DeliveryBudget()
    commit(.budget(app, before: before, after: before.spending(at: turn.now)), &turn)
  }

  /// Converts waits on the uptime clock of an earlier boot, by the wall clock; if that is implausible, they start
  /// again.
  mutating func carryWaitsOver(_ start: Start, _ turn: inout Turn) {
    record.fetchStart = record.fetchStart.afterStart(start, at: turn.now)
    for (app, before) in budgets.sorted(by: { $0.key < $1.key }) {
      let after = before.afterStart(start, at: turn.now)
      if after != before { commit(.budget(app, before: before, after: after), &turn) }
    }
  }
}

extension Push {
  /// Returns the time until which the handset keeps it. An expiration of 0 concerns the service only: its one attempt
  /// has succeeded, since the handset has the push.
  func keptUntil(at now: Moment) -> WallTime {
    switch expiration {
    case .once: now.wall.advanced(by: Policy.defaultExpiration)
    // An expiration from before the earliest plausible time comes from the provider, not from a clock that was not set.
    case .at(let time): now.wall.isPlausible ? max(time, Policy.earliestWallTime) : time
    }
  }
}
