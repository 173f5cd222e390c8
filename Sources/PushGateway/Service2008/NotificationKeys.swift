// The spelling of the keys is a reconstruction: the talk's slides are lost, and its transcript is by ear. So it stands
// here and nowhere else, with the plain words beside it.

/// A key of the property list that the handset knows.
enum NotificationKey: CaseIterable {
  case alertBody, showOpenButton, badge, sound

  /// As the talk has it, and plainly. Either may be used.
  var spellings: [String] {
    switch self {
    case .alertBody: ["UIAlertBody", "AlertBody"]
    case .showOpenButton: ["UIAlertShowOpenButton", "ShowOpenButton"]
    case .badge: ["UIApplicationBadge", "Badge"]
    case .sound: ["UIAlertSound", "Sound"]
    }
  }
}
