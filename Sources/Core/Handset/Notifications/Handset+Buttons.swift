// The board's two buttons, with and without an alert (rules N4, N12, D2).

extension Handset {
  mutating func press(_ button: AlertButton, _ length: PressLength, _ turn: inout Turn) -> Verdict {
    if button == .close && length == .long {
      emit(.button(button, length), &turn)
      clearAll(&turn)
      return .accepted
    }
    let top = record.settings.notifications ? center.topAlert : nil
    if button == .view && length == .long {
      emit(.button(button, length), &turn)
      return snooze(top?.app, for: nil, &turn)
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

  /// Presses the alert's action button, which opens the app.
  mutating func pressView(of top: Notification, _ turn: inout Turn) -> Verdict {
    guard top.hasAction else { return .refused(.noAction) }
    end(top, by: .view, .view, &turn)
    let response = NotificationResponse(notification: top.id, push: top.push, action: NotificationResponse.open)
    return launch(top.app, by: response, &turn)
  }

  private mutating func end(
    _ top: Notification, by button: AlertButton, _ answer: Answer, _ turn: inout Turn
  ) {
    emit(.answered(button), app: top.app, push: top.push, &turn)
    acknowledge([top], answer, &turn)
    endAlert(of: top, isSeen: true, &turn)
    turn.effects.append(.stopSound(push: top.push))
  }

  /// Clears all of Notification Center (rule N10).
  mutating func clearAll(_ turn: inout Turn) {
    for app in center.sections.keys.sorted() { clear(center.all(of: app), .byPerson, &turn) }
  }

  private mutating func markAllAsSeen(_ turn: inout Turn) {
    let unseen = center.unseen.joined().compactMap { center.notifications[$0] }
    for notification in unseen {
      var seen = notification
      seen.markAsSeen()
      commit(.notification(before: notification, after: seen, content: nil), &turn)
    }
    if !unseen.isEmpty { emit(.seen(unseen.count), &turn) }
    acknowledge(unseen, .seen, &turn)
  }
}
