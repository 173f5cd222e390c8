// What passes between a handset and the link: what an app is given, and what became of it.

import HandsetCore

/// A push on its way to an app. Delivered at least once: an app recognizes a repetition by the push's identifier.
public struct AppDelivery: Hashable, Sendable {
  public var app: AppAddress
  public var push: PushID
  /// The payload as the provider sent it: a JSON object.
  public var payload: [UInt8]
  /// The state in which the app receives it.
  public var state: Lifecycle
  /// 1 the first time, more where it is offered again.
  public var attempt: Int
  /// Nil for an update, and for what an app in the foreground gets.
  public var occasion: OfferOccasion?

  public init(
    app: AppAddress, push: PushID, payload: [UInt8], state: Lifecycle, attempt: Int = 1, occasion: OfferOccasion? = nil
  ) {
    self.app = app
    self.push = push
    self.payload = payload
    self.state = state
    self.attempt = attempt
    self.occasion = occasion
  }
}

/// A notification of an app in Notification Center, as the app gets it.
public struct DeliveredNotification: Encodable, Hashable, Sendable {
  public var notification: UInt64
  public var push: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var thread: String?
  public var category: String?
  public var isSeen: Bool
  /// When its push was accepted.
  public var wallMicroseconds: Int64

  /// - Parameter content: as it is shown there.
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

/// What opened an app: a notification (rule N14).
public struct AppOpening: Hashable, Sendable {
  public var response: NotificationResponse
  /// As in `AppDelivery`; nil where it is lost.
  public var payload: [UInt8]?

  public init(response: NotificationResponse, payload: [UInt8]?) {
    self.response = response
    self.payload = payload
  }
}

extension DeliveryResult {
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Receives what apps do, on the link's thread: must not block, since nothing else moves until it returns.
///
/// Each delivery ends in exactly one of `completed`, `failed`, `timedOut` and `died`, with two exceptions: the handset
/// counts the time of a delivery that went to a listening app (`disconnected` ends those that are open), and a delivery
/// that the daemon ended itself (`stop`, `uninstall`, `shutDown`) is not reported.
public protocol AppLinkEvents: Sendable {
  /// An app connected and declared its state, or declared another: `.foreground` or `.background`.
  func listening(_ app: AppAddress, _ state: Lifecycle)
  /// A connected app declares what is presented of arriving pushes while it is in the foreground (rule N2).
  func presenting(_ app: AppAddress, _ kinds: NotificationKinds)
  /// A connected app sets its badge (rule B6): 0 or more.
  func setBadge(_ app: AppAddress, _ number: Int)
  /// A connected app asks what is delivered of its own (rule N17): `AppLink.tellDelivered` answers.
  func listDelivered(_ app: AppAddress)
  /// A connected app removes notifications of its own from Notification Center, or all where it is nil.
  func removeDelivered(_ app: AppAddress, _ numbers: [NotificationID]?)
  /// Its connection ended, and the daemon did not end it.
  func disconnected(_ app: AppAddress)
  func completed(_ app: AppAddress, _ push: PushID, _ result: DeliveryResult)
  /// The app reported nothing and did not do its work: its hook could not run, or exited with a status other than 0.
  /// - Parameter reason: for a person: what is wrong and what to do.
  func failed(_ app: AppAddress, _ push: PushID, _ reason: String)
  /// The real time of a delivery is over. What still runs of it is being stopped.
  func timedOut(_ app: AppAddress, _ push: PushID)
  /// A hook's process was ended by something other than the daemon or itself (rule U5).
  /// - Parameters:
  ///   - push: what it was given; nil for a launch hook.
  ///   - how: for a log: `signal 9 (Killed)`.
  func died(_ app: AppAddress, _ push: PushID?, _ how: String)
}
