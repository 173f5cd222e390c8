// Live Activities as state: they start, are updated, become stale, end and are dismissed (rules LA1 to LA7).

extension Handset {
  /// Oldest first.
  public var liveActivities: [LiveActivity] { activities.values.sorted { $0.id < $1.id } }

  public func liveActivity(_ id: ActivityID) -> LiveActivity? { activities[id] }

  // MARK: - Arrival

  /// Handles a Live Activity's push that has reached the handset.
  /// - Parameter id: the activity for which the service kept it; nil for that of its token.
  @inline(never)
  mutating func arrive(
    _ update: ActivityUpdate, by push: Push, at app: App, for id: ActivityID? = nil, _ turn: inout Turn
  ) {
    if app.manifest.liveActivity == nil, push.token != nil {
      let problem = "a Live Activity has a token of its own; Apple's service answers DeviceTokenNotForTopic"
      emit(.ignored(PayloadFault(path: "apns-topic", problem: problem)), app: app.id, push: push.id, &turn)
    }
    guard update.event == .start else {
      guard let id = id ?? activity(addressedBy: push, of: app.id) else {
        turn.rule(.activityUnknown, on: push.id)
        return emit(.discarded(.noActivity), app: app.id, push: push.id, &turn)
      }
      return take(push, for: id, &turn)
    }
    guard app.state.settings.liveActivities else {
      turn.rule(.activitiesOff, on: push.id)
      return emit(.discarded(.activitiesOff), app: app.id, push: push.id, &turn)
    }
    guard hasRoomForActivity(of: app.id) else {
      turn.rule(.activityLimit, on: push.id)
      return emit(.discarded(.activityLimit), app: app.id, push: push.id, &turn)
    }
    turn.rule(.activityStarts, on: push.id)
    start(update, of: app.id, push, &turn)
    alert(by: push, of: app, &turn)
  }

  /// Returns the service's slot of the activity that the push updates or ends (rule LA7); nil if it is for none.
  @inline(never)
  func activitySlot(of push: Push, _ app: AppID) -> SlotKey? {
    guard let update = push.activity, update.event != .start else { return nil }
    return activity(addressedBy: push, of: app).map { .activity(app, $0) }
  }

  /// Returns the activity of the push's token; for another token the newest that the app has.
  private func activity(addressedBy push: Push, of app: AppID) -> ActivityID? {
    if case .activity(let id)? = push.token.flatMap({ tokens[$0]?.purpose }) {
      return activities[id]?.ended == nil ? id : nil
    }
    return activities.values.filter { $0.app == app && $0.ended == nil }.map(\.id).max()
  }

  /// Updates every activity that is subscribed to the channel, once for the same broadcast (rules LA8, P1).
  mutating func broadcast(_ push: Push, on channel: ChannelID, _ turn: inout Turn) -> Verdict {
    guard let app = apps[push.topic] else { return .refused(.unknownApp(push.topic)) }
    let recent = push.remembered(on: channel, number: record.nextEvent, at: turn.now)
    let others = recent == nil ? [] : self.recent[push.id]
    if let recent, recent.isDuplicate(of: others, at: turn.now) {
      emit(.duplicate(unique: push.uniqueID), app: app.id, push: push.id, &turn)
      return .accepted
    }
    emit(.accepted(push.type, unique: push.uniqueID), app: app.id, push: push.id, &turn)
    if let recent { remember(recent, besides: others, of: app.id, &turn) }
    for fault in push.faults { emit(.ignored(fault), app: app.id, push: push.id, &turn) }
    let ids = liveActivities.filter { $0.app == app.id && $0.channel == channel && $0.ended == nil }.map(\.id)
    guard let update = push.activity, update.event != .start, !ids.isEmpty else {
      turn.rule(.activityUnknown, on: push.id)
      emit(.discarded(.noActivity), app: app.id, push: push.id, &turn)
      return .accepted
    }
    var copy = push
    for id in ids {
      if reasonToWait != nil {
        keep(copy, in: .activity(app.id, id), &turn)
      } else {
        take(copy, for: id, &turn)
      }
      // Its alert is presented once, whenever each of them arrives.
      copy.isGrouped = true
    }
    return .accepted
  }

