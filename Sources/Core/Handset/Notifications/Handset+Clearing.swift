extension Handset {
  /// Removes notifications from the list and from the alerts, with one event.
  mutating func clear(_ notifications: [Notification], _ reason: Event.Cleared, _ turn: inout Turn) {
    guard let first = notifications.first else { return }
    withdraw(notifications, &turn)
    let push = reason == .notificationOpened ? first.push : nil
    emit(.cleared(reason, count: notifications.count), app: first.app, push: push, &turn)
    switch reason {
    case .byPerson: acknowledge(notifications, .dismissed, &turn)
    case .opened: acknowledge(notifications, .opened, &turn)
    case .notificationOpened, .byApp, .responded, .badgeZero, .byProvider, .notAllowed, .unregistered, .limit: break
    }
  }

  /// Removes the app's notifications with those numbers (rule N17). Other apps' and unknown numbers are ignored.
  mutating func removeDelivered(_ numbers: [NotificationID]?, of app: App, _ turn: inout Turn) -> Verdict {
    guard app.state.lifecycle.isRunning else { return .refused(.notRunning(app.id)) }
    let all = center.all(of: app.id)
    let wanted = numbers.map(Set.init)
    clear(all.filter { wanted?.contains($0.id) ?? true }, .byApp, &turn)
    return .accepted
  }

  /// Sends the app its notifications in Notification Center (rule N17).
  func listDelivered(of app: App, _ turn: inout Turn) -> Verdict {
    guard app.state.lifecycle.isRunning else { return .refused(.notRunning(app.id)) }
    turn.effects.append(.tellDelivered(app.id))
    return .accepted
  }

  mutating func withdraw(_ notifications: [Notification], _ turn: inout Turn) {
    for notification in notifications { withdraw(notification, &turn) }
  }

  mutating func withdraw(_ notification: Notification, _ turn: inout Turn) {
    if banner?.notification == notification.id { commit(.banner(before: banner, after: nil), &turn) }
    commit(.removed(notification), &turn)
    turn.effects.append(.stopSound(push: notification.push))
  }

  /// Removes at once everything that is no longer allowed (rule S1).
  mutating func withdrawWhatIsNotAllowed(of id: AppID, _ turn: inout Turn) {
    guard let state = apps[id]?.state else { return }
    let (registered, allowed) = (state.registeredKinds, state.wantedKinds)
    guard allowed.contains(.alert) else { return clear(center.all(of: id), .notAllowed, &turn) }
    // The kinds that the app registered for bind its pushes only (rule L4).
    if !registered.contains(.alert) { clear(center.all(of: id).filter { !$0.isLocal }, .notAllowed, &turn) }
    let mayRepeat = allowed.contains(.sound) && state.settings.repeats != .off
    if !mayRepeat || !registered.contains(.sound) {
      endRepetitions(of: id, sparingLocal: mayRepeat, .repeatNotAllowed, &turn)
    }
    if !state.settings.showInNotificationCenter {
      let listed = center.all(of: id).filter(\.isListed)
      for notification in listed { unlist(notification, &turn) }
      if !listed.isEmpty { emit(.cleared(.notAllowed, count: listed.count), app: id, &turn) }
    }
    if state.settings.style == .none {
      if banner?.app == id { endBanner(&turn) }
      for notification in center.all(of: id) where notification.alertOrder != nil {
        endAlert(of: notification, isSeen: false, &turn)
        emit(.alertDropped(.alertNotAllowed), app: id, push: notification.push, &turn)
      }
    }
  }

  /// Removes it from Notification Center. Its banner or alert stays.
  mutating func unlist(_ notification: Notification, _ turn: inout Turn) {
    guard notification.alertOrder != nil || banner?.notification == notification.id else {
      return commit(.removed(notification), &turn)
    }
    var unlisted = notification
    unlisted.isListed = false
    unlisted.markAsSeen()
    commit(.changed(notification, to: unlisted), &turn)
  }

  /// Removes it from the queue of alerts. It stays in Notification Center if it is listed there.
  /// - Parameter isSeen: true if the person dismissed it. A dropped alert stays unseen.
  mutating func endAlert(of notification: Notification, isSeen: Bool, _ turn: inout Turn) {
    guard notification.isListed else {
      return commit(.removed(notification), &turn)
    }
    var ended = notification
    ended.alertOrder = nil
    if isSeen { ended.markAsSeen() }
    commit(.changed(notification, to: ended), &turn)
  }

  /// Ends the banner, if there is one.
  /// - Parameter next: the banner that takes its place.
  mutating func endBanner(followedBy next: Presentation.Banner? = nil, _ turn: inout Turn) {
    let ended = banner?.notification
    guard ended != nil || next != nil else { return }
    commit(.banner(before: banner, after: next), &turn)
    // A notification that is neither listed nor an alert ends with its banner.
    if let ended, !center.listed.contains(ended), let notification = center.notifications[ended],
      notification.alertOrder == nil
    {
      commit(.removed(notification), &turn)
    }
  }

  // MARK: - Taken back by the provider

  /// Takes a notification back. Nothing happens if none has the collapse identifier: the person may have cleared it.
  mutating func retract(_ collapseID: String, of app: AppID, _ retraction: Retraction, _ turn: inout Turn) -> Verdict {
    let shown = center.sections[app]?.collapsed[ExactText(collapseID)].flatMap { center.notifications[$0] }
    retractDeferred(collapseID, of: app, &turn)
    switch retraction {
    case .seen:
      guard let shown else { break }
      let hasBanner = banner?.notification == shown.id
      guard !shown.isSeen || shown.alertOrder != nil || hasBanner else { break }
      if hasBanner { endBanner(&turn) }
      // It may have ended with its banner.
      if let shown = center.notifications[shown.id] { endAlert(of: shown, isSeen: true, &turn) }
      turn.effects.append(.stopSound(push: shown.push))
      emit(.seen(1), app: app, push: shown.push, &turn)
    case .removed:
      if let shown { clear([shown], .byProvider, &turn) }
      // Compared by bytes, as in the list (rule N8).
      for (slot, kept) in slots.waiting(for: app)
      where kept.push.collapseID.map(ExactText.init) == ExactText(collapseID) {
        discardKept(in: slot, .retracted, &turn)
      }
      discardExtending(collapseID, of: app, .retracted, &turn)
      if let pending = schedule[app, collapseID] { unschedule(pending, .retracted, &turn) }
    }
    return .accepted
  }
}
