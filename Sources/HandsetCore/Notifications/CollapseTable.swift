/// Notifications by their collapse identifiers. These are compared by their bytes (rule N8): texts that look the same but
/// are composed otherwise are two, and comparing by bytes takes no longer for a text with many marks.
struct CollapseTable: Sendable, Equatable {
  private var notifications: [Key: NotificationID] = [:]

  private struct Key: Hashable, Sendable {
    let text: String

    static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  subscript(identifier: String) -> NotificationID? {
    get { notifications[Key(text: identifier)] }
    set { notifications[Key(text: identifier)] = newValue }
  }

  var all: [(identifier: String, notification: NotificationID)] {
    notifications.map { ($0.key.text, $0.value) }
  }
}
