// Rules U1, U2, U4 to U7 and U9: from an update that arrived to the app that is given it.

extension Handset {
  /// Delivers the update where that may be now, else keeps it in the app's slot.
  mutating func hold(_ push: Push, for app: App, at now: Moment, _ turn: inout Turn) {
    guard app.manifest.receivesBackgroundUpdates else {
      turn.rule(.noBackgroundMode, on: push.id)
      return tell(.discarded(.noBackgroundMode), app: app.id, push: push.id, at: now, &turn)
    }
    turn.rule(.backgroundMode, on: push.id)
    guard app.state.lifecycle != .forceQuit else {
      turn.rule(.forceQuit, on: push.id)
      return tell(.discarded(.isForceQuit), app: app.id, push: push.id, at: now, &turn)
    }
    if let old = holds[app.id] {
      turn.rule(.replacesHeld, on: push.id)
      commit(.held(app.id, before: old, after: nil, payload: nil), &turn)
      tell(.discarded(.replaced(by: push.id)), app: app.id, push: old.push, at: now, &turn)
    }
    let (due, reason): (Duration?, Event.Held?)
    switch permission(for: app, at: now) {
    case .now:
      let isCharged = app.state.lifecycle != .foreground
      turn.rule(isCharged ? .budgetLeft : .atOnce, on: push.id)
      return deliver(
        push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: now), isCharged: isCharged,
        at: now, &turn)
    case .later(let uptime, let why): (due, reason) = (uptime, why)
    case .no(let why): (due, reason) = (nil, why)
    }
    let update = HeldUpdate(push: push.id, expires: push.keptUntil(at: now), due: due)
    commit(.held(app.id, before: nil, after: update, payload: push.payload), &turn)
    guard let reason else { return }
    turn.rule(Ruling(reason), on: push.id)
    tell(.held(reason), app: app.id, push: push.id, at: now, &turn)
  }

  /// Rules U6, U7 and U10.
  /// - Parameter isCharged: whether it costs budget.
  /// - Returns: false where there is none, or nobody to give it to.
  @discardableResult
  mutating func deliverHeld(of id: AppID, isCharged: Bool, at now: Moment, _ turn: inout Turn) -> Bool {
    guard let update = holds[id], let app = apps[id], isReachable(app) else { return false }
    deliver(
      update.push, to: app, payload: .held, expires: update.expires, isCharged: isCharged, at: now, &turn)
    commit(.held(id, before: update, after: nil, payload: nil), &turn)
    return true
  }

  mutating func discardHeld(of app: AppID, _ reason: Event.Discarded, at now: Moment, _ turn: inout Turn) {
    guard let update = holds[app] else { return }
    commit(.held(app, before: update, after: nil, payload: nil), &turn)
    tell(.discarded(reason), app: app, push: update.push, at: now, &turn)
  }

  mutating func spendBudget(of app: AppID, at now: Moment, _ turn: inout Turn) {
    let before = budgets[app] ?? DeliveryBudget()
    commit(.budget(app, before: before, after: before.spending(at: now)), &turn)
  }

  /// Of an app that goes, nothing stays.
  mutating func forgetBudget(of app: AppID, _ turn: inout Turn) {
    guard let before = budgets[app] else { return }
    commit(.budget(app, before: before, after: DeliveryBudget()), &turn)
  }

  /// Waits that were counted on the uptime clock of an earlier boot go on from the wall clock, or begin anew.
  mutating func carryWaitsOver(_ start: Start, at now: Moment, _ turn: inout Turn) {
    record.fetchStart = record.fetchStart.afterStart(start, at: now)
    for (app, before) in budgets.sorted(by: { $0.key < $1.key }) {
      let after = before.afterStart(start, at: now)
      if after != before { commit(.budget(app, before: before, after: after), &turn) }
    }
  }
}

extension Push {
  /// Until when it is worth keeping on the handset. "Tried once" is the service's side of it: the try has succeeded,
  /// the handset has it.
  func keptUntil(at now: Moment) -> WallTime {
    switch expiration {
    case .once: now.wall.advanced(by: Policy.defaultExpiration)
    // One that is as old as a clock that is not set is not of such a clock.
    case .at(let time): now.wall.isPlausible ? max(time, Policy.earliestWallTime) : time
    }
  }
}
