// The parts of a push that are presented, and their form: rules S1, S2, S4, S6, B1 to B5, N1 to N3, N7 and N8.

extension Handset {
  mutating func present(_ push: Push, _ kinds: NotificationKinds, of app: App, _ turn: inout Turn) {
    // A hidden badge is kept (rule S4). In the foreground the badge is left to the app (rule N2).
    let isForeground = app.state.lifecycle == .foreground
    let foregroundKinds = app.foregroundPresentation
    if app.state.settings.badgeShows == .unseen { turn.rule(.badgeUnseen, on: push.id) }
    switch push.badge {
    case .absent: turn.rule(.badgeAbsent, on: push.id)
    case .bad: break
    case .number(let number) where !isForeground || foregroundKinds.contains(.badge):
      turn.rule(.badgeSet, on: push.id)
      setBadge(of: app, to: number, push: push.id, isLocal: push.isLocal, &turn)
      if hidesBadge(of: app, isLocal: push.isLocal) { turn.rule(.badgeHidden, on: push.id) }
      if let chosen = record.settings.badgeShows, chosen != app.id { turn.rule(.badgeNotChosen, on: push.id) }
    case .number: turn.rule(.badgeLeft, on: push.id)
    }
    if !kinds.contains(.sound) { turn.rule(.soundAbsent, on: push.id) }
    var presented = Event.Presented()
    let request = push.ring(for: app)
    if push.priority == 1 { turn.rule(.priorityOne, on: push.id) }
    let hasSound: Bool
    do {
      hasSound = try chooseParts(of: request, isLocal: push.isLocal, kinds, from: app, &presented, &turn)
    } catch {
      return emit(.notPresented(error), app: app.id, push: push.id, &turn)
    }
    if presented.style != .none || presented.isListed, let message = push.message {
      show(message, of: push, as: request, for: app, hasSound: hasSound, &presented, &turn)
    }
    if hasSound {
      presented.rung =
        turn.isGrouped
        ? Rung(silenced: turn.rule(.grouped, on: push.id, so: .grouped)) : ring(request, of: app, &turn)
    }
    guard !presented.isEmpty else {
      if let reason = presented.rung.silenced { emit(.notPresented(reason), app: app.id, push: push.id, &turn) }
      return
    }
    emit(.presented(presented), app: app.id, push: push.id, &turn)
  }

  /// Applies the rules that decide which parts of a push are presented: its style and whether it is listed.
  /// - Returns: true if it may sound.
  /// - Throws: the reason if no part is left, not even the badge (rule F3).
  func chooseParts(
    of ring: Ring, isLocal: Bool, _ sent: NotificationKinds, from app: App, _ presented: inout Event.Presented,
    _ turn: inout Turn
  ) throws(Event.NotPresented) -> Bool {
    let push = ring.id
    guard record.settings.notifications else {
      throw turn.rule(.handsetOff, on: push, so: .handsetNotificationsOff)
    }
    turn.rule(.handsetOn, on: push)
    guard app.state.settings.allowNotifications else { throw turn.rule(.notAllowed, on: push, so: .appNotAllowed) }
    turn.rule(.allowed, on: push)
    let registered = app.state.registeredKinds
    let missing = sent.subtracting(registered)
    var kinds = sent
    if missing.isEmpty {
      turn.rule(.kindsRegistered, on: push)
    } else if isLocal {
      turn.rule(.localKinds, on: push)
    } else {
      turn.rule(missing, badge: .badgeNotRegistered, sound: .soundNotRegistered, alert: .alertNotRegistered, on: push)
      kinds.formIntersection(registered)
      guard !kinds.isEmpty else { throw .kindNotRegistered }
    }

    let allowed = app.state.wantedKinds
    let isProvisional = app.state.isProvisional
    if isProvisional { turn.rule(.provisional, on: push) }
    let off = kinds.subtracting(allowed)
    turn.rule(
      isProvisional ? off.intersection(.alert) : off, badge: .badgeOff, sound: .soundOff, alert: .alertOff, on: push)
    if app.state.lifecycle == .foreground {
      let asked = app.foregroundPresentation
      guard !kinds.isDisjoint(with: asked) else { throw turn.rule(.inForeground, on: push, so: .foreground) }
      turn.rule(.foregroundAsked, on: push)
      let left = sent.subtracting(asked).subtracting(.badge)
      turn.rule(left, badge: .badgeLeft, sound: .soundNotAsked, alert: .alertNotAsked, on: push)
      kinds.formIntersection(asked)
    } else {
      turn.rule(.bySystem, on: push)
    }
    kinds.formIntersection(allowed)
    let mayBeListed = kinds.contains(.alert)
    let isListed = mayBeListed && app.state.settings.showInNotificationCenter
    let isSilenced = record.settings.focus != nil && isSilencedByFocus(ring, from: app)
    if isSilenced { turn.rule(.focus, on: push) }
    let style = isProvisional || isSilenced ? .none : app.state.settings.style
    if mayBeListed && !isListed { turn.rule(.notListed, on: push) }
    if style == .none, kinds.remove(.alert) != nil, app.state.settings.style == .none {
      turn.rule(.styleNone, on: push)
    }
    guard !kinds.isEmpty || isListed else { throw isSilenced ? .focus : .switchedOff }
    presented.style = kinds.contains(.alert) ? style : .none
    presented.isListed = isListed
    return kinds.contains(.sound)
  }

