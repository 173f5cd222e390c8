// Rules S1 to S5, D1, D2 and D4: the person's choices, the switches, the buttons and the lamp.

@testable import HandsetCore

extension HandsetModel {
  mutating func set(_ id: AppID, _ key: AppSettings.Key, _ value: String) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    let before = apps[place].settings
    do {
      try apps[place].settings.set(key, to: value)
    } catch {
      return .badSetting(error)
    }
    let after = apps[place].settings
    emit(.setting(key: key.rawValue, value: after[key]), id, nil)
    if !after.liveActivities { dismissActivities(id, .notAllowed) }
    let kinds = apps[place].registeredKinds
    if [.style, .allowNotifications].contains(key), kinds.contains(.provisional) {
      apps[place].registration = .registered(kinds.subtracting(.provisional))
      emit(.registered(kinds.subtracting(.provisional)), id, nil)
    }
    presentSummary()
    guard after != before else { return nil }
    withdrawWhatIsNotAllowed(place)
    return nil
  }

  /// Removes at once what the person no longer allows (rule S1).
  mutating func withdrawWhatIsNotAllowed(_ place: Int) {
    let app = apps[place]
    clear(.notAllowed, app: app.id) { $0.app == app.id && !app.allows(.alert, isLocal: $0.isLocal) }
    if app.settings.style == .none {
      if banner?.app == app.id { banner = nil }
      for index in notices.indices where notices[index].app == app.id && notices[index].alertNumber != nil {
        notices[index].alertNumber = nil
        emit(.alertDropped(.alertNotAllowed), app.id, notices[index].push)
      }
    }
    stopAllAgain(.repeatNotAllowed) {
      $0.app == app.id && (app.settings.repeats == .off || !app.allows(.sound, isLocal: $0.isLocal))
    }
    if !app.settings.showInNotificationCenter { takeOffTheList(.notAllowed, app: app.id, push: nil) }
  }

  mutating func set(_ key: HandsetSettings.Key, _ value: String) -> Refusal? {
    let before = settings
    do {
      try settings.set(key, to: value)
    } catch {
      return .badSetting(error)
    }
    if let id = settings.badgeShows, key == .badgeShows, place(of: id) == nil {
      settings = before
      return .unknownApp(id)
    }
    if key == .focus {
      let wanted = settings.focus
      settings = before
      if let wanted, !modes.contains(where: { $0.name == wanted }) { return .unknownFocusMode(wanted) }
      turn(to: wanted)
      return nil
    }
    emit(.setting(key: key.rawValue, value: settings[key]), nil, nil)
    presentSummary()
    if key == .notifications && before.notifications && !settings.notifications {
      effects.append(.silence(.all))
    }
    if !settings.notifications { stopAllAgain(.repeatNotAllowed) { _ in true } }
    if key == .fetchMode || key == .fetchInterval { fetchStart = now }
    if before.fetchMode != settings.fetchMode { sendKept() }
    return nil
  }

  mutating func set(_ condition: Condition, _ isOn: Bool) {
    guard conditions.contains(condition) != isOn else { return }
    if isOn { conditions.insert(condition) } else { conditions.remove(condition) }
    emit(.condition(condition, isOn), nil, nil)
    if condition == .silent && isOn { effects.append(.silence(.allButCritical)) }
    if condition == .offline && !isOn { sendKept() }
    if condition == .lowPower && !isOn { presentWaiting { $0.why == .lowPower } }
    for place in apps.indices { tryHeld(place) }
  }

  /// Applies rules N4, N7 and D2.
  mutating func press(_ button: AlertButton, _ length: PressLength) -> Refusal? {
    if button == .close && length == .long {
      emit(.button(.close, .long), nil, nil)
      clearAll()
      return nil
    }
    let top = settings.notifications ? alerts.last : nil
    if button == .view && length == .long {
      if top == nil && settings.fetchMode != .push {
        if isOffline { return .offline }
        emit(.button(.view, .long), nil, nil)
        return fetchByHand(nil)
      }
      emit(.button(.view, .long), nil, nil)
      return snooze(top?.app, nil)
    }
    guard let top, let index = notices.firstIndex(of: top) else {
      guard button == .close else { return .noAlert }
      emit(.button(.close, .short), nil, nil)
      effects.append(.silence(.all))
      let unseen = notices.indices.filter { notices[$0].isListed && !notices[$0].isSeen }
      let before = unseen.map { notices[$0] }
      for index in unseen { notices[index].isSeen = true }
      if !unseen.isEmpty { emit(.seen(unseen.count), nil, nil) }
      answer(before, .seen)
      return nil
    }
    if button == .view, select(of: top) { return nil }
    return answer(top, index, button)
  }

  /// Selects the next action that a button alone can choose, for View (rule N15).
  private mutating func select(of top: ModelNotice) -> Bool {
    let locked = conditions.contains(.locked)
    var names = actions(of: top).filter { $0.textInput == nil && !(locked && $0.needsUnlock) }.map(\.id)
    if names.isEmpty { return false }
    if top.hasAction { names.insert("com.apple.UNNotificationDefaultActionIdentifier", at: 0) }
    var next = 0
    if let selection, let last = names.firstIndex(of: selection.action) {
      next = last + 1 == names.count ? 0 : last + 1
    }
    selection = (top.place, names[next], now.uptime + .seconds(2))
    emit(.selected(action: names[next]), top.app, top.push)
    return true
  }

  func actions(of notice: ModelNotice) -> [NotificationAction] {
    if let own = notice.options?.actions { return own }
    guard let name = notice.options?.category else { return [] }
    return apps.first { $0.id == notice.app }?.manifest.categories?.first { $0.id == name }?.actions ?? []
  }

  mutating func doSelected() {
    guard let selected = selection, selected.until <= now.uptime else { return }
    selection = nil
    guard let index = notices.firstIndex(where: { $0.place == selected.place }) else { return }
    let notice = notices[index]
    if selected.action == "com.apple.UNNotificationDefaultActionIdentifier" {
      _ = answer(notice, index, .view)
    } else if let place = place(of: notice.app) {
      _ = choose(selected.action, nil, of: notice, place)
    }
  }

  private mutating func answer(_ top: ModelNotice, _ index: Int, _ button: AlertButton) -> Refusal? {
    if button == .view && !top.hasAction { return .noAction }
    emit(.answered(button), top.app, top.push)
    answer([top], button == .view ? .view : .close)
    notices[index].alertNumber = nil
    notices[index].isSeen = true
    effects.append(.stopSound(push: top.push))
    forgetWhatIsNowhere()
    if button == .view, let place = place(of: top.app) { open(place, by: response(to: top), removing: top) }
    return nil
  }

  private func response(
    to notice: ModelNotice, _ action: String = "com.apple.UNNotificationDefaultActionIdentifier", _ text: String? = nil
  ) -> NotificationResponse {
    var response = NotificationResponse(
      notification: NotificationID(number: 0), push: notice.push, action: action, text: text)
    response.targetContentID = notice.options?.targetContentID
    return response
  }

  /// Applies rule N14.
  mutating func respond(to push: PushID?, _ id: NotificationID, _ action: String, _ text: String?) -> Refusal? {
    let named = notices.filter { $0.push == push }.min { $0.place < $1.place }
    guard let notice = named, let place = place(of: notice.app) else { return .unknownNotification(id) }
    guard action == "com.apple.UNNotificationDefaultActionIdentifier" else {
      return choose(action, text, of: notice, place)
    }
    guard text == nil else { return .takesNoText(action) }
    emit(.responded(action: action, hasText: false), notice.app, notice.push)
    answer([notice], .opened)
    endNotice(notice)
    open(place, by: response(to: notice), removing: notice)
    return nil
  }

  private mutating func endNotice(_ notice: ModelNotice) {
    dismiss { $0 == notice }
    for index in notices.indices where notices[index] == notice {
      notices[index].alertNumber = nil
      notices[index].isSeen = true
    }
    forgetWhatIsNowhere()
  }

  /// Applies rule N15.
  private mutating func choose(_ name: String, _ text: String?, of notice: ModelNotice, _ place: Int) -> Refusal? {
    let offered = actions(of: notice)
    guard let action = offered.first(where: { $0.id == name }) ?? offered.first(where: { $0.title == name }) else {
      return .unknownAction(name)
    }
    if action.needsUnlock && conditions.contains(.locked) { return .locked }
    if action.textInput == nil && text != nil { return .takesNoText(action.id) }
    if action.textInput != nil && text == nil { return .needsText(action.id) }
    if let text, text.isEmpty || text.utf8.count > 4096 { return .badText }
    var response = response(to: notice, action.id, text)
    response.url = action.url
    emit(.responded(action: action.id, hasText: text != nil), notice.app, notice.push)
    answer([notice], .responded)
    if action.call != nil { callBack([(notice.app, notice.push)], .action) }
    if action.call == nil && !action.opensApp {
      if !apps[place].lifecycle.isRunning && isReachable(place) { become(place, .background) }
      let expires = now.wall.advanced(by: .seconds(30 * 24 * 3600))
      if !isReachable(place) && apps[place].lifecycle == .forceQuit { become(place, .notRunning) }
      give(place, notice.push, expires, isCharged: false, for: .response(response))
    }
    endNotice(notice)
    if action.opensApp { open(place, by: response) }
    if !action.keepsNotification {
      clear(.responded, app: notice.app) { $0.place == notice.place }
    }
    return nil
  }

  /// The alerts, the one on top last.
  var alerts: [ModelNotice] {
    notices.filter { $0.alertNumber != nil }.sorted { $0.alertNumber! < $1.alertNumber! }
  }

  /// Applies rule D1: the newest of the most urgent unseen ones. A new one starts its pattern; going back to an older
  /// one continues the pattern that is there.
  mutating func settleLamp() {
    let listed = notices.filter { $0.isListed && !$0.isSeen && $0.level != .passive }
    // While a Focus mode is on, the newest 64 of each level count, and those of the apps that it allows.
    let allowed = modes.first { $0.name == settings.focus }?.allow ?? []
    let unseen = Dictionary(grouping: listed, by: \.level).values.flatMap { ofLevel in
      ofLevel.sorted { $0.place > $1.place }.enumerated().filter { number, notice in
        (number < 64 || settings.focus == nil || allowed.contains(notice.app))
          && !isSilencedByFocus(notice.level, apps.first { $0.id == notice.app }!, notice.options?.filterCriteria)
      }.map(\.element)
    }
    guard let urgent = unseen.map(\.level).max(),
      let top = unseen.filter({ $0.level == urgent }).max(by: { $0.place < $1.place }),
      let place = place(of: top.app)
    else {
      lamp = nil
      return
    }
    let standard: LampPattern =
      switch urgent {
      case .critical: .sos
      case .timeSensitive: .double
      default: .blink
      }
    let chosen = apps[place].settings.lamp ?? top.options?.lamp
    let pattern = chosen ?? apps[place].manifest.lampPattern ?? standard
    var since = now.uptime
    if let lamp, lamp.pattern == pattern, (lamp.push == top.push && lamp.place == top.place) || top.place < lamp.place {
      since = lamp.since
    }
    lamp = (top.push, top.place, pattern, since)
  }

  // MARK: - Restarts

  /// Applies rules U9, D4 and the table under the background updates.
  mutating func restart(_ start: Start) {
    emit(.started(start), nil, nil)
    banner = nil
    selection = nil
    dismiss { !$0.isListed && $0.alertNumber == nil }
    forgetWhatIsNowhere()
    lamp = nil
    for place in apps.indices {
      apps[place].isConnected = false
      if start == .board || (apps[place].lifecycle.isRunning && apps[place].hasProcesses) { become(place, .notRunning) }
      apps[place].deliveries = apps[place].deliveries.suffix(3).map { afterStart($0, start) }
        .sorted { $0.uptime < $1.uptime }
      apps[place].counted = apps[place].counted.mapValues { $0.map { afterStart($0, start) } }
    }
    fetchStart = afterStart(fetchStart, start)
    for index in recents.indices { recents[index].moment = afterStart(recents[index].moment, start) }
    recents = recentsThatCount
    restartUntilSeen(start)
    restartActivities(start)
    renewWhatAnUnsetClockStamped()
    for place in apps.indices {
      for index in apps[place].pending.indices {
        switch start {
        case .board: apps[place].pending[index].restartWait(at: now)
        case .daemon:
          guard apps[place].pending[index].resumeWait(at: now), let due = apps[place].pending[index].next(in: zone)
          else { continue }
          apps[place].pending[index].dueWall = due
        }
      }
    }
    for place in apps.indices { offerAgain(place) }
    extendAgain()
  }

  /// Returns the moment on the new uptime clock: by the wall clock if that is plausible, else as just now.
  func afterStart(_ moment: Moment, _ start: Start) -> Moment {
    guard start == .board || moment.uptime > now.uptime else { return moment }
    let ago = Duration.microseconds(now.wall.microseconds - moment.wall.microseconds)
    guard ago >= .zero, ago <= .seconds(365 * 24 * 3600) else { return now }
    return Moment(uptime: now.uptime - ago, wall: moment.wall)
  }
}
