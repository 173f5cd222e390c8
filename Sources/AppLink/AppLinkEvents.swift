// The words between the handset and the link: what an app is given, and what becomes of it.

import HandsetCore

/// A push on its way to an app. At least once: an app tells a repetition by the push's identifier.
public struct AppDelivery: Hashable, Sendable {
  public var app: AppID
  public var push: PushID
  /// The payload as the provider sent it: a JSON object.
  public var payload: [UInt8]
  /// The state in which the app receives it.
  public var state: Lifecycle
  /// 1 the first time, more where it is offered again.
  public var attempt: Int

  public init(app: AppID, push: PushID, payload: [UInt8], state: Lifecycle, attempt: Int = 1) {
    self.app = app
    self.push = push
    self.payload = payload
    self.state = state
    self.attempt = attempt
  }
}

/// What an app reports of a push that it was given (rule U8).
public enum AppResult: String, Hashable, Sendable, CaseIterable {
  case newData
  case noData
  case failed

  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Told what apps do, on the link's thread: must not block, for until it returns nothing else moves.
///
/// Each delivery ends in exactly one of `completed`, `failed`, `timedOut` and `died`, except one that was given to a listening
/// app (whose time is the handset's to count; `disconnected` ends what it still had) and one that our own hand ended
/// (`stop`, `uninstall`, `shutDown`), of which nothing is told.
public protocol AppLinkEvents: Sendable {
  /// An app connected and declared its state, or declared another: `.foreground` or `.background`.
  func listening(_ app: AppID, _ state: Lifecycle)
  /// A connected app says what is to be presented of what comes while it is in the foreground (rule N2).
  func presenting(_ app: AppID, _ kinds: NotificationKinds)
  /// Its connection ended by any hand but ours.
  func disconnected(_ app: AppID)
  func completed(_ app: AppID, _ push: PushID, _ result: AppResult)
  /// The app said nothing of it, and did not do it: its hook could not run, or ended with another exit status than 0.
  /// - Parameter reason: for a person: what is wrong and what to do.
  func failed(_ app: AppID, _ push: PushID, _ reason: String)
  /// The real time of a delivery is over. What still runs of it is being stopped.
  func timedOut(_ app: AppID, _ push: PushID)
  /// A hook's process ended by any hand but ours and its own (rule U5).
  /// - Parameters:
  ///   - push: what it was given; nil for a launch hook.
  ///   - how: for a log: `signal 9 (Killed)`.
  func died(_ app: AppID, _ push: PushID?, _ how: String)
}
