// How a push reaches the person, and what ends it: rules S2, S6, B1 to B4, N1 to N3, N7, N8
// and N10.

extension Handset {
  mutating func receive(_ push: Push, at now: Moment, _ turn: inout Turn) -> Verdict {
    let (app, refusal) = addressee(of: push, at: now)
    guard let app else {
      let refusal = refusal ?? .badDeviceToken
      let answer = refusal.answer
      turn.rulings.append(PushRulings(event: record.nextEvent, push: push.id, rulings: [Ruling(refusal)]))
      let kind = Event.Kind.refused(status: answer.status, reason: answer.reason, detail: refusal.explanation)
      tell(kind, app: push.topic, push: push.id, at: now, &turn)
      return .refused(refusal)
    }
    let recent = RecentPush(push, number: record.nextEvent, at: now)
    if let recent, isDuplicate(recent, at: now) {
      tell(.duplicate, app: app.id, push: push.id, at: now, &turn)
      return .accepted
    }
    tell(.accepted(push.type), app: app.id, push: push.id, at: now, &turn)
    turn.rule(push.address.isNode ? .nodeGood : .tokenGood, on: push.id)
    if let recent { remember(recent, of: app.id, at: now, &turn) }
    for fault in push.faults {
      tell(.ignored(fault), app: app.id, push: push.id, at: now, &turn)
    }
    if case .bad(let quote) = push.badge {
      turn.rule(.badgeBad, on: push.id)
      tell(.badBadge(quoted(quote)), app: app.id, push: push.id, at: now, &turn)
    }
    if record.conditions.contains(.offline) {
      keep(push, for: app.id, at: now, &turn)
    } else {
      turn.rule(.online, on: push.id)
      arrive(push, at: app, at: now, &turn)
    }
    return .accepted
  }

  /// The push has reached the handset.
  mutating func arrive(_ push: Push, at app: App, at now: Moment, _ turn: inout Turn) {
    guard case .registered = app.state.registration else {
      turn.rule(.notRegisteredYet, on: push.id)
      return tell(.discarded(.notRegisteredYet), app: app.id, push: push.id, at: now, &turn)
    }
    turn.rule(.registered, on: push.id)
    if push.asksForPerson {
      turn.rule(push.contentAvailable ? .forPersonAndApp : .forPerson, on: push.id)
      present(push, of: app, at: now, &turn)
    } else {
      if !push.kinds.isEmpty { turn.rule(.quietType, on: push.id) }
      turn.rule(push.contentAvailable ? .forApp : .forNobody, on: push.id)
    }
    let isDropped = push.isUpdateOnly && !app.manifest.receivesBackgroundUpdates
    if app.state.lifecycle == .foreground && !isDropped && isReachable(app) {
      // The app gets all of it, whatever else it is (rules N2, U10), but an update that is not for it (rule U1).
      turn.rule(push.contentAvailable ? .atOnce : .givenInForeground, on: push.id)
      deliver(
        push.id, to: app, payload: .bytes(push.payload), expires: push.keptUntil(at: now), isCharged: false, at: now,
        &turn)
    } else if push.contentAvailable {
      hold(push, for: app, at: now, &turn)
    } else if app.state.lifecycle == .foreground && !isDropped {
      turn.rule(.notListening, on: push.id)
      tell(.discarded(.notListening), app: app.id, push: push.id, at: now, &turn)
    } else if !push.asksForPerson {
      tell(.notPresented(.nothingToShow), app: app.id, push: push.id, at: now, &turn)
    }
  }

  /// The app that the push is for, or why there is none (rules R3, R4).
  private func addressee(of push: Push, at now: Moment) -> (App?, Refusal?) {
    let deviceToken: DeviceToken
    switch push.address {
    case .token(let token): deviceToken = token
    case .node(let node): return addressee(of: node)
    }
    guard let token = tokens[deviceToken] else { return (nil, .badDeviceToken) }
    guard token.app == push.topic else { return (nil, .deviceTokenNotForTopic) }
    if let since = token.goneSince {
      guard case .registered = apps[token.app]?.state.registration else { return (nil, .unregistered(since: since)) }
      return (nil, .expiredToken(since: since))
    }
    return (apps[token.app], .badDeviceToken)
  }

