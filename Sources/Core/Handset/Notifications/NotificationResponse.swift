// Rule N14: the person's response to a notification, for its app. The identifiers are Apple's.

/// The person's response to a notification [UNNotificationResponse].
public struct NotificationResponse: Hashable, Sendable, Codable {
  public var notification: NotificationID
  public var push: PushID
  /// `NotificationResponse.open`, or the identifier of one of its actions.
  public var action: String
  /// The person's text.
  public var text: String?
  /// The URL that the action opens.
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
