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

  /// - Parameter content: the content as shown in Notification Center.
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

extension DeliveryResult {
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// An event of an app, for its handset.
///
/// Each delivery ends in exactly one of `completed`, `failed`, `timedOut` and `died`, with two exceptions: the handset
/// itself limits the time of a delivery to a listening app (`disconnected` ends the open ones), and a delivery that the
/// daemon ended (`stop`, `uninstall`, `shutDown`) is not reported.
public enum AppEvent: Hashable, Sendable {
  /// The app connected and declared its state, or declared another: `.foreground` or `.background`.
  case listening(AppAddress, Lifecycle)
  /// The connected app set the presentation of pushes that arrive while it is in the foreground (rule N2).
  case presenting(AppAddress, NotificationKinds)
  case badge(AppAddress, Int)
  /// The connected app asked for its delivered notifications (rule N17): `AppLink.sendDelivered` answers.
  case listing(AppAddress)
  /// The connected app removed these notifications of its own from Notification Center; nil removes all.
  case removing(AppAddress, [NotificationID]?)
  /// The app's connection ended, and the daemon did not end it.
  case disconnected(AppAddress)
  case completed(AppAddress, PushID, DeliveryResult)
  /// The app did not do its work: its program could not run, or exited with a status other than 0. The text has the
  /// problem and the remedy, for the user.
  case failed(AppAddress, PushID, String)
  /// The real time of a delivery is over. Its remaining processes are being stopped.
  case timedOut(AppAddress, PushID)
  /// A program's process was ended by a cause other than the daemon or itself (rule U5), named for a log:
  /// `signal 9 (Killed)`. The push is nil for a launch program.
  case died(AppAddress, PushID?, String)
}
