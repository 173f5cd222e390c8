// What the handset refuses, in the words of HTTP.

import HandsetCore
import StrictYAML

extension ControlError {
  /// 404 where there is no such thing, 409 where the moment is wrong, 400 where the value is.
  init(_ refusal: Refusal) {
    self.init(refusal.status, refusal.explanation, hint: refusal.hint)
  }
}

extension Refusal {
  fileprivate var status: Int {
    switch self {
    case .unknownApp, .unknownNode, .unknownNotification, .unknownLocalNotification: 404
    case .notRunning, .notOffered, .noAlert, .noAction, .tooManyApps, .tooManyNodes: 409
    case .badSetting, .badLocalNotification, .badBadge, .badDeviceToken, .deviceTokenNotForTopic: 400
    case .unregistered, .expiredToken, .goneNode: 410
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .notRunning: "launch it first"
    case .noAlert: "an alert comes with a message for an app whose style is 'alert'"
    case .noAction: "press close"
    case .tooManyNodes: "delete one first"
    case .tooManyApps: "uninstall one first"
    case .unknownNotification: "Run 'deskbell center' to list notification numbers."
    case .badSetting(let error): nearest(error.value, among: error.expected).map { "did you mean '\($0)'?" }
    case .unknownApp, .unknownNode, .goneNode, .badLocalNotification, .unknownLocalNotification, .notOffered, .badBadge,
      .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken:
      nil
    }
  }
}
