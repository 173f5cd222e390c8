import DeskbellDaemon

enum CenterWords {
  static func text(_ notifications: [NotificationReport], _ clock: ClockFace = .local) -> String {
    if notifications.isEmpty { return "Notification Center is empty" }
    let rows = grouped(notifications).map { notification, isOlder in
      [
        "\(notification.id)", clock.dateAndTime(notification.arrivedWallMicroseconds),
        notification.isSeen ? "" : "new", oneLine(notification.appName),
        (isOlder ? "└ " : "") + oneLine(message(notification) + actions(notification)),
      ]
    }
    return table([["NUMBER", "ARRIVED", "", "APP", "MESSAGE"]] + rows)
  }

  /// Groups the notifications of a thread at the place of its newest one; `isOlder` is true for the others.
  private static func grouped(_ notifications: [NotificationReport]) -> [(NotificationReport, isOlder: Bool)] {
    struct Thread: Hashable {
      var app: String
      var id: String
    }
    func thread(_ notification: NotificationReport) -> Thread? {
      notification.threadID.map { Thread(app: notification.app, id: $0) }
    }
    let threads = Dictionary(grouping: notifications, by: thread)
    var shown: Set<Thread> = []
    return notifications.flatMap { notification -> [(NotificationReport, isOlder: Bool)] in
      guard let own = thread(notification) else { return [(notification, false)] }
      guard shown.insert(own).inserted else { return [] }
      return (threads[own] ?? []).enumerated().map { ($1, $0 > 0) }
    }
  }

  /// Returns ` [Accept] [Reply]`, its actions.
  private static func actions(_ notification: NotificationReport) -> String {
    (notification.actions ?? []).map { " [\($0.title)]" }.joined()
  }

  /// Returns title, subtitle and body, as far as they exist.
  static func message(_ notification: NotificationReport) -> String {
    [notification.title, notification.subtitle, notification.body].compactMap(\.self).joined(separator: " – ")
  }
}
