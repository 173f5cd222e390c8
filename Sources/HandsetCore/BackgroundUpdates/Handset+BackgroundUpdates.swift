// Rules U1, U2, U4 to U6, U9 and U10: what the handset does with an update for an app that is not in the foreground.

extension Handset {
  mutating func hold(_ push: Push, for app: App, at now: Moment, _ turn: inout Turn) {
    guard app.manifest.receivesBackgroundUpdates else {
      return tell(.discarded(.noBackgroundMode), app: app.id, push: push.id, at: now, &turn)
    }
    guard app.state.lifecycle != .forceQuit else {
      return tell(.discarded(.isForceQuit), app: app.id, push: push.id, at: now, &turn)
    }
    let expires: WallTime
    switch push.expiration {
    // "Tried once" is the service's side of it: the try has succeeded, the handset has it.
    case .once: expires = now.wall.advanced(by: Policy.defaultExpiration)
    case .at(let time): expires = time
    }
    let old = holds[app.id]
    if let old { tell(.discarded(.replaced(by: push.id)), app: app.id, push: old.push, at: now, &turn) }
    let update = HeldUpdate(push: push.id, expires: expires)
    commit(.held(app.id, before: old, after: update, payload: push.payload), &turn)
    tell(.held, app: app.id, push: push.id, at: now, &turn)
  }

  /// Rule U6.
  mutating func deliverHeld(of app: AppID, at now: Moment, _ turn: inout Turn) {
    guard let update = holds[app], let state = apps[app]?.state.lifecycle else { return }
    commit(.held(app, before: update, after: nil, payload: []), &turn)
    tell(.delivered(state), app: app, push: update.push, at: now, &turn)
  }

  mutating func discardHeld(of app: AppID, _ reason: Event.Discarded, at now: Moment, _ turn: inout Turn) {
    guard let update = holds[app] else { return }
    commit(.held(app, before: update, after: nil, payload: []), &turn)
    tell(.discarded(reason), app: app, push: update.push, at: now, &turn)
  }
}
