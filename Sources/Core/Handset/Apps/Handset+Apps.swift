// The changes of apps: rules R1 to R4, S1, S6, B6, and the lifecycle of rules U5, U6, N1, N2 and N10.

extension Handset {
  mutating func install(_ manifest: AppManifest, token: DeviceToken, _ turn: inout Turn) -> Verdict {
    if let old = apps[manifest.id] {
      var state = old.state
      // A new bundle resets the kinds that the app asked for at run time.
      state.foregroundPresentation = nil
      commit(.app(manifest.id, before: old, after: App(manifest: manifest, state: state)), &turn)
      if !manifest.receivesBackgroundUpdates { discardHeld(of: manifest.id, .noBackgroundMode, &turn) }
      if !manifest.hasPrograms && !old.state.listens { discardOffers(of: manifest.id, .noReceiver, &turn) }
      if !manifest.hasServiceExtension { endExtending(of: manifest.id, &turn) }
    } else {
      guard apps.count < Policy.appLimit else { return .refused(.tooManyApps) }
      let app = App(manifest: manifest, state: AppState(token: token))
      commit(.app(manifest.id, before: nil, after: app), &turn)
      commit(.token(token, before: tokens[token], after: TokenRecord(app: manifest.id)), &turn)
    }
    emit(.installed, app: manifest.id, &turn)
    // A new bundle may need other tokens.
    retireUnneededTokens(of: manifest.id, &turn)
    askForTokens(of: manifest.id, &turn)
    if manifest.hasPrograms { offerWaiting(to: manifest.id, &turn) }
    settleHeld(of: manifest.id, &turn)
    return .accepted
  }

  /// Uninstalls the app (rule R3).
  mutating func uninstall(_ app: App, _ turn: inout Turn) -> Verdict {
    stop(app.id, &turn)
    discardUpdates(of: app.id, .uninstalled, &turn)
    discardExtending(of: app.id, .uninstalled, &turn)
    discardAllKept(of: app.id, .uninstalled, &turn)
    discardDeferred(.uninstalled, &turn) { $0.push.topic == app.id }
    if let budget = budgets[app.id] { commit(.budget(app.id, before: budget, after: DeliveryBudget()), &turn) }
    withdraw(center.all(of: app.id), &turn)
    dropAllCalls(of: app.id, &turn)
    unscheduleAll(of: app.id, .uninstalled, &turn)
    dismissActivities(of: app.id, .uninstalled, &turn)
    retire(app.state.token, &turn)
    retireNodes(of: app.id, &turn)
    if record.settings.badgeShows == app.id {
      record.settings.badgeShows = nil
      let key = HandsetSettings.Key.badgeShows
      emit(.setting(key: key.rawValue, value: record.settings[key]), &turn)
    }
    // The current state: the steps above may have changed it.
    commit(.app(app.id, before: apps[app.id], after: nil), &turn)
    retireUnneededTokens(of: app.id, &turn)
    emit(.uninstalled, app: app.id, &turn)
    return .accepted
  }

  /// Registers the app (rules R1, R4 and S6).
  mutating func register(
    _ app: App, _ kinds: NotificationKinds, freshToken: DeviceToken, _ turn: inout Turn
  ) -> Verdict {
    if case .unregistered = app.state.registration {
      commit(.token(freshToken, before: tokens[freshToken], after: TokenRecord(app: app.id)), &turn)
      change(app.id, &turn) { $0.token = freshToken }
    }
    var kinds = kinds
    // The person has allowed it more already.
    if case .registered = app.state.registration, !app.state.isProvisional { kinds.remove(.provisional) }
    change(app.id, &turn) { $0.registration = .registered(kinds) }
    emit(.registered(kinds), app: app.id, &turn)
    askForTokens(of: app.id, &turn)
    withdrawWhatIsNotAllowed(of: app.id, &turn)
    return .accepted
  }

  /// Unregisters the app (rules R2 and R4).
  mutating func unregister(_ app: App, _ turn: inout Turn) -> Verdict {
    var since = turn.now.wall
    if case .unregistered(let before) = app.state.registration {
      // It may notify again without a registration (rule L4).
      guard app.state.hasScheduled else { return .accepted }
      since = before
    }
    retire(app.state.token, &turn)
    change(app.id, &turn) {
      $0.registration = .unregistered(since: since)
      ($0.hasScheduled, $0.hasLocalBadge) = (false, false)
    }
    retireUnneededTokens(of: app.id, &turn)
    emit(.unregistered, app: app.id, &turn)
    dismissActivities(of: app.id, .unregistered, &turn)
    discardHeld(of: app.id, .unregistered, &turn)
    discardAllKept(of: app.id, .unregistered, &turn)
    discardDeferred(.unregistered, &turn) { $0.push.topic == app.id }
    clear(center.all(of: app.id), .unregistered, &turn)
    return .accepted
  }

