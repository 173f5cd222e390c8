// Some types of push append a word to the app's identifier, so that one bundle identifier makes several topics.

import HandsetCore

extension PushType {
  /// The suffix of the topic of such a push, behind the bundle identifier [APNs, `apns-push-type`].
  var topicSuffix: String? {
    switch self {
    case .location: ".location-query"
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    case .alert, .background, .mdm: nil
    }
  }

  /// Returns the app that a topic of this type names; nil if the topic lacks the type's suffix.
  func app(ofTopic topic: String) -> AppID? {
    guard let topicSuffix, topic.hasSuffix(topicSuffix) else { return nil }
    return AppID(topic.dropLast(topicSuffix.count))
  }

  /// Returns the app that a topic names, and the type if the topic has a suffix.
  static func app(ofTopic topic: String) -> (app: AppID, type: PushType?)? {
    for type in allCases {
      if let app = type.app(ofTopic: topic) { return (app, type) }
    }
    return AppID(topic).map { ($0, nil) }
  }
}
