// Rules T1 to T4: pushes of the types of which nothing is presented. They wake the app at once, outside the budget and
// the conditions of background updates.

extension Handset {
  /// Gives the push to its app, or drops it.
  @inline(never)
  mutating func deliver(_ push: Push, by delivery: TypedDelivery, to app: App, _ turn: inout Turn) {
    if delivery.mode != nil, let types = app.manifest.pushTypes, !types.contains(push.type) {
      turn.rule(.typeNotTaken, on: push.id)
      return emit(.discarded(.noTypeMode), app: app.id, push: push.id, &turn)
    }
    turn.rule(.typeTaken, on: push.id)
    if let obstacle = obstacle(to: push, delivery, app, at: turn.now) {
      turn.rule(obstacle.ruling, on: push.id)
      return emit(.discarded(obstacle.reason), app: app.id, push: push.id, &turn)
    }
    if delivery.dailyBudget != nil && app.state.lifecycle != .foreground { countOne(push.type, of: app.id, &turn) }
    if delivery.isReload { emit(.reload(push.type), app: app.id, push: push.id, &turn) }
    let isReachable = isReachable(app)
    if !isReachable { turn.rule(.notConnected, on: push.id) }
    if app.state.lifecycle == .forceQuit { enter(isReachable ? .background : .notRunning, app.id, &turn) }
    deliver(
      push.id, to: apps[app.id] ?? app, payload: .bytes(push.payload), expires: push.keptUntil(at: turn.now),
      isCharged: false, for: .type(push.type), &turn)
  }

  /// Returns why the app does not get a push of a type that it takes; nil if it does.
  private func obstacle(
    to push: Push, _ delivery: TypedDelivery, _ app: App, at now: Moment
  ) -> (ruling: Ruling, reason: Event.Discarded)? {
    if app.state.lifecycle == .forceQuit && !delivery.wakesForceQuit { return (.forceQuit, .isForceQuit) }
    if delivery.isReload && !push.contentAvailable { return (.typeUnchanged, .unchanged) }
    guard let count = app.state.count(of: push.type) else { return nil }
    if delivery.isCall && count.count >= Policy.unansweredCalls { return (.callsUnanswered, .callsUnanswered) }
    if let budget = delivery.dailyBudget, app.state.lifecycle != .foreground, count.count >= budget,
      !count.isOver(at: now)
    {
      return (.spentToday, .spentToday)
    }
    return nil
  }

  private mutating func countOne(_ type: PushType, of app: AppID, _ turn: inout Turn) {
    let now = turn.now
    change(app, &turn) { state in
      var count = state.count(of: type) ?? PushTypeCount(type: type, count: 0, since: now.inWholeMicroseconds)
      if type.rules.delivery?.dailyBudget != nil, count.isOver(at: now) {
        count = PushTypeCount(type: type, count: 0, since: now.inWholeMicroseconds)
      }
      count.count += 1
      state.setCount(of: type, to: count)
    }
  }

  /// Counts a push that its app did not complete in time, if it was a call (rule T2).
  mutating func countUnanswered(_ type: PushType, of app: AppID, _ turn: inout Turn) {
    if type.rules.delivery?.isCall == true { countOne(type, of: app, &turn) }
  }

  /// Begins the count of unanswered calls anew: the app completed one.
  mutating func countAnswered(_ type: PushType, of app: AppID, _ turn: inout Turn) {
    guard type.rules.delivery?.isCall == true, apps[app]?.state.count(of: type) != nil else { return }
    change(app, &turn) { $0.setCount(of: type, to: nil) }
  }

  /// Lets the app have calls again, because the person opened it (rule T2).
  mutating func forgetUnanswered(of app: AppID, _ turn: inout Turn) {
    guard let counts = apps[app]?.state.pushTypeCounts else { return }
    for count in counts { countAnswered(count.type, of: app, &turn) }
  }

  /// Notes that Apple's service wants a token of its own for the push, which the app has (rule T4).
  mutating func noteTokenOfAnotherUse(_ push: Push, _ turn: inout Turn) {
    guard let token = push.token, tokens[token]?.purpose == nil,
      purposeTokens[push.topic]?.contains(where: { TokenRecord(app: push.topic, purpose: $0.key).takes(push) }) == true
    else { return }
    let problem = "Apple's service wants the app's token for \(push.type.rawValue)"
    emit(.ignored(PayloadFault(path: "device token", problem: problem)), app: push.topic, push: push.id, &turn)
  }

  /// Converts counts of an earlier boot.
  mutating func carryPushTypeCountsOver(_ start: Start, _ turn: inout Turn) {
    let now = turn.now
    for id in apps.values.filter({ $0.state.pushTypeCounts != nil }).map(\.id).sorted() {
      change(id, &turn) { state in
        for var count in state.pushTypeCounts ?? [] {
          count.since = count.since.afterStart(start, at: now)
          state.setCount(of: count.type, to: count)
        }
      }
    }
  }
}

extension AppState {
  /// Returns how many pushes of the type were counted; nil for none.
  public func count(of type: PushType) -> PushTypeCount? { pushTypeCounts?.first { $0.type == type } }

  fileprivate mutating func setCount(of type: PushType, to count: PushTypeCount?) {
    let others = (pushTypeCounts ?? []).filter { $0.type != type }
    let all = (others + [count].compactMap(\.self)).sorted { $0.type.rawValue < $1.type.rawValue }
    pushTypeCounts = all.isEmpty ? nil : all
  }
}

extension PushTypeCount {
  /// Returns true if the day that it counts is over.
  fileprivate func isOver(at now: Moment) -> Bool { since.uptime + Policy.pushTypeDay <= now.uptime }
}
