// Rules LA1 to LA9: Live Activities, in one list, and their tokens.

import Foundation

@testable import HandsetCore

struct ModelActivity {
  var id: ActivityID
  var app: AppID
  var stamp: WallTime
  var content: String
  var stale: WallTime?
  var isStale = false
  var relevance: Double?
  var channel: ChannelID?
  var started: Moment
  var ended: Moment?
  var dismissal: WallTime?
  /// The beginning of the present hour of its budget, and the updates of priority 10 in it.
  var hour: Moment?
  var used = 0
  /// The update that waits for the next hour.
  var waiting: Push?

  var state: LiveActivity.State { ended != nil ? .ended : isStale ? .stale : .active }
}

extension HandsetModel {
  // MARK: - Tokens

  private func wantedTokens(_ place: Int) -> [TokenPurpose] {
    let app = apps[place]
    guard case .registered = app.registration else { return [] }
    let reloads: [TokenPurpose] = [.widgets, .controls].filter { purpose in
      app.manifest.pushTypes?.contains(purpose == .widgets ? .widgets : .controls) ?? false
    }
    guard app.manifest.liveActivity != nil else { return reloads }
    let running = activities.filter { $0.app == app.id && $0.ended == nil && $0.channel == nil }
    return [.pushToStart] + running.map { .activity($0.id) } + reloads
  }

  mutating func settleTokens(_ id: AppID) {
    let wanted = place(of: id).map(wantedTokens) ?? []
    for extra in extraTokens where extra.app == id && !wanted.contains(extra.purpose) {
      goneTokens.append((extra.token, id, now.wall))
      if case .activity = extra.purpose { goneActivityTokens.insert(extra.token) }
    }
    extraTokens.removeAll { $0.app == id && !wanted.contains($0.purpose) }
  }

  /// - Parameter known: nil for all activities.
  mutating func askForTokens(_ id: AppID, of known: [ActivityID]? = nil) {
    guard let place = place(of: id) else { return }
    for purpose in wantedTokens(place) where !extraTokens.contains(where: { $0.app == id && $0.purpose == purpose }) {
      if case .activity(let activity) = purpose, let known, !known.contains(activity) { continue }
      effects.append(.mint(purpose, id))
    }
  }

