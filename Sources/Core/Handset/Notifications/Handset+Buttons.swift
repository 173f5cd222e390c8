// The board's two buttons, with and without an alert (rules N4, N12, N15, F4, D2). One of them is for an alert's actions,
// so each press of View selects the next one, and the selected action is done when View is not pressed again.

/// The action of the alert on top that View has selected.
public struct ActionSelection: Hashable, Sendable, Codable {
  public var notification: NotificationID
  /// `NotificationResponse.open`, or an action's identifier.
  public var action: String
  /// The time on the uptime clock at which it is done.
  public var until: Duration
}

extension Handset {
  mutating func press(_ button: AlertButton, _ length: PressLength, _ turn: inout Turn) -> Verdict {
    if button == .close && length == .long {
      emit(.button(button, length), &turn)
      clearAll(&turn)
      return .accepted
    }
    let top = record.settings.notifications ? center.topAlert : nil
    if button == .view && length == .long {
      let fetches = top == nil && record.settings.fetchMode != .push
      if fetches && record.conditions.contains(.offline) { return .refused(.offline) }
      emit(.button(button, length), &turn)
      return fetches ? fetch(nil, &turn) : snooze(top?.app, for: nil, &turn)
    }
    guard let top else {
      guard button == .close else { return .refused(.noAlert) }
      emit(.button(button, length), &turn)
      turn.effects.append(.silence(.all))
      markAllAsSeen(&turn)
      return .accepted
    }
    if button == .view { return selectNext(of: top, &turn) ? .accepted : pressView(of: top, &turn) }
    end(top, by: .close, .close, &turn)
    return .accepted
  }

  private mutating func pressView(of top: Notification, _ turn: inout Turn) -> Verdict {
    guard top.hasAction else { return .refused(.noAction) }
    end(top, by: .view, .view, &turn)
    return launch(top.app, by: NotificationResponse(to: top, action: NotificationResponse.open), &turn)
  }

  private mutating func end(_ top: Notification, by button: AlertButton, _ answer: Answer, _ turn: inout Turn) {
    emit(.answered(button), app: top.app, push: top.push, &turn)
    acknowledge([top], answer, &turn)
    endAlert(of: top, isSeen: true, &turn)
    turn.effects.append(.stopSound(push: top.push))
  }

  /// Clears all of Notification Center (rule N10).
  mutating func clearAll(_ turn: inout Turn) {
    for app in center.sections.keys.sorted() { clear(center.all(of: app), .byPerson, &turn) }
  }

  /// Marks the app's notifications as seen, and ends its banner, its alerts and their sounds (rule N10).
  mutating func markAsSeen(of app: AppID, _ turn: inout Turn) {
    let shown = center.all(of: app).filter {
      $0.isUnseen || $0.alertOrder != nil || banner?.notification == $0.id
    }
    guard !shown.isEmpty else { return }
    for notification in shown { end(notification, &turn) }
    emit(.seen(shown.count), app: app, &turn)
    acknowledge(shown, .opened, &turn)
  }

  private mutating func markAllAsSeen(_ turn: inout Turn) {
    let unseen = center.unseen.joined().compactMap { center.notifications[$0] }
    for notification in unseen {
      var seen = notification
      seen.markAsSeen()
      commit(.changed(notification, to: seen), &turn)
    }
    if !unseen.isEmpty { emit(.seen(unseen.count), &turn) }
    acknowledge(unseen, .seen, &turn)
  }

  // MARK: - Selecting an action

  /// Returns the actions that View selects in turn: opening it, then its actions that a button alone can choose.
  private func selectable(of notification: Notification) -> [String] {
    let isLocked = record.conditions.contains(.locked)
    let actions = actions(of: notification).filter { $0.textInput == nil && !($0.needsUnlock && isLocked) }.map(\.id)
    return actions.isEmpty ? [] : (notification.hasAction ? [NotificationResponse.open] : []) + actions
  }

  /// The title of the selected action; nil if none is selected, or the alert's own action.
  var selectedTitle: String? {
    guard let selection, let notification = center.notifications[selection.notification] else { return nil }
    return actions(of: notification).first { $0.id == selection.action }?.title
  }

  /// Selects the next action. Returns false if the alert has nothing to select.
  private mutating func selectNext(of top: Notification, _ turn: inout Turn) -> Bool {
    let all = selectable(of: top)
    guard let first = all.first else { return false }
    let place = selection.flatMap { all.firstIndex(of: $0.action) }
    let action = place.map { all[($0 + 1) % all.count] } ?? first
    let until = turn.now.uptime + Policy.selectionTime
    let next = ActionSelection(notification: top.id, action: action, until: until)
    commit(.selection(before: selection, after: next), &turn)
    emit(.selected(action: action), app: top.app, push: top.push, &turn)
    return true
  }

  mutating func doSelected(_ turn: inout Turn) {
    guard let selected = selection, selected.until <= turn.now.uptime else { return }
    commit(.selection(before: selected, after: nil), &turn)
    guard let top = center.notifications[selected.notification] else { return }
    if selected.action == NotificationResponse.open {
      _ = pressView(of: top, &turn)
    } else {
      _ = respond(to: top.id, selected.action, text: nil, &turn)
    }
  }

  /// Ends the selection if its alert has ended or another alert is on top.
  mutating func settleSelection(_ turn: inout Turn) {
    guard let selected = selection else { return }
    let isUp = record.settings.notifications && center.topAlert?.id == selected.notification
    if !isUp { commit(.selection(before: selected, after: nil), &turn) }
  }
}
