// Rule N14: the person opens a notification, on the board, on the panel or in Notification Center.

extension Handset {
  /// - Parameters:
  ///   - id: nil for that of the alert on top.
  ///   - text: what the person wrote.
  mutating func respond(to id: NotificationID?, _ action: String, text: String?, _ turn: inout Turn) -> Verdict {
    let notification: Notification
    if let id {
      guard let named = center.notifications[id] else { return .refused(.unknownNotification(id)) }
      notification = named
    } else {
      guard record.settings.notifications, let top = center.topAlert else { return .refused(.noAlert) }
      notification = top
    }
    guard action == NotificationResponse.open else { return .refused(.unknownAction(action)) }
    guard text == nil else { return .refused(.takesNoText(action)) }
    let response = NotificationResponse(notification: notification.id, push: notification.push, action: action)
    emit(.responded(action: action, hasText: false), app: notification.app, push: notification.push, &turn)
    acknowledge([notification], .opened, &turn)
    end(notification, &turn)
    return launch(notification.app, by: response, &turn)
  }

  /// Its banner and its alert go; the list keeps it, as seen.
  mutating func end(_ notification: Notification, _ turn: inout Turn) {
    if banner?.notification == notification.id { endBanner(&turn) }
    // It may have ended with its banner.
    if let left = center.notifications[notification.id] { endAlert(of: left, isSeen: true, &turn) }
    turn.effects.append(.stopSound(push: notification.push))
  }

  /// The person opens the app.
  /// - Parameter response: the notification that opens it; nil where the app itself is opened.
  mutating func launch(_ id: AppID, by response: NotificationResponse? = nil, _ turn: inout Turn) -> Verdict {
    guard let app = apps[id] else { return .refused(.unknownApp(id)) }
    let hasProgram = app.manifest.hasHooks || listeners.contains(id)
    if hasProgram && (response != nil || app.state.lifecycle != .foreground) {
      turn.effects.append(.launchApp(id, response))
    }
    open(id, &turn)
    return .accepted
  }
}