  mutating func present(_ push: Push, of app: App, at now: Moment, _ turn: inout Turn) {
    // A badge is kept also while it may not be shown (rule S4); in the foreground it is the app's business (rule N2).
    let isForeground = app.state.lifecycle == .foreground
    let foregroundKinds = app.foregroundPresentation
    switch push.badge {
    case .absent: turn.rule(.badgeAbsent, on: push.id)
    case .bad: break
    case .number(let number) where !isForeground || foregroundKinds.contains(.badge):
      turn.rule(.badgeSet, on: push.id)
      setBadge(of: app.id, to: number, push: push.id, at: now, &turn)
      if hidesBadge(of: app) { turn.rule(.badgeHidden, on: push.id) }
      if !displayCounts(app.id) { turn.rule(.badgeNotChosen, on: push.id) }
    case .number: turn.rule(.badgeLeft, on: push.id)
    }
    if push.sound == .none { turn.rule(.soundAbsent, on: push.id) }
    let parts: Parts
    switch partsToPresent(of: push, from: app, &turn) {
    case .nothing(let reason): return tell(.notPresented(reason), app: app.id, push: push.id, at: now, &turn)
    case .some(let some): parts = some
    }
    var presented = Event.Presented()
    if let message = push.message, parts.style != .none || parts.isListed {
      show(message, of: push, for: app, parts, &presented, at: now, &turn)
    }
    if parts.hasSound { ring(for: push, of: app, &presented, at: now, &turn) }
    guard !presented.isEmpty else {
      if let reason = presented.silenced { tell(.notPresented(reason), app: app.id, push: push.id, at: now, &turn) }
      return
    }
    tell(.presented(presented), app: app.id, push: push.id, at: now, &turn)
  }

  /// What the person gets of a push, its badge apart.
  private struct Parts {
    var style: PresentationStyle
    var isListed: Bool
    var hasSound: Bool
  }

  private enum PartsToPresent {
    case nothing(Event.NotPresented)
    case some(Parts)
  }

  /// Goes through the rules that decide which parts of a push are presented. Where none is left, not even the badge,
  /// there is a reason (rule F3).
  private func partsToPresent(of push: Push, from app: App, _ turn: inout Turn) -> PartsToPresent {
    guard record.settings.notifications else {
      turn.rule(.handsetOff, on: push.id)
      return .nothing(.handsetNotificationsOff)
    }
    turn.rule(.handsetOn, on: push.id)
    let settings = app.state.settings
    guard settings.allowNotifications else {
      turn.rule(.notAllowed, on: push.id)
      return .nothing(.appNotAllowed)
    }
    turn.rule(.allowed, on: push.id)
    guard case .registered(let registered) = app.state.registration else { return .nothing(.kindNotRegistered) }
    turn.rule(Ruling.notRegistered(push.kinds.subtracting(registered)), on: push.id)
    var kinds = push.kinds.intersection(registered)
    guard !kinds.isEmpty else { return .nothing(.kindNotRegistered) }

    let allowed = app.state.allowedKinds
    turn.rule(Ruling.switchedOff(kinds.subtracting(allowed)), on: push.id)
    var mayBeListed = kinds.contains(.alert)
    if app.state.lifecycle == .foreground {
      let asked = app.foregroundPresentation
      guard !kinds.isDisjoint(with: asked) else {
        turn.rule(.inForeground, on: push.id)
        return .nothing(.foreground)
      }
      turn.rule([.foregroundAsked] + Ruling.notAsked(push.kinds.subtracting(asked)), on: push.id)
      kinds.formIntersection(asked)
      // In the background Notification Center is a choice of its own beside alerts (rule S1).
      mayBeListed = kinds.contains(.alert) && allowed.contains(.alert)
    } else {
      turn.rule(.bySystem, on: push.id)
    }
    kinds.formIntersection(allowed)
    let isListed = mayBeListed && settings.showInNotificationCenter
    if mayBeListed && !isListed { turn.rule(.notListed, on: push.id) }
    if settings.style == .none, kinds.remove(.alert) != nil { turn.rule(.styleNone, on: push.id) }
    guard !kinds.isEmpty || isListed else { return .nothing(.switchedOff) }
    return .some(
      Parts(
        style: kinds.contains(.alert) ? settings.style : .none, isListed: isListed, hasSound: kinds.contains(.sound)))
  }

