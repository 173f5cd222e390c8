import ControlAPI

enum CenterWords {
  static func text(_ notifications: [NotificationReport], _ clock: ClockFace = .local) -> String {
    if notifications.isEmpty { return "Notification Center is empty" }
    let rows = notifications.map { notification in
      [
        "\(notification.id)", clock.dateAndTime(notification.arrivedWallMicroseconds),
        notification.isSeen ? "" : "new", oneLine(notification.appName), oneLine(message(notification)),
      ]
    }
    return table([["NUMBER", "ARRIVED", "", "APP", "MESSAGE"]] + rows)
  }

  /// Title, subtitle and body, those that there are.
  static func message(_ notification: NotificationReport) -> String {
    [notification.title, notification.subtitle, notification.body].compactMap(\.self).joined(separator: " – ")
  }
}