  mutating func show(
    _ message: Message, of push: Push, as request: Ring, for app: App, hasSound: Bool,
    _ presented: inout Event.Presented, _ turn: inout Turn
  ) {
    let (style, isListed) = (presented.style, presented.isListed)
    let strings = app.manifest.strings
    let actionTitle = message.actionTitle.resolved(from: strings, standard: app.manifest.actionTitle)
    let replaced = push.collapseID.flatMap { center.sections[app.id]?.collapsed[ExactText($0)] }
    // An update is new (rule N8): it is first in the list, and above the limit it is removed last.
    let id = NotificationID(number: record.nextNotification)
    record.nextNotification &+= 1
    let content = NotificationContent(
      arrived: turn.now.wall, appName: app.manifest.name, title: message.title?.resolved(from: strings),
      subtitle: message.subtitle?.resolved(from: strings), body: message.body?.resolved(from: strings),
      actionTitle: actionTitle, threadID: push.threadID, payload: push.payload)
    var notification = Notification(
      id: id, app: app.id, push: push.id, level: request.level, collapseID: push.collapseID, isListed: isListed,
      isSeen: !isListed, alertOrder: style == .alert ? takeAlertOrder() : nil, hasAction: actionTitle != nil,
      size: content.size)
    takeOptions(of: push, app, by: &notification, &turn)
    if hasSound {
      notification.sound = request.sound
      if isListed { notification.repetition = repetition(of: push, as: request.level, for: app, &turn) }
    }

    if let old = replaced.flatMap({ center.notifications[$0] }) {
      // The replaced notification can no longer be dismissed, so its sound stops now (rule A4).
      withdraw(old, &turn)
      presented.replaces = old.push
    }
    let repeats = notification.repetition != nil
    commit(.added(notification, content), &turn)
    if style == .banner {
      let shown = Presentation.Banner(notification: id, app: app.id, until: turn.now.uptime + Policy.bannerDuration)
      endBanner(followedBy: shown, &turn)
    }
    if presented.replaces != nil { turn.rule(.replacesEarlier, on: push.id) }
    if isListed { turn.rule(.listed, on: push.id) }
    switch style {
    case .none: break
    case .banner: turn.rule(.banner, on: push.id)
    case .alert:
      turn.rule(.alert, on: push.id)
      if center.alerts.count > 1 { turn.rule(.alertOverOthers, on: push.id) }
    }
    keepWithinLimits(app.id, &turn)
    if repeats { keepRepetitionsWithinLimits(of: app.id, sparing: id, &turn) }
  }

