import HTTP
import HandsetCore

/// Notification Center of one handset.
public protocol CenterBackend: Sendable {
  /// Returns the notifications of one app or of all, newest first.
  /// - Parameter limit: 1 or more.
  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport]
}

/// A notification in Notification Center or on the screen.
public struct NotificationReport: Codable, Sendable, Equatable {
  public var id: UInt64
  public var app: String
  public var appName: String
  /// The push of the notification.
  public var push: String
  public var level: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// The buttons of its alert, left to right.
  public var buttons: [String]
  public var threadID: String?
  public var collapseID: String?
  public var isListed: Bool
  public var isSeen: Bool
  public var arrivedWallMicroseconds: Int64
  /// The actions besides opening it, in order; absent if there are none.
  public var actions: [Action]?

  /// One of its actions (rule N15).
  public struct Action: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    /// True if it opens the app.
    public var opensApp: Bool
    public var isDestructive: Bool
    /// True if the handset must be unlocked.
    public var needsUnlock: Bool
    /// The title of the button that sends the text; absent if it takes none.
    public var textButton: String?
    public var textPlaceholder: String?
  }
}

extension NotificationReport.Action {
  fileprivate init(_ action: NotificationAction) {
    self.init(
      id: action.id, title: action.title, opensApp: action.opensApp, isDestructive: action.isDestructive,
      needsUnlock: action.needsUnlock, textButton: action.textInput?.button,
      textPlaceholder: action.textInput?.placeholder)
  }
}

extension NotificationReport {
  /// - Parameters:
  ///   - content: its text as far as it is visible there (rule N6); nil if it is lost.
  ///   - actions: the actions that it offers.
  ///   - isLocked: true if the screen is locked, which changes the action button's title (rule N5).
  public init(
    _ notification: Notification, _ content: NotificationContent?, actions: [NotificationAction] = [], isLocked: Bool
  ) {
    self.init(
      id: notification.id.number, app: notification.app.text, appName: content?.appName ?? notification.app.text,
      push: notification.push.description, level: notification.level.rawValue, title: content?.title,
      subtitle: content?.subtitle, body: content?.body, buttons: content?.buttons(isLocked: isLocked) ?? [],
      threadID: content?.threadID, collapseID: notification.collapseID, isListed: notification.isListed,
      isSeen: notification.isSeen, arrivedWallMicroseconds: content?.arrived.microseconds ?? 0,
      actions: actions.isEmpty ? nil : actions.map(Action.init))
  }
}

/// The user's response to a notification (rule N14).
struct NotificationResponseRequest: RequestBody, Sendable {
  /// The identifier of one of its actions; nil opens it.
  var action: String?
  /// The text, for an action that takes one.
  var text: String?

  enum CodingKeys: CodingKey, CaseIterable { case action, text }
}

extension NotificationReport {
  /// Returns it with that title on the action button; nil for its own.
  func selecting(_ title: String?) -> NotificationReport {
    guard let title else { return self }
    var selecting = self
    selecting.buttons = buttons.prefix(1) + [title]
    return selecting
  }
}

enum CenterResource {
  static let routes = [
    HandsetRoute("GET", "/center", query: ["app", "limit"]) { handset, request in
      var limit = ControlLimits.defaultNotifications
      if let text = request.target.queryValue("limit") {
        guard let number = Int(text), (1...ControlLimits.notifications).contains(number) else {
          throw ControlError(400, "limit is 1 to \(ControlLimits.notifications), not '\(shown(text))'")
        }
        limit = number
      }
      return try .json(await handset.center.center(of: handset.queriedApp(request), limit: limit))
    },
    HandsetRoute("DELETE", "/center") { handset, _ in
      try await handset.submit(.clearCenter)
      return .noContent
    },
    HandsetRoute("DELETE", "/center/{number}") { handset, request in
      try await handset.submit(.clearNotification(notification(request)))
      return .noContent
    },
    // Answers with the presentation after the response.
    HandsetRoute("POST", "/center/{number}/response") { handset, request in
      let response: NotificationResponseRequest = try request.body()
      try await handset.submit(
        .respond(notification(request), action: response.action ?? NotificationResponse.open, text: response.text))
      return try .json(await handset.handset.state().presentation)
    },
    HandsetRoute("DELETE", "/apps/{id}/center") { handset, request in
      try await handset.submit(.clearSection(handset.appID(request)))
      return .noContent
    },
  ]
  private static func notification(_ request: HTTPRequest) throws -> NotificationID {
    let text = try request.parameter("number")
    guard let number = UInt64(text) else {
      throw ControlError(
        404, "there is no notification '\(shown(text))'", hint: "Run 'deskbell center' to list notification numbers.")
    }
    return NotificationID(number: number)
  }
}