  /// Notes that the person has decided about the app's notifications (rule Q4).
  private mutating func endProvisional(of id: AppID, _ turn: inout Turn) {
    guard let state = apps[id]?.state, state.isProvisional, case .registered(var kinds) = state.registration
    else { return }
    kinds.remove(.provisional)
    change(id, &turn) { $0.registration = .registered(kinds) }
    emit(.registered(kinds), app: id, &turn)
  }

  mutating func retire(_ token: DeviceToken, _ turn: inout Turn) {
    guard let old = tokens[token], old.goneSince == nil else { return }
    let gone = TokenRecord(app: old.app, goneSince: turn.now.wall, purpose: old.purpose)
    commit(.token(token, before: old, after: gone), &turn)
  }

  mutating func move(_ app: App, _ command: LifecycleCommand, _ turn: inout Turn) -> Verdict {
    if command == .kill && !app.state.lifecycle.isRunning { return .refused(.notRunning(app.id)) }
    // Only the person or a boot starts it again (rule U5).
    if command == .background && app.state.lifecycle == .forceQuit { return .refused(.notRunning(app.id)) }
    switch command {
    case .launch:
      return launch(app.id, &turn)
    case .background:
      leaveForeground(app.id, &turn)
      enter(.background, app.id, &turn)
    case .kill, .forceQuit:
      stop(app.id, &turn)
      enter(command == .kill ? .notRunning : .forceQuit, app.id, &turn)
      discardUpdates(of: app.id, command == .kill ? .killed : .forceQuit, &turn)
    }
    return .accepted
  }

  /// Moves the app to the foreground, which holds one app at a time (rules U6, F4, N10).
  mutating func open(_ id: AppID, _ turn: inout Turn) {
    if let other = foreground, other != id {
      leaveForeground(other, &turn)
      enter(.background, other, &turn)
    }
    // The person sees them now, so none sounds.
    release(sounds: false, &turn) { waiting, _ in waiting.push.topic == id }
    enter(.foreground, id, &turn)
    if apps[id]?.state.settings.clearOnLaunch == true {
      clear(center.all(of: id), .opened, &turn)
    } else {
      markAsSeen(of: id, &turn)
    }
    forgetUnanswered(of: id, &turn)
    deliverHeld(of: id, isCharged: false, &turn)
    fetchOnOpening(id, &turn)
  }

  private func leaveForeground(_ id: AppID, _ turn: inout Turn) {
    if foreground == id && listeners.contains(id) { turn.effects.append(.leftForeground(id)) }
  }

  /// Sets the badge that the app chose itself (rule B6).
  mutating func setOwnBadge(_ app: App, _ number: Int, _ turn: inout Turn) -> Verdict {
    guard number >= 0 else { return .refused(.badBadge(number)) }
    guard app.state.lifecycle.isRunning else { return .refused(.notRunning(app.id)) }
    setBadge(of: app, to: number, push: nil, isLocal: app.state.hasLocalBadge, &turn)
    return .accepted
  }

  /// Applies rule N2 at the app's own request.
  mutating func setForegroundPresentation(of app: App, to kinds: NotificationKinds, _ turn: inout Turn) -> Verdict {
    guard app.state.lifecycle.isRunning else { return .refused(.notRunning(app.id)) }
    let kinds = kinds.intersection(.all)
    change(app.id, &turn) { $0.foregroundPresentation = kinds }
    emit(.foregroundPresentation(kinds), app: app.id, &turn)
    return .accepted
  }

  /// Changes a setting of the app, with effect at once (rule S1).
  mutating func set(_ key: AppSettings.Key, to value: String, for app: App, _ turn: inout Turn) -> Verdict {
    var settings = app.state.settings
    do {
      try settings.set(key, to: value)
    } catch {
      return .refused(.badSetting(error))
    }
    change(app.id, &turn) { $0.settings = settings }
    emit(.setting(key: key.rawValue, value: settings[key]), app: app.id, &turn)
    if !settings.liveActivities { dismissActivities(of: app.id, .notAllowed, &turn) }
    if key == .allowNotifications || key == .style { endProvisional(of: app.id, &turn) }
    if key == .summary { settleSummary(&turn) }
    withdrawWhatIsNotAllowed(of: app.id, &turn)
    return .accepted
  }
}
