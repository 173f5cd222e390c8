import HandsetCore

/// A notification of an app in Notification Center, as it is sent to the app.
public struct DeliveredNotification: Encodable, Hashable, Sendable {
  public var notification: UInt64
  public var push: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var thread: String?
  public var category: String?
  public var isSeen: Bool
  public var wallMicroseconds: Int64

  public init(_ notification: Notification, _ content: NotificationContent?) {
    self.notification = notification.id.number
    push = notification.push.description
    title = content?.title
    subtitle = content?.subtitle
    body = content?.body
    thread = content?.threadID
    category = notification.options?.category
    isSeen = notification.isSeen
    wallMicroseconds = content?.arrived.microseconds ?? 0
  }
}