  mutating func takeToken(_ id: AppID, _ purpose: TokenPurpose, _ token: DeviceToken) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    let isKnown =
      apps.contains { $0.token == token } || goneTokens.contains { $0.token == token }
      || extraTokens.contains { $0.token == token || ($0.app == id && $0.purpose == purpose) }
    guard wantedTokens(place).contains(purpose), !isKnown else { return nil }
    extraTokens.append((token, id, purpose))
    if case .activity(let activity) = purpose {
      emit(.activityToken(activity, String(token.hex.prefix(8))), id, nil)
    }
    return nil
  }

  /// Returns true if the push may not be sent to that token of the app.
  func isWrongUse(_ push: Push, _ purpose: TokenPurpose?, _ place: Int) -> Bool {
    let event = push.activity?.event
    switch purpose {
    case nil: return push.type == .liveactivity && event != nil && apps[place].manifest.liveActivity != nil
    case .pushToStart?: return push.type != .liveactivity || event == .update || event == .end
    case .activity?: return push.type != .liveactivity || event == .start
    case .widgets?: return push.type != .widgets
    case .controls?: return push.type != .controls
    }
  }

  mutating func obeyForActivity(_ input: Input) -> Refusal? {
    switch input {
    case .mintedToken(let id, let purpose, let token): return takeToken(id, purpose, token)
    case .broadcast(let push, let channel): return broadcast(push, channel)
    case .changeActivity(let id, let activity, let update): return changeActivity(id, activity, update)
    case .dismissActivity(let id): return dismissActivity(id)
    default: return nil
    }
  }

  // MARK: - Pushes

  mutating func arriveForActivity(_ push: Push, _ update: ActivityUpdate, _ place: Int, _ kept: ActivityID? = nil) {
    let app = apps[place]
    if app.manifest.liveActivity == nil && push.token != nil {
      let problem = "a Live Activity has a token of its own; Apple's service answers DeviceTokenNotForTopic"
      emit(.ignored(PayloadFault(path: "apns-topic", problem: problem)), app.id, push.id)
    }
    if update.event == .start {
      guard app.settings.liveActivities else { return emit(.discarded(.activitiesOff), app.id, push.id) }
      guard hasRoom(app.id) else { return emit(.discarded(.activityLimit), app.id, push.id) }
      begin(update, app.id, push.id)
      alert(push, app.id)
    } else if let id = kept ?? goal(of: push, app.id) {
      bring(push, to: id)
    } else {
      emit(.discarded(.noActivity), app.id, push.id)
    }
  }

  /// Returns nil if the service keeps it as any other push.
  func activityToUpdate(by push: Push, _ app: AppID) -> ActivityID? {
    guard push.type == .liveactivity, let update = push.activity, update.event != .start else { return nil }
    return goal(of: push, app)
  }

  private func goal(of push: Push, _ app: AppID) -> ActivityID? {
    let running = activities.filter { $0.app == app && $0.ended == nil }
    if case .activity(let id)? = extraTokens.first(where: { $0.token == push.token })?.purpose {
      return running.first { $0.id == id }?.id
    }
    return running.last?.id
  }

  mutating func broadcast(_ push: Push, _ channel: ChannelID) -> Refusal? {
    let id = push.topic
    guard let place = place(of: id) else { return .unknownApp(id) }
    if hasCome(push, on: channel) {
      emit(.duplicate(unique: push.uniqueID), id, push.id)
      return nil
    }
    emit(.accepted(push.type, unique: push.uniqueID), id, push.id)
    note(push, on: channel, of: id)
    for fault in push.faults { emit(.ignored(fault), id, push.id) }
    let goals = activities.filter { $0.app == id && $0.channel == channel && $0.ended == nil }.map(\.id)
    guard let update = push.activity, update.event != .start, !goals.isEmpty else {
      emit(.discarded(.noActivity), id, push.id)
      return nil
    }
    let waits = isOffline || settings.fetchMode != .push
    for goal in goals {
      var copy = push
      copy.isGrouped = goal != goals[0]
      if waits { keep(copy, place, for: goal) } else { bring(copy, to: goal) }
    }
    return nil
  }

  private mutating func bring(_ push: Push, to id: ActivityID) {
    guard let index = activities.firstIndex(where: { $0.id == id }), let update = push.activity else { return }
    let app = activities[index].app
    let others = [activities[index].stamp] + [activities[index].waiting?.activity?.timestamp].compactMap { $0 }
    if others.contains(where: { $0 > update.timestamp }) { return emit(.discarded(.olderTimestamp), app, push.id) }
    if let older = activities[index].waiting { emit(.discarded(.updateReplaced, newer: push.id), app, older.id) }
    activities[index].waiting = nil
    if update.event == .update && push.priority == 10 {
      let most = apps.first { $0.id == app }?.settings.frequentUpdates == true ? 120 : 15
      if let hour = activities[index].hour, now.uptime < hour.uptime + .seconds(3600) {
        if activities[index].used >= most {
          activities[index].waiting = push
          return emit(.held(.activityBudget), app, push.id)
        }
      } else {
        (activities[index].hour, activities[index].used) = (now, 0)
      }
      activities[index].used += 1
    }
    show(update, index, push.id)
    if !push.isGrouped { alert(push, app) }
  }

  private mutating func show(_ update: ActivityUpdate, _ index: Int, _ push: PushID?) {
    let (id, app) = (activities[index].id, activities[index].app)
    activities[index].stamp = update.timestamp
    activities[index].content = update.content
    activities[index].stale = update.staleDate
    activities[index].relevance = update.relevance
    activities[index].isStale = false
    if update.event == .end {
      activities[index].ended = now
      activities[index].dismissal = update.dismissalDate
      emit(.activity(id, .ended), app, push)
      loseWaiting(index)
      settleTokens(app)
    } else {
      emit(.activity(id, .updated), app, push)
    }
    settleActivities()
  }

  /// Discards what waits for an activity that is over, on the handset and in the service.
  private mutating func loseWaiting(_ index: Int) {
    let activity = activities[index]
    if let waiting = activity.waiting { emit(.discarded(.noActivity), activity.app, waiting.id) }
    activities[index].waiting = nil
    if let place = place(of: activity.app) { dropKept(place, .noActivity) { $0.activity == activity.id } }
  }

  private func hasRoom(_ app: AppID) -> Bool { activities.count < 50 && activities.count { $0.app == app } < 5 }

  private mutating func begin(_ update: ActivityUpdate, _ app: AppID, _ push: PushID?) {
    let id = ActivityID(UInt64(eventsBefore + events.count + 1))
    activities.append(
      ModelActivity(
        id: id, app: app, stamp: update.timestamp, content: update.content, stale: update.staleDate,
        relevance: update.relevance, channel: update.channel, started: now))
    emit(.activity(id, .started), app, push)
    settleActivities()
    askForTokens(app)
  }

  private mutating func alert(_ push: Push, _ id: AppID) {
    guard push.message != nil || push.sound != .none, let place = place(of: id) else { return }
    let app = apps[place]
    let push = leveled(push, app)
    var asked: NotificationKinds = push.message == nil ? [] : .alert
    if push.sound != .none { asked.insert(.sound) }
    let wish = app.lifecycle == .foreground ? app.foregroundPresentation : .all
    let known = asked.intersection(app.registeredKinds)
    if !settings.notifications { return emit(.notPresented(.handsetNotificationsOff), id, push.id) }
    if !app.settings.allowNotifications { return emit(.notPresented(.appNotAllowed), id, push.id) }
    if known.isEmpty { return emit(.notPresented(.kindNotRegistered), id, push.id) }
    if known.isDisjoint(with: wish) { return emit(.notPresented(.foreground), id, push.id) }
    let isFocused = isSilencedByFocus(push.level, app, push.options?.filterCriteria)
    let allowed = known.intersection(app.wantedKinds).intersection(wish)
    let isQuiet = isFocused || app.registeredKinds.contains(.provisional)
    var presented = Event.Presented()
    if allowed.contains(.alert) && !isQuiet && app.settings.style != .none {
      presented.style = .banner
      presented.replaces = show(push, place, presented, hasSound: allowed.contains(.sound), false)
    }
    if allowed.contains(.sound) { presented.rung = ring(push, app) }
    if presented.style == .none && presented.rung.sound == nil && presented.rung.vibration == nil {
      let isListable = allowed.contains(.alert) && app.settings.showInNotificationCenter
      let other: Event.NotPresented =
        isFocused ? .focus : app.registeredKinds.contains(.provisional) && isListable ? .provisional : .switchedOff
      emit(.notPresented(presented.rung.silenced ?? other), id, push.id)
    } else {
      emit(.presented(presented), id, push.id)
    }
  }

  // MARK: - The app and the person

  mutating func changeActivity(_ id: AppID, _ activity: ActivityID?, _ update: ActivityUpdate) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard case .registered = apps[place].registration, apps[place].settings.liveActivities else {
      return .activitiesOff(id)
    }
    if update.content.utf8.count > 4096 { return .badActivity }
    if update.event == .start {
      if activity != nil { return .badActivity }
      if !hasRoom(id) { return .tooManyActivities(id) }
      begin(update, id, nil)
      return nil
    }
    guard let index = activities.firstIndex(where: { $0.id == activity && $0.app == id && $0.ended == nil }) else {
      return .unknownActivity(activity)
    }
    if update.timestamp < activities[index].stamp { return .badActivity }
    show(update, index, nil)
    return nil
  }

  mutating func dismissActivity(_ id: ActivityID) -> Refusal? {
    guard let index = activities.firstIndex(where: { $0.id == id }) else { return .unknownActivity(id) }
    removeActivity(index, .byPerson)
    return nil
  }

  mutating func dismissActivities(_ app: AppID, _ why: ActivityChange) {
    while let index = activities.firstIndex(where: { $0.app == app }) { removeActivity(index, why) }
  }

  private mutating func removeActivity(_ index: Int, _ why: ActivityChange) {
    let gone = activities[index]
    emit(.activity(gone.id, why), gone.app, nil)
    loseWaiting(index)
    activities.remove(at: index)
    settleTokens(gone.app)
  }

  // MARK: - Time

  mutating func settleActivities() {
    for id in activities.map(\.id) {
      while let index = activities.firstIndex(where: { $0.id == id }), settleOnce(index) {}
    }
  }

  /// Returns true if something was due.
  private mutating func settleOnce(_ index: Int) -> Bool {
    let activity = activities[index]
    if let ended = activity.ended {
      let isDue = ended.uptime + .seconds(4 * 3600) <= now.uptime || activity.dismissal.map { $0 <= now.wall } ?? false
      if isDue { removeActivity(index, .dismissalTime) }
      return isDue
    }
    if activity.started.uptime + .seconds(8 * 3600) <= now.uptime {
      activities[index].ended = now
      emit(.activity(activity.id, .timeLimit), activity.app, nil)
      loseWaiting(index)
      settleTokens(activity.app)
      return true
    }
    if !activity.isStale, let stale = activity.stale, stale <= now.wall {
      activities[index].isStale = true
      emit(.activity(activity.id, .stale), activity.app, nil)
      return true
    }
    if activity.waiting != nil,
      activity.hour.map({ $0.uptime + .seconds(3600) <= now.uptime }) ?? true
    {
      sendWaiting(index)
      return true
    }
    return false
  }

  private mutating func sendWaiting(_ index: Int) {
    guard let push = activities[index].waiting else { return }
    activities[index].waiting = nil
    if push.expiration != .once, expiration(of: push) <= now.wall {
      return emit(.discarded(.expired), activities[index].app, push.id)
    }
    emit(.arrived, activities[index].app, push.id)
    bring(push, to: activities[index].id)
  }

  mutating func restartActivities(_ start: Start) {
    for index in activities.indices {
      activities[index].started = afterStart(activities[index].started, start)
      activities[index].ended = activities[index].ended.map { afterStart($0, start) }
      activities[index].hour = activities[index].hour.map { afterStart($0, start) }
    }
  }

  var activityUptimes: [Duration] {
    activities.flatMap { activity -> [Duration] in
      let limit = activity.ended.map { $0.uptime + .seconds(4 * 3600) } ?? activity.started.uptime + .seconds(8 * 3600)
      return [limit]
        + (activity.waiting != nil ? [activity.hour.map { $0.uptime + .seconds(3600) }].compactMap { $0 } : [])
    }
  }

  var activityDates: [WallTime] {
    activities.compactMap { $0.ended != nil ? $0.dismissal : $0.isStale ? nil : $0.stale }
  }

  // MARK: - The display

  /// The ones that have not ended, the one on top first.
  private var activitiesByRank: [ModelActivity] {
    let running = activities.filter { $0.ended == nil }
    return running.indices.sorted { left, right in
      let (first, second) = (running[left].relevance, running[right].relevance)
      if first == second { return left < right }
      guard let first else { return false }
      return second.map { first > $0 } ?? true
    }.map { running[$0] }
  }

  var activityLamp: Presentation.Lamp? {
    guard let top = activitiesByRank.first, let lamp = manifest(of: top)?.lamp else { return nil }
    return Presentation.Lamp(pattern: lamp, since: top.started.uptime)
  }

  var activityDisplay: ActivityDisplay? { activitiesByRank.compactMap(display).first }

  private func manifest(of activity: ModelActivity) -> LiveActivityManifest? {
    apps.first { $0.id == activity.app }?.manifest.liveActivity
  }

  private func display(_ activity: ModelActivity) -> ActivityDisplay? {
    guard let manifest = manifest(of: activity) else { return nil }
    let json = try? JSONSerialization.jsonObject(with: Data(activity.content.utf8))
    func value(_ path: String) -> Any? {
      path.split(separator: ".").reduce(json) { ($0 as? [String: Any])?[String($1)] }
    }
    if let path = manifest.countdown {
      let text = (value(path) as? String) ?? (value(path) as? NSNumber).map { "\($0)" }
      guard let number = text.flatMap({ Double($0) }) else { return nil }
      let end =
        number < 1e9 ? activity.stamp.advanced(by: .seconds(Int64(number))) : WallTime(seconds: Int64(number))
      return .countdown(until: now.uptime + .microseconds(end.microseconds - now.wall.microseconds))
    }
    guard let path = manifest.display else { return nil }
    return ((value(path) as? String) ?? (value(path) as? NSNumber).map { "\($0)" }).map { .text($0) }
  }
}
