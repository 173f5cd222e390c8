import HandsetCore

extension Handset {
  /// Returns the changes to the state in which only the apps and their device tokens are known: nothing is in
  /// Notification Center, held or scheduled, all settings are the standard ones, and each app is registered for all
  /// kinds, as one that came to be with its first push. The clock and the numbers of events and notifications go on.
  func reset(at now: Moment) -> Turn {
    var turn = Turn(now: now)
    let contents = contents
    if let banner = contents.banner { turn.changes.append(.banner(before: banner, after: nil)) }
    turn.changes += contents.notifications.map { .removed($0) }
    turn.changes += contents.held.map { .held($0, before: $1, after: nil, payload: nil) }
    turn.changes += contents.offers.flatMap { app, offers in
      offers.map { .offered(app, before: $0, after: nil, payload: .unchanged) }
    }
    turn.changes += contents.budgets.map { .budget($0, before: $1, after: DeliveryBudget()) }
    turn.changes += contents.kept.map { .kept($0, before: $1, after: nil) }
    turn.changes += contents.extending.flatMap { app, pushes in
      pushes.map { .extending(app, before: $0, after: nil) }
    }
    turn.changes += contents.recentPushes.map { .recent(before: $0, after: nil) }
    turn.changes += contents.nodes.map { .node($0, before: $1, after: nil, published: .none) }
    turn.changes += contents.pending.map { .pending(before: $0, after: nil) }
    turn.changes += contents.calls.map { .call(before: $0, after: nil) }
    turn.changes += contents.activities.map { .activity(before: $0, after: nil) }
    turn.changes += contents.deferred.map { .deferred(before: $0, after: nil) }
    turn.changes += contents.focusModes.map { .focusMode($0.name, before: $0, after: nil) }
    resetApps(contents, &turn)
    if let again = contents.soundedAgain { turn.changes.append(.soundedAgain(before: again, after: nil)) }
    if let selection = contents.selection { turn.changes.append(.selection(before: selection, after: nil)) }
    if let skew = contents.clockSkew { turn.changes.append(.clockSkew(before: skew, after: nil)) }
    if presentation(at: now).lamp != nil { turn.changes.append(.lamp(before: nil, after: nil)) }
    var record = record
    (record.settings, record.conditions, record.snooze) = (HandsetSettings(), [], nil)
    if record != self.record {
      turn.changes.append(.record(RecordChange(before: self.record, after: record)))
    }
    if !turn.changes.isEmpty { turn.effects = [.silence(.all)] }
    return turn
  }

  private func resetApps(_ contents: Contents, _ turn: inout Turn) {
    for (token, record) in contents.tokens where record.goneSince != nil || record.isOfActivity {
      // An app that was unregistered has its token again; the earlier ones are forgotten.
      let isOwn = apps[record.app]?.state.token == token
      turn.changes.append(.token(token, before: record, after: isOwn ? TokenRecord(app: record.app) : nil))
    }
    for app in contents.apps {
      var state = AppState(token: app.state.token)
      state.listens = app.state.listens
      // A test's registrations must not decide what the next one sees. An app that never registered was installed
      // from files, and its program registers it.
      if app.state.registration != .pending { state.registration = .registered(.all) }
      guard state != app.state else { continue }
      var after = app
      after.state = state
      turn.changes.append(.appState(app.id, before: app, after: after))
    }
  }
}
