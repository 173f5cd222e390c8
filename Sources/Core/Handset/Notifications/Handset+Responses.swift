/// The person's response to a notification, on the board, on the panel or by a command: opening it, or one of its
/// actions (rules N14, N15). The identifiers are Apple's [UNNotificationResponse].
public struct NotificationResponse: Hashable, Sendable, Codable {
  public var notification: NotificationID
  public var push: PushID
  /// `NotificationResponse.open`, or the identifier of one of its actions.
  public var action: String
  public var text: String?
  public var url: String?
  /// The content of the app that the notification is about [UNNotificationContent, `targetContentIdentifier`].
  public var targetContentID: String?

  /// The notification itself was opened [UNNotificationDefaultActionIdentifier].
  public static let open = "com.apple.UNNotificationDefaultActionIdentifier"
}

extension NotificationResponse {
  init(to notification: Notification, action: String, text: String? = nil) {
    self.init(
      notification: notification.id, push: notification.push, action: action, text: text,
      targetContentID: notification.options?.targetContentID)
  }
}

extension Handset {
  /// Returns the notification's actions beside opening and dismissing it, in order.
  public func actions(of notification: Notification) -> [NotificationAction] {
    guard let options = notification.options else { return [] }
    if let own = options.actions { return own }
    return apps[notification.app]?.manifest.categories?.first { $0.id == options.category }?.actions ?? []
  }

  /// Takes the push's actions, unless the app lacks their category, its launch image, the lamp's pattern if a tag
  /// names one, and what else few notifications have.
  func takeOptions(of push: Push, _ app: App, by notification: inout Notification, _ turn: inout Turn) {
    let lamp = push.tags?.lazy.compactMap { LampPattern(named: $0) }.first
    guard push.options != nil || lamp != nil || push.isLocal else { return }
    var options = push.options ?? NotificationOptions()
    if let lamp {
      options.lamp = lamp
      turn.rule(.lampByTag, on: push.id)
    }
    if let category = options.category, app.manifest.categories?.contains(where: { $0.id == category }) != true {
      turn.rule(.categoryUnknown, on: push.id)
      options.category = nil
    }
    if !options.isValid { options = NotificationOptions() }
    options.isLocal = push.isLocal
    guard options != NotificationOptions() else { return }
    notification.options = options
    notification.size += options.size
    if options.category != nil || options.actions != nil { turn.rule(.actionsOffered, on: push.id) }
  }

  /// Opens a notification, or applies one of its actions.
  /// - Parameters:
  ///   - id: nil for the notification of the alert on top.
  ///   - name: `NotificationResponse.open`, or an action's identifier, or its title if none has that identifier.
  mutating func respond(to id: NotificationID?, _ name: String, text: String?, _ turn: inout Turn) -> Verdict {
    let notification: Notification
    if let id {
      guard let named = center.notifications[id] else { return .refused(.unknownNotification(id)) }
      notification = named
    } else {
      guard record.settings.notifications, let top = center.topAlert else { return .refused(.noAlert) }
      notification = top
    }
    if name == NotificationResponse.open {
      guard text == nil else { return .refused(.takesNoText(name)) }
      let response = NotificationResponse(to: notification, action: name)
      emit(.responded(action: name, hasText: false), app: notification.app, push: notification.push, &turn)
      acknowledge([notification], .opened, &turn)
      end(notification, &turn)
      return launch(notification.app, by: response, &turn)
    }
    let actions = actions(of: notification)
    guard let action = actions.first(where: { $0.id == name }) ?? actions.first(where: { $0.title == name }) else {
      return .refused(.unknownAction(name))
    }
    if let refusal = refusal(of: action, with: text) { return .refused(refusal) }
    choose(action, of: notification, text: text, &turn)
    return .accepted
  }

  private func refusal(of action: NotificationAction, with text: String?) -> Refusal? {
    if action.needsUnlock && record.conditions.contains(.locked) { return .locked }
    guard let text else { return action.textInput == nil ? nil : .needsText(action.id) }
    guard action.textInput != nil else { return .takesNoText(action.id) }
    return (1...Policy.responseTextLimit).contains(text.utf8.count) ? nil : .badText
  }

  /// Applies the action that the person chose (rule N15).
  private mutating func choose(
    _ action: NotificationAction, of notification: Notification, text: String?, _ turn: inout Turn
  ) {
    var response = NotificationResponse(to: notification, action: action.id, text: text)
    response.url = action.url
    emit(.responded(action: action.id, hasText: text != nil), app: notification.app, push: notification.push, &turn)
    acknowledge([notification], .responded, &turn)
    if let request = action.call, let app = apps[notification.app] {
      _ = call(request, of: app, for: notification.push, &turn)
    } else if !action.opensApp {
      // The app is given the response before the notification is removed, because its payload is the notification's.
      give(response, to: notification.app, &turn)
    }
    end(notification, &turn)
    if action.opensApp { _ = launch(notification.app, by: response, &turn) }
    if !action.keepsNotification, let left = center.notifications[notification.id] {
      clear([left], .responded, &turn)
    }
  }

  /// Gives the app a response in the background, even if the person has stopped it; an app that listens and is not
  /// connected gets it as soon as it connects.
  private mutating func give(_ response: NotificationResponse, to id: AppID, _ turn: inout Turn) {
    guard let old = apps[id] else { return }
    if !old.state.lifecycle.isRunning { enter(isReachable(old) ? .background : .notRunning, id, &turn) }
    guard let app = apps[id] else { return }
    deliver(
      response.push, to: app, payload: .notification(response.notification),
      expires: turn.now.wall.advanced(by: Policy.defaultExpiration), isCharged: false, for: .response(response), &turn)
  }

  /// Removes its banner and its alert; the list keeps it, as seen.
  mutating func end(_ notification: Notification, _ turn: inout Turn) {
    if banner?.notification == notification.id { endBanner(&turn) }
    // It may have ended with its banner.
    if let left = center.notifications[notification.id] { endAlert(of: left, isSeen: true, &turn) }
    turn.effects.append(.stopSound(push: notification.push))
  }

  /// Opens the app for the person, and removes the notification that opens it (rule N10).
  /// - Parameter response: the notification that opens it; nil if the app itself is opened.
  mutating func launch(_ id: AppID, by response: NotificationResponse? = nil, _ turn: inout Turn) -> Verdict {
    guard let app = apps[id] else { return .refused(.unknownApp(id)) }
    let hasProgram = app.manifest.hasPrograms || listeners.contains(id)
    if hasProgram && (response != nil || app.state.lifecycle != .foreground) {
      turn.effects.append(.launchApp(id, response))
    }
    open(id, &turn)
    if let response, response.action == NotificationResponse.open,
      let opened = center.notifications[response.notification]
    {
      clear([opened], .notificationOpened, &turn)
    }
    return .accepted
  }
}