  private mutating func show(
    _ message: Message, of push: Push, for app: App, _ parts: Parts, _ presented: inout Event.Presented,
    at now: Moment, _ turn: inout Turn
  ) {
    let (style, isListed) = (parts.style, parts.isListed)
    let manifest = app.manifest
    let actionTitle = manifest.resolve(message.actionTitle)
    let old = push.collapseID.flatMap { center.sections[app.id]?.collapsed[$0] }.flatMap { center.notifications[$0] }
    let id = old?.id ?? takeNotificationID()
    let content = NotificationContent(
      arrived: now.wall, appName: manifest.name, title: message.title.map(manifest.resolve),
      subtitle: message.subtitle.map(manifest.resolve), body: message.body.map(manifest.resolve),
      actionTitle: actionTitle, threadID: push.threadID, payload: push.payload)
    let notification = Notification(
      id: id, app: app.id, push: push.id, level: push.level, collapseID: push.collapseID, isListed: isListed,
      isSeen: !isListed, alertOrder: style == .alert ? takeAlertOrder() : nil, hasAction: actionTitle != nil,
      size: content.size)

    // The notification itself stays, to be replaced: ending the banner would take away one that only a banner shows.
    if let ended = banner, ended.notification == id { commit(.banner(before: ended, after: nil), &turn) }
    commit(.notification(before: old, after: notification, content: content), &turn)
    if style == .banner {
      endBanner(&turn)
      let shown = Presentation.Banner(
        notification: id, app: app.id, until: now.uptime + Policy.bannerDuration)
      commit(.banner(before: nil, after: shown), &turn)
    }
    if old != nil { turn.rule(.replacesEarlier, on: push.id) }
    if isListed { turn.rule(.listed, on: push.id) }
    switch style {
    case .none: break
    case .banner: turn.rule(.banner, on: push.id)
    case .alert: turn.rule(center.alerts.count > 1 ? [.alert, .alertOverOthers] : [.alert], on: push.id)
    }
    presented.style = style
    presented.isListed = isListed
    presented.replaces = old?.push
    // What is not there any more cannot be dismissed: its sound must not outlast what took its place (rule A4).
    if let old { turn.effects.append(.stopSound(push: old.push)) }
    keepWithinLimits(app.id, new: id, at: now, &turn)
  }

  private mutating func keepWithinLimits(
    _ app: AppID, new id: NotificationID, at now: Moment, _ turn: inout Turn
  ) {
    if let section = center.sections[app], section.listed.count > Policy.centerLimitPerApp,
      let id = section.listed.first, let oldest = center.notifications[id]
    {
      clear([oldest], .limit, at: now, &turn)
    }
    if center.listed.count > Policy.centerLimit, let id = center.listed.first, let oldest = center.notifications[id] {
      clear([oldest], .limit, at: now, &turn)
    }
    keepWithinSize(sparing: id, at: now, &turn)
    if center.alerts.count > Policy.alertQueueLimit, let place = center.alerts.first,
      let oldest = center.notifications[place.notification]
    {
      endAlert(of: oldest, isSeen: false, &turn)
      tell(.alertDropped(.limit), app: oldest.app, push: oldest.push, at: now, &turn)
    }
  }
}

extension Handset {
  /// Clears the oldest that are listed until the others are within their limit, one event for those of an app in a row.
  /// - Parameter id: one that has just come, and may stand in an old one's place.
  mutating func keepWithinSize(sparing id: NotificationID? = nil, at now: Moment, _ turn: inout Turn) {
    guard center.size > Policy.centerSizeLimit else { return }
    var size = center.size
    var rows: [[Notification]] = []
    for candidate in center.listed where candidate != id {
      guard size > Policy.centerSizeLimit else { break }
      guard let oldest = center.notifications[candidate] else { continue }
      size -= oldest.size
      if rows.last?.first?.app == oldest.app { rows[rows.count - 1].append(oldest) } else { rows.append([oldest]) }
    }
    for row in rows { clear(row, .limit, at: now, &turn) }
  }
}

// MARK: - Badge

extension Handset {
  /// Whether the app's badge counts for what the display shows (rule B5).
  func displayCounts(_ id: AppID) -> Bool { record.settings.badgeShows.counts(id) }

  /// Whether the app's badge may not be shown, whatever its number (rules S2, S4).
  func hidesBadge(of app: App) -> Bool { !record.settings.notifications || !app.state.allowedKinds.contains(.badge) }

  /// Rules B1 to B3.
  mutating func setBadge(of id: AppID, to number: Int, push: PushID?, at now: Moment, _ turn: inout Turn) {
    change(id, &turn) { $0.badge = number }
    tell(.badge(number), app: id, push: push, at: now, &turn)
    guard number == 0 else { return }
    if let push { turn.rule(.badgeClears, on: push) }
    // An alert that is up stays until it is acted on (rule N3): only the list is emptied.
    let listed = center.all(of: id).filter(\.isListed)
    for notification in listed { unlist(notification, &turn) }
    if !listed.isEmpty { tell(.cleared(.badgeZero, count: listed.count), app: id, push: push, at: now, &turn) }
  }
}

