extension Handset {
  /// Applies the input. Only this and `undo` change the handset.
  public mutating func handle(_ input: Input, at now: Moment) -> Turn {
    var turn = Turn(now: now)
    handle(input, &turn)
    return turn
  }

  /// - Parameter turn: a new one. It stays where it is: its results are not copied.
  public mutating func handle(_ input: Input, _ turn: inout Turn) {
    let before = record
    if case .start = input { expire(isStart: true, &turn) } else { expire(isStart: false, &turn) }
    doSelected(&turn)
    followWallClock(&turn)
    // These two precede everything that is due: they change the apps' state or the time zone.
    switch input {
    case .start, .setTimeZone: break
    default:
      followFocusHours(&turn)
      settleSummary(&turn)
      presentDue(&turn)
    }
    if !activities.isEmpty { if case .start = input {} else { settleActivities(&turn) } }
    // This comes last, because due notifications may replace ones that would sound again.
    if case .start = input {} else { soundAgain(&turn) }
    turn.verdict = decide(input, &turn)
    forgetGone(&turn)
    settleSelection(&turn)
    settleLamp(&turn)
    ruleOnLamp(&turn)
    if record != before { turn.changes.append(.record(RecordChange(before: before, after: record))) }
  }

  private mutating func decide(_ input: Input, _ turn: inout Turn) -> Verdict {
    switch input {
    case .push(let push): return receive(push, &turn)
    case .keep(let push): return receive(push, isKept: true, &turn)
    case .forward:
      settleKept(&turn)
      return .accepted
    case .retract(let id, let collapseID, let retraction):
      return withApp(id) { app, handset in handset.retract(collapseID, of: app.id, retraction, &turn) }
    case .publish(let push, let node, let propertyList): return publish(push, through: node, propertyList, &turn)
    case .createNode(let id): return createNode(id, &turn)
    case .deleteNode(let id): return deleteNode(id, &turn)
    case .refused(let push): return note(push, &turn)
    case .report(let report): return note(report, &turn)
    case .install(let manifest, let token): return install(manifest, token: token, &turn)
    case .uninstall(let id): return withApp(id) { app, handset in handset.uninstall(app, &turn) }
    case .register(let id, let kinds, let token):
      return withApp(id) { app, handset in handset.register(app, kinds, freshToken: token, &turn) }
    case .unregister(let id): return withApp(id) { app, handset in handset.unregister(app, &turn) }
    case .lifecycle(let id, let command): return withApp(id) { app, handset in handset.move(app, command, &turn) }
    case .listening(let id, let state): return withApp(id) { app, handset in handset.listen(app, as: state, &turn) }
    case .disconnected(let id): return withApp(id) { app, handset in handset.lose(app, .disconnected, &turn) }
    case .died(let id): return withApp(id) { app, handset in handset.lose(app, .died, &turn) }
    case .completed(let id, let push, let result, let reason):
      return withApp(id) { app, handset in handset.complete(push, of: app, result, reason, &turn) }
    case .timedOut(let id, let push):
      return withApp(id) { app, handset in handset.programTimedOut(push, of: app, &turn) }
    case .extended(let id, let push, let answer): return withApp(id) { $1.extended(push, of: $0, answer, &turn) }
    case .setBadge(let id, let number): return withApp(id) { app, handset in handset.setOwnBadge(app, number, &turn) }
    case .setAppSetting(let id, let key, let value):
      return withApp(id) { app, handset in handset.set(key, to: value, for: app, &turn) }
    case .setHandsetSetting(let key, let value): return set(key, to: value, &turn)
    case .setCondition(let condition, let isOn): return set(condition, isOn, &turn)
    case .setFocusMode(let name, let mode): return setFocusMode(name, to: mode, &turn)
    case .setForegroundPresentation(let id, let kinds):
      return withApp(id) { app, handset in handset.setForegroundPresentation(of: app, to: kinds, &turn) }
    case .schedule(let request): return withApp(request.app) { _, handset in handset.schedule(request, &turn) }
    case .cancel(let id, let identifier):
      return withApp(id) { app, handset in handset.cancel(app.id, identifier, &turn) }
    case .setTimeZone(let zone): return set(zone, &turn)
    case .press(let button, let length): return press(button, length, &turn)
    case .clearNotification(let id): return clearNotification(id, &turn)
    case .clearSection(let id):
      return withApp(id) { app, handset in
        handset.clear(handset.center.all(of: app.id), .byPerson, &turn)
        return .accepted
      }
    case .clearCenter:
      clearAll(&turn)
      return .accepted
    case .fetch(let id): return fetch(id, &turn)
    case .snooze(let id, let length): return snooze(id, for: length, &turn)
    case .endSnooze(let id): return endSnooze(id, &turn)
    case .call(let id, let push, let call):
      return withApp(id) { app, handset in handset.call(call, of: app, for: push, &turn) }
    case .called(let number, let outcome): return settle(number, outcome, &turn)
    case .respond(let id, let action, let text): return respond(to: id, action, text: text, &turn)
    case .removeDelivered(let id, let numbers):
      return withApp(id) { app, handset in handset.removeDelivered(numbers, of: app, &turn) }
    case .listDelivered(let id): return withApp(id) { app, handset in handset.listDelivered(of: app, &turn) }
    case .mintedToken, .broadcast, .changeActivity, .dismissActivity: return decideOnActivity(input, &turn)
    case .start(let start):
      let verdict = begin(start, &turn)
      followFocusHours(&turn)
      settleSummary(&turn)
      resumeSchedule(after: start, &turn)
      return verdict
    case .wake: return .accepted
    }
  }

