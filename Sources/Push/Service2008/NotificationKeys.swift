// The spelling of the keys is a reconstruction: the talk's slides are lost, and its transcript was made by ear. So this
// is its only place, with the plain names beside it.

/// A key of the property list that has a meaning for the handset.
enum NotificationKey: CaseIterable {
  case alertBody, showOpenButton, badge, sound

  /// The talk's spelling, and a plain one. Either may be used.
  var spellings: [String] {
    switch self {
    case .alertBody: ["UIAlertBody", "AlertBody"]
    case .showOpenButton: ["UIAlertShowOpenButton", "ShowOpenButton"]
    case .badge: ["UIApplicationBadge", "Badge"]
    case .sound: ["UIAlertSound", "Sound"]
    }
  }
}
