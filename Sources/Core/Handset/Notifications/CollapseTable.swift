/// Notifications by their collapse identifiers (rule N8).
struct CollapseTable: Sendable, Equatable {
  private var notifications: [ExactText: NotificationID] = [:]

  subscript(identifier: String) -> NotificationID? {
    get { notifications[ExactText(identifier)] }
    set { notifications[ExactText(identifier)] = newValue }
  }

  var all: [(identifier: String, notification: NotificationID)] {
    notifications.map { ($0.key.text, $0.value) }
  }
}