  /// Applies a push to the activity, or lets it wait.
  private mutating func take(_ push: Push, for id: ActivityID, _ turn: inout Turn) {
    guard let before = activities[id], before.ended == nil, let update = push.activity else {
      return emit(.discarded(.noActivity), app: push.topic, push: push.id, &turn)
    }
    let isLoud = !push.isGrouped
    let newest = max(before.timestamp, before.waiting?.activity?.timestamp ?? before.timestamp)
    guard update.timestamp >= newest else {
      if isLoud { turn.rule(.activityOlder, on: push.id) }
      return emit(.discarded(.olderTimestamp), app: before.app, push: push.id, &turn)
    }
    var after = before
    after.waiting = nil
    let frequent = apps[before.app]?.state.settings.frequentUpdates ?? false
    let isOver =
      update.event == .update && push.priority == 10
      && !after.spend(of: frequent ? Policy.activityBudgetFrequent : Policy.activityBudget, at: turn.now)
    if let older = before.waiting {
      emit(.discarded(.updateReplaced, newer: push.id), app: before.app, push: older.id, &turn)
    }
    if isOver {
      after.waiting = push
      commit(.activity(before: before, after: after), &turn)
      if isLoud { turn.rule(.activityBudgetSpent, on: push.id) }
      return emit(.held(.activityBudget), app: before.app, push: push.id, &turn)
    }
    if isLoud { turn.rule(update.event == .end ? .activityEnds : .activityUpdates, on: push.id) }
    after.apply(update, push, at: turn.now)
    change(before, to: after, update.event == .end ? .ended : .updated, push.id, &turn)
    if isLoud, let app = apps[before.app] { alert(by: push, of: app, &turn) }
  }

  /// Presents the alert that came with a push: a banner and its sound, and no entry in Notification Center (rule LA2).
  private mutating func alert(by push: Push, of app: App, _ turn: inout Turn) {
    var kinds: NotificationKinds = []
    if push.message != nil { kinds.insert(.alert) }
    if push.sound != .none { kinds.insert(.sound) } else { turn.rule(.soundAbsent, on: push.id) }
    guard !kinds.isEmpty else { return }
    var presented = Event.Presented()
    let request = push.ring(for: app)
    let hasSound: Bool
    do {
      hasSound = try chooseParts(of: request, isLocal: false, kinds, from: app, &presented, &turn)
    } catch {
      return emit(.notPresented(error), app: app.id, push: push.id, &turn)
    }
    (presented.style, presented.isListed) = (presented.style == .none ? .none : .banner, false)
    if presented.style != .none, let message = push.message {
      show(message, of: push, as: request, for: app, hasSound: hasSound, &presented, &turn)
    }
    if hasSound { presented.rung = ring(request, of: app, &turn) }
    if presented.isEmpty {
      let isFocused = record.settings.focus != nil && isSilencedByFocus(request, from: app)
      let reason: Event.NotPresented = isFocused ? .focus : app.state.isProvisional ? .provisional : .switchedOff
      emit(.notPresented(presented.rung.silenced ?? reason), app: app.id, push: push.id, &turn)
    } else {
      emit(.presented(presented), app: app.id, push: push.id, &turn)
    }
  }

  // MARK: - Changes by the app and by the person

  /// Starts, updates or ends an activity at the app's own request.
  /// - Parameter id: nil to start one.
  mutating func change(_ id: ActivityID?, of app: App, by update: ActivityUpdate, _ turn: inout Turn) -> Verdict {
    guard case .registered = app.state.registration else { return .refused(.activitiesOff(app.id)) }
    guard app.state.settings.liveActivities else { return .refused(.activitiesOff(app.id)) }
    guard update.content.utf8.count <= Policy.activityContentLimit else { return .refused(.badActivity) }
    guard update.event != .start else {
      guard id == nil else { return .refused(.badActivity) }
      guard hasRoomForActivity(of: app.id) else { return .refused(.tooManyActivities(app.id)) }
      start(update, of: app.id, nil, &turn)
      return .accepted
    }
    guard let id, let before = activities[id], before.app == app.id, before.ended == nil else {
      return .refused(.unknownActivity(id))
    }
    guard update.timestamp >= before.timestamp else { return .refused(.badActivity) }
    var after = before
    after.apply(update, nil, at: turn.now)
    change(before, to: after, update.event == .end ? .ended : .updated, nil, &turn)
    return .accepted
  }

  mutating func dismissActivity(_ id: ActivityID, _ turn: inout Turn) -> Verdict {
    guard let activity = activities[id] else { return .refused(.unknownActivity(id)) }
    change(activity, to: nil, .byPerson, nil, &turn)
    return .accepted
  }

  mutating func dismissActivities(of app: AppID, _ reason: ActivityChange, _ turn: inout Turn) {
    guard !activities.isEmpty else { return }
    for activity in liveActivities where activity.app == app { change(activity, to: nil, reason, nil, &turn) }
  }