  private mutating func keepWithinLimits(_ app: AppID, _ turn: inout Turn) {
    let own = center.section(of: app).map { (count: $0.listed.count, oldest: $0.listed.first, size: $0.size) }
    if let own, own.count > Policy.centerLimitPerApp { clearOldest(own.oldest, &turn) }
    if center.listed.count > Policy.centerLimit { clearOldest(center.listed.first, &turn) }
    if let own, own.size > Policy.centerSizeLimitPerApp { keepWithinSize(of: app, &turn) }
    if center.size > Policy.centerSizeLimit { keepWithinSize(&turn) }
    if center.alerts.count > Policy.alertQueueLimit, let place = center.alerts.first,
      let oldest = center.notifications[place.item]
    {
      endAlert(of: oldest, isSeen: false, &turn)
      emit(.alertDropped(.alertLimit), app: oldest.app, push: oldest.push, &turn)
    }
  }

  private mutating func clearOldest(_ id: NotificationID?, _ turn: inout Turn) {
    guard let oldest = id.flatMap({ center.notifications[$0] }) else { return }
    withdraw(oldest, &turn)
    emit(.cleared(.limit, count: 1), app: oldest.app, &turn)
  }

  /// Clears the oldest listed notifications of an app, or of all if it is nil, until the size is within the limit, with
  /// one event for consecutive ones of an app.
  mutating func keepWithinSize(of app: AppID? = nil, _ turn: inout Turn) {
    let rows =
      if let app {
        center.sections[app].map { oldest($0.listed, of: $0.size, beyond: Policy.centerSizeLimitPerApp) } ?? []
      } else {
        oldest(center.listed, of: center.size, beyond: Policy.centerSizeLimit)
      }
    for row in rows { clear(row, .limit, &turn) }
  }

  /// Returns the ones to remove, consecutive ones of an app together. A removal while the list is held would copy it.
  private func oldest(_ listed: SortedSet<NotificationID>, of size: Int, beyond limit: Int) -> [[Notification]] {
    guard size > limit else { return [] }
    var size = size
    var rows: [[Notification]] = []
    for candidate in listed {
      guard size > limit else { break }
      guard let oldest = center.notifications[candidate] else { continue }
      size -= oldest.size
      if rows.last?.first?.app == oldest.app { rows[rows.count - 1].append(oldest) } else { rows.append([oldest]) }
    }
    return rows
  }

  // MARK: - Badges

  /// Returns true if a setting hides the app's badge (rules S2, S4).
  /// - Parameter isLocal: true if a local notification set it.
  func hidesBadge(of app: App, isLocal: Bool) -> Bool {
    !record.settings.notifications || !app.state.allowedKinds(isLocal: isLocal).contains(.badge)
  }

  /// Sets the badge (rules B1 to B3).
  /// - Parameters:
  ///   - app: as it is now.
  ///   - isLocal: true if a local notification sets it (rule L4).
  mutating func setBadge(of app: App, to number: Int, push: PushID?, isLocal: Bool, _ turn: inout Turn) {
    let id = app.id
    if app.state.badge != number || app.state.hasLocalBadge != isLocal {
      change(id, &turn) { ($0.badge, $0.hasLocalBadge) = (number, isLocal) }
    }
    emit(.badge(number), app: id, push: push, &turn)
    if !deferred.isEmpty { overtakeDeferredBadges(of: id, by: number, push, &turn) }
    guard number == 0 else { return }
    if let push { turn.rule(.badgeClears, on: push) }
    // Only the list is emptied. An alert stays until it is acted on (rule N3).
    let listed = center.all(of: id).filter(\.isListed)
    for notification in listed { unlist(notification, &turn) }
    if !listed.isEmpty { emit(.cleared(.badgeZero, count: listed.count), app: id, push: push, &turn) }
  }
}
