// Applies inputs: each is passed to the rules that it concerns.

extension Handset {
  /// Applies the input. Only this and `undo` change the handset.
  public mutating func handle(_ input: Input, at now: Moment) -> Turn {
    let before = record
    var turn = Turn()
    if case .start = input { expire(at: now, isStart: true, &turn) } else { expire(at: now, isStart: false, &turn) }
    followWallClock(at: now, &turn)
    if !input.comesBeforeTheSchedule { presentDue(at: now, &turn) }
    turn.verdict = decide(input, at: now, &turn)
    forgetGoneTokens(at: now, &turn)
    forgetGoneNodes(at: now, &turn)
    settleLamp(at: now, &turn)
    ruleOnLamp(&turn)
    if record != before { turn.changes.append(.record(before: before, after: record)) }
    return turn
  }

  private mutating func decide(_ input: Input, at now: Moment, _ turn: inout Turn) -> Verdict {
    switch input {
    case .push(let push):
      return receive(push, at: now, &turn)
    case .publish(let push, let node, let propertyList):
      return publish(push, through: node, propertyList, at: now, &turn)
    case .createNode(let id):
      return createNode(id, at: now, &turn)
    case .deleteNode(let id):
      return deleteNode(id, at: now, &turn)
    case .refused(let push):
      let kind = Event.Kind.refused(status: push.status, reason: push.reason, detail: excerpt(push.detail))
      emit(kind, app: push.topic, push: push.id, at: now, &turn)
      return .accepted
    case .report(let report):
      let then = Moment(uptime: report.uptime, wall: now.wall.advanced(by: report.uptime - now.uptime))
      emit(.driver(report.kind), app: nil, push: report.push, at: then, &turn)
      return .accepted
    case .install(let manifest, let token):
      return install(manifest, token: token, at: now, &turn)
    case .uninstall(let id):
      return withApp(id) { app, handset in handset.uninstall(app, at: now, &turn) }
    case .register(let id, let kinds, let token):
      return withApp(id) { app, handset in handset.register(app, kinds, freshToken: token, at: now, &turn) }
    case .unregister(let id):
      return withApp(id) { app, handset in handset.unregister(app, at: now, &turn) }
    case .lifecycle(let id, let command):
      return withApp(id) { app, handset in handset.move(app, command, at: now, &turn) }
    case .listening(let id, let state):
      return withApp(id) { app, handset in handset.listen(app, as: state, at: now, &turn) }
    case .disconnected(let id):
      return withApp(id) { app, handset in handset.lose(app, .disconnected, at: now, &turn) }
    case .died(let id):
      return withApp(id) { app, handset in handset.lose(app, .died, at: now, &turn) }
    case .completed(let id, let push, let result, let reason):
      return withApp(id) { app, handset in handset.complete(push, of: app, result, reason, at: now, &turn) }
    case .timedOut(let id, let push):
      return withApp(id) { app, handset in handset.hookTimedOut(push, of: app, at: now, &turn) }
    case .setBadge(let id, let number):
      return withApp(id) { app, handset in handset.setOwnBadge(app, number, at: now, &turn) }
    case .setAppSetting(let id, let key, let value):
      return withApp(id) { app, handset in handset.set(key, to: value, for: app, at: now, &turn) }
    case .setHandsetSetting(let key, let value):
      return set(key, to: value, at: now, &turn)
    case .setCondition(let condition, let isOn):
      return set(condition, isOn, at: now, &turn)
    case .setForegroundPresentation(let id, let kinds):
      return withApp(id) { app, handset in handset.setForegroundPresentation(of: app, to: kinds, at: now, &turn) }
    case .schedule(let request):
      return withApp(request.app) { _, handset in handset.schedule(request, at: now, &turn) }
    case .cancel(let id, let identifier):
      return withApp(id) { app, handset in handset.cancel(app.id, identifier, at: now, &turn) }
    case .setTimeZone(let zone):
      return set(zone, at: now, &turn)
    case .press(let button, let length):
      return press(button, length, at: now, &turn)
    case .clearNotification(let id):
      guard let notification = center.notifications[id] else { return .refused(.unknownNotification(id)) }
      clear([notification], .byPerson, at: now, &turn)
      return .accepted
    case .clearSection(let id):
      return withApp(id) { app, handset in
        handset.clear(handset.center.all(of: app.id), .byPerson, at: now, &turn)
        return .accepted
      }
    case .clearCenter:
      clearAll(at: now, &turn)
      return .accepted
    case .start(let start):
      let verdict = begin(start, at: now, &turn)
      resumeSchedule(after: start, at: now, &turn)
      return verdict
    case .wake:
      return .accepted
    }
  }

  private mutating func withApp(_ id: AppID, _ body: (App, inout Handset) -> Verdict) -> Verdict {
    guard let app = apps[id] else { return .refused(.unknownApp(id)) }
    return body(app, &self)
  }

  private mutating func begin(_ start: Start, at now: Moment, _ turn: inout Turn) -> Verdict {
    emit(.started(start), app: nil, push: nil, at: now, &turn)
    // A banner ends with the daemon, and so does a notification that only a banner showed.
    withdraw(center.withoutPlace, &turn)
    for id in listeners.sorted() { disconnect(id, &turn) }
    // An earlier version kept more than the limit.
    keepWithinSize(at: now, &turn)
    for app in apps.values.filter({ ended($0, with: start) }).sorted(by: { $0.id < $1.id }) {
      enter(.notRunning, app.id, at: now, &turn)
    }
    carryWaitsOver(start, at: now, &turn)
    carryRecentPushesOver(start, at: now, &turn)
    offerAgain(at: now, &turn)
    settleAllHeld(at: now, &turn)
    return .accepted
  }

  private mutating func set(
    _ key: HandsetSettings.Key, to value: String, at now: Moment, _ turn: inout Turn
  ) -> Verdict {
    do {
      var settings = record.settings
      try settings.set(key, to: value)
      if let id = settings.badgeShows, apps[id] == nil { return .refused(.unknownApp(id)) }
      if record.settings.notifications && !settings.notifications { turn.effects.append(.silence(.all)) }
      record.settings = settings
      if key == .fetchMode || key == .fetchInterval { record.fetchStart = now.inWholeMicroseconds }
    } catch {
      return .refused(.badSetting(error))
    }
    emit(.setting(key: key.rawValue, value: value), app: nil, push: nil, at: now, &turn)
    if key == .fetchMode || key == .fetchInterval { settleAllHeld(at: now, &turn) }
    return .accepted
  }
}