  private func hasRoomForActivity(of app: AppID) -> Bool {
    activities.count < Policy.activityLimit
      && activities.values.count { $0.app == app } < Policy.activityLimitPerApp
  }

  private mutating func start(_ update: ActivityUpdate, of app: AppID, _ push: Push?, _ turn: inout Turn) {
    let activity = LiveActivity(ActivityID(record.nextEvent), of: app, by: update, push: push, at: turn.now)
    change(nil, to: activity, .started, push?.id, &turn)
    askForTokens(of: app, &turn)
  }

  /// Stores a change with its event, and settles the tokens and dates that depend on it.
  private mutating func change(
    _ before: LiveActivity?, to after: LiveActivity?, _ change: ActivityChange, _ push: PushID?, _ turn: inout Turn
  ) {
    guard let (app, id) = (after ?? before).map({ ($0.app, $0.id) }) else { return }
    commit(.activity(before: before, after: after), &turn)
    emit(.activity(id, change), app: app, push: push, &turn)
    if push == nil, after == nil || after?.ended != nil, let waiting = before?.waiting {
      emit(.discarded(.noActivity), app: app, push: waiting.id, &turn)
    }
    if after == nil || after?.ended != nil {
      discardKept(in: .activity(app, id), .noActivity, &turn)
      retireUnneededTokens(of: app, &turn)
    }
    if let after { settle(after, &turn) }
  }

  // MARK: - Time

  /// The earliest times at which an activity changes by itself.
  var activityDeadlines: (uptime: Duration?, wall: WallTime?) {
    let uptimes = activities.values.map { $0.waiting == nil ? $0.limit : min($0.limit, $0.freeAt ?? $0.limit) }
    return (uptimes.min(), activities.values.compactMap(\.date).min())
  }

  /// Applies what is due by time alone.
  @inline(never)
  mutating func settleActivities(_ turn: inout Turn) {
    for activity in liveActivities { settle(activity, &turn) }
  }

  private mutating func settle(_ activity: LiveActivity, _ turn: inout Turn) {
    let (uptime, wall) = (turn.now.uptime, turn.now.wall)
    if activity.limit <= uptime || (activity.state == .ended && activity.date.map { $0 <= wall } ?? false) {
      guard activity.ended == nil else { return change(activity, to: nil, .dismissalTime, nil, &turn) }
      var after = activity
      after.end(dismissal: nil, at: turn.now)
      return change(activity, to: after, .timeLimit, nil, &turn)
    }
    if activity.state == .active, let stale = activity.staleDate, stale <= wall {
      var after = activity
      after.state = .stale
      return change(activity, to: after, .stale, nil, &turn)
    }
    if activity.waiting != nil, activity.freeAt ?? .zero <= uptime {
      release(activity, &turn)
    }
  }

  /// Continues after a start of the daemon or the board.
  mutating func carryActivitiesOver(_ start: Start, _ turn: inout Turn) {
    for before in liveActivities {
      let after = before.afterStart(start, at: turn.now)
      if after != before { commit(.activity(before: before, after: after), &turn) }
    }
    settleActivities(&turn)
  }

  private mutating func release(_ before: LiveActivity, _ turn: inout Turn) {
    guard let push = before.waiting else { return }
    var after = before
    after.waiting = nil
    commit(.activity(before: before, after: after), &turn)
    if case .at(let expires) = push.expiration, expires <= turn.now.wall {
      return emit(.discarded(.expired), app: before.app, push: push.id, &turn)
    }
    emit(.arrived, app: before.app, push: push.id, &turn)
    take(push, for: before.id, &turn)
  }
}

// MARK: - Tokens

extension Handset {
  /// Returns the tokens that the app needs for Live Activities: one to start them, and one for each that goes on and
  /// is subscribed to no channel.
  func activityTokenPurposes(of app: App) -> [TokenPurpose] {
    guard app.manifest.liveActivity != nil else { return [] }
    let own = liveActivities.filter { $0.app == app.id && $0.ended == nil && $0.channel == nil }
    return [.pushToStart] + own.map { .activity($0.id) }
  }

  /// Refuses a push for a Live Activity to the ordinary token of an app that has others for it (rule LA2).
  @inline(never)
  func checkUse(of token: TokenRecord, by push: Push) throws(Refusal) {
    let isWrong =
      token.purpose != nil ? !token.takes(push) : push.activity != nil && apps[token.app]?.manifest.liveActivity != nil
    if isWrong { throw .tokenOfAnotherUse }
  }
}