  @inline(never)
  private mutating func decideOnActivity(_ input: Input, _ turn: inout Turn) -> Verdict {
    switch input {
    case .mintedToken(let id, let purpose, let token):
      return withApp(id) { app, handset in handset.take(token, for: purpose, of: app, &turn) }
    case .broadcast(let push, let channel): return broadcast(push, on: channel, &turn)
    case .changeActivity(let id, let activity, let update):
      return withApp(id) { app, handset in handset.change(activity, of: app, by: update, &turn) }
    case .dismissActivity(let id): return dismissActivity(id, &turn)
    default: return .accepted
    }
  }

  private mutating func clearNotification(_ id: NotificationID, _ turn: inout Turn) -> Verdict {
    guard let notification = center.notifications[id] else { return .refused(.unknownNotification(id)) }
    clear([notification], .byPerson, &turn)
    return .accepted
  }

  private mutating func withApp(_ id: AppID, _ body: (App, inout Handset) -> Verdict) -> Verdict {
    guard let app = apps[id] else { return .refused(.unknownApp(id)) }
    return body(app, &self)
  }

  private mutating func note(_ push: RefusedPush, _ turn: inout Turn) -> Verdict {
    let kind = Event.Kind.refused(
      status: push.status, reason: push.reason, detail: excerpt(push.detail), source: push.source,
      provider: push.provider)
    emit(kind, app: push.topic, push: push.id, &turn)
    return .accepted
  }

  /// Records a report of a driver, at its own moment.
  private mutating func note(_ report: DriverReport, _ turn: inout Turn) -> Verdict {
    let then = Moment(uptime: report.uptime, wall: turn.now.wall.advanced(by: report.uptime - turn.now.uptime))
    emit(.driver(report.kind), push: report.push, at: then, &turn)
    return .accepted
  }

  private mutating func begin(_ start: Start, _ turn: inout Turn) -> Verdict {
    emit(.started(start), &turn)
    // A banner ends with the daemon, and so does a notification that only a banner showed.
    withdraw(center.withoutPlace, &turn)
    for id in listeners.sorted() { disconnect(id, &turn) }
    // An earlier version kept more than the limit.
    keepWithinSize(&turn)
    for app in apps.values.filter({ ended($0, with: start) }).sorted(by: { $0.id < $1.id }) {
      enter(.notRunning, app.id, &turn)
    }
    carryWaitsOver(start, &turn)
    carryRecentPushesOver(start, &turn)
    carrySnoozesOver(start, &turn)
    carryRepetitionsOver(start, &turn)
    carryPushTypeCountsOver(start, &turn)
    offerAgain(&turn)
    extendAgain(&turn)
    // An update that came with one of them may have expired while the extension had it.
    expireUpdates(isStart: true, &turn)
    settleAllHeld(&turn)
    carryActivitiesOver(start, &turn)
    askForAllTokens(&turn)
    fetchWhereDue(&turn)
    return .accepted
  }

  private mutating func set(_ key: HandsetSettings.Key, to value: String, _ turn: inout Turn) -> Verdict {
    let fetchMode = record.settings.fetchMode
    do {
      var settings = record.settings
      try settings.set(key, to: value)
      if let id = settings.badgeShows, apps[id] == nil { return .refused(.unknownApp(id)) }
      if key == .focus {
        if let name = settings.focus, focusModes[name] == nil { return .refused(.unknownFocusMode(name)) }
        turnFocus(to: settings.focus, &turn)
        return .accepted
      }
      if record.settings.notifications && !settings.notifications { turn.effects.append(.silence(.all)) }
      record.settings = settings
      if key == .fetchMode || key == .fetchInterval { record.fetchStart = turn.now.inWholeMicroseconds }
    } catch {
      return .refused(.badSetting(error))
    }
    emit(.setting(key: key.rawValue, value: record.settings[key]), &turn)
    if key == .summary { settleSummary(&turn) }
    if !record.settings.notifications { endRepetitions(.repeatNotAllowed, &turn) }
    if record.settings.fetchMode != fetchMode { settleKept(&turn) }
    return .accepted
  }

  /// Returns the time at which the handset needs `Input.wake`; nil if nothing is due. The next change of the visible
  /// state by the time of day is included.
  public func wakeAt(after now: Moment) -> Deadline? {
    let uptimes = [
      banner?.until, outbox.deadlines.first?.time, holds.dues.first?.time, schedule.byUptime.first?.time,
      snoozes.first?.time, record.snooze?.until, repeatsAt, selection?.until, fetchesAt,
    ]
    let walls = [
      holds.expirations.first?.time, outbox.expirations.first?.time, slots.expirations.first?.time,
      schedule.byWall.first?.time, nextNightEdge(after: now), nextFocusEdge(after: now), deferred.expiration,
      summaryDue(at: now),
    ]
    var (uptime, wall) = (uptimes.compactMap { $0 }.min(), walls.compactMap { $0 }.min())
    if !activities.isEmpty {
      let due = activityDeadlines
      uptime = [uptime, due.uptime].compactMap { $0 }.min()
      wall = [wall, due.wall].compactMap { $0 }.min()
    }
    return Deadline(uptime: uptime, wall: wall)
  }

  private mutating func expire(isStart: Bool, _ turn: inout Turn) {
    if let banner, banner.until <= turn.now.uptime { endBanner(&turn) }
    renewUnsetStamps(&turn)
    expireUpdates(isStart: isStart, &turn)
    forgetGone(&turn)
  }

  /// Forgets gone tokens and nodes after the same time, and the oldest above their limits.
  private mutating func forgetGone(_ turn: inout Turn) {
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
