// Rule N14: what the person did with a notification, for its app. The identifiers are Apple's.

/// What the person chose of a notification [UNNotificationResponse].
public struct NotificationResponse: Hashable, Sendable, Codable {
  public var notification: NotificationID
  public var push: PushID
  /// `NotificationResponse.open`, or the identifier of one of its actions.
  public var action: String
  /// What the person wrote.
  public var text: String?
  /// What the action opens.
  public var url: String?

  public init(notification: NotificationID, push: PushID, action: String, text: String? = nil) {
    self.notification = notification
    self.push = push
    self.action = action
    self.text = text
  }

  /// The notification itself was opened [UNNotificationDefaultActionIdentifier].
  public static let open = "com.apple.UNNotificationDefaultActionIdentifier"
}