// MARK: - What ends a notification

extension Handset {
  /// Takes notifications away altogether, listed or waiting as alerts, and says so once.
  mutating func clear(
    _ notifications: [Notification], _ reason: Event.Cleared, at now: Moment, _ turn: inout Turn
  ) {
    guard let first = notifications.first else { return }
    withdraw(notifications, &turn)
    tell(.cleared(reason, count: notifications.count), app: first.app, push: nil, at: now, &turn)
  }

  mutating func withdraw(_ notifications: [Notification], _ turn: inout Turn) {
    for notification in notifications {
      if banner?.notification == notification.id { commit(.banner(before: banner, after: nil), &turn) }
      commit(.notification(before: notification, after: nil, content: nil), &turn)
      turn.effects.append(.stopSound(push: notification.push))
    }
  }

  /// Rule S1: what the person no longer allows goes at once.
  mutating func withdrawWhatIsNotAllowed(of id: AppID, at now: Moment, _ turn: inout Turn) {
    guard let state = apps[id]?.state, case .registered(let kinds) = state.registration else { return }
    if !state.settings.allowNotifications || !kinds.contains(.alert) {
      clear(center.all(of: id), .notAllowed, at: now, &turn)
      return
    }
    if !state.settings.showInNotificationCenter {
      let listed = center.all(of: id).filter(\.isListed)
      for notification in listed { unlist(notification, &turn) }
      if !listed.isEmpty { tell(.cleared(.notAllowed, count: listed.count), app: id, push: nil, at: now, &turn) }
    }
    if !state.settings.alert || state.settings.style == .none {
      if banner?.app == id { endBanner(&turn) }
      for notification in center.all(of: id) where notification.alertOrder != nil {
        endAlert(of: notification, isSeen: false, &turn)
        tell(.alertDropped(.notAllowed), app: id, push: notification.push, at: now, &turn)
      }
    }
  }

  /// Takes it out of Notification Center; what is up on the screen stays.
  private mutating func unlist(_ notification: Notification, _ turn: inout Turn) {
    guard notification.alertOrder != nil || banner?.notification == notification.id else {
      return commit(.notification(before: notification, after: nil, content: nil), &turn)
    }
    var unlisted = notification
    unlisted.isListed = false
    unlisted.isSeen = true
    commit(.notification(before: notification, after: unlisted, content: nil), &turn)
  }

  /// Takes it from the alerts that wait; it stays where Notification Center lists it.
  /// - Parameter isSeen: whether the person dismissed it. One that was dropped is as unseen as it was.
  mutating func endAlert(of notification: Notification, isSeen: Bool, _ turn: inout Turn) {
    guard notification.isListed else {
      return commit(.notification(before: notification, after: nil, content: nil), &turn)
    }
    var ended = notification
    ended.alertOrder = nil
    ended.isSeen = notification.isSeen || isSeen
    commit(.notification(before: notification, after: ended, content: nil), &turn)
  }

  mutating func endBanner(_ turn: inout Turn) {
    guard let ended = banner else { return }
    commit(.banner(before: ended, after: nil), &turn)
    // One that nothing lists and that waits for nothing has nowhere to be.
    if let notification = center.notifications[ended.notification], !notification.isListed,
      notification.alertOrder == nil
    {
      commit(.notification(before: notification, after: nil, content: nil), &turn)
    }
  }
}

extension Push {
  /// The kinds of notification in it.
  var kinds: NotificationKinds {
    var kinds: NotificationKinds = []
    if message != nil { kinds.insert(.alert) }
    if case .number = badge { kinds.insert(.badge) }
    if sound != .none { kinds.insert(.sound) }
    return kinds
  }

  /// Whether something in it is for the person, which takes more than a background update.
  var asksForPerson: Bool { !kinds.isEmpty && type != .background }

  /// Whether it is a background update and nothing else (rule U2).
  var isUpdateOnly: Bool { contentAvailable && !asksForPerson }
}

extension Refusal {
  /// What the provider is answered: the HTTP status, and the protocol's word [APNs].
  var answer: (status: Int, reason: String) {
    switch self {
    case .badDeviceToken: (400, "BadDeviceToken")
    case .deviceTokenNotForTopic: (400, "DeviceTokenNotForTopic")
    case .unregistered: (410, "Unregistered")
    case .expiredToken: (410, "ExpiredToken")
    case .unknownNode: (404, "UnknownNode")
    case .goneNode: (410, "Gone")
    default: (400, "Refused")
    }
  }
}
