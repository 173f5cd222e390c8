// Some kinds of push name their app with a word behind it, so that one bundle identifier makes several topics.

import HandsetCore

extension PushType {
  /// What the topic of such a push has behind the bundle identifier [APNs, `apns-push-type`].
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

  /// The app that a topic of this type means; nil where it has not the type's word.
  func app(ofTopic topic: String) -> AppID? {
    guard let topicSuffix, topic.hasSuffix(topicSuffix) else { return nil }
    return AppID(topic.dropLast(topicSuffix.count))
  }

  /// The app that a topic means, and the type where the topic has one.
  static func app(ofTopic topic: String) -> (app: AppID, type: PushType?)? {
    for type in allCases {
      if let app = type.app(ofTopic: topic) { return (app, type) }
    }
    return AppID(topic).map { ($0, nil) }
  }
}
