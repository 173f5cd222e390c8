// A notification is two rows: its facts, which every start reads, and its words and payload, which only a reader asks
// for.

import HandsetCore

extension HandsetStore {
  func writeNotification(
    before: Notification?, after: Notification?, content: NotificationContent?, of handset: HandsetID
  ) throws(StoreError) {
    if let before, before.id != after?.id {
      for table in ["notification", "notification_content"] {
        try database.run(
          "DELETE FROM \(table) WHERE handset = ? AND number = ?", .integer(handset.number), .count(before.id.number))
      }
    }
    guard let after else { return }
    try database.run(
      """
      INSERT INTO notification (handset, number, app, push, level, collapse_id, is_listed, is_seen, alert_order,
        has_action, size)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (handset, number) DO UPDATE SET app = excluded.app, push = excluded.push, level = excluded.level,
        collapse_id = excluded.collapse_id, is_listed = excluded.is_listed, is_seen = excluded.is_seen,
        alert_order = excluded.alert_order, has_action = excluded.has_action, size = excluded.size
      """,
      .integer(handset.number), .count(after.id.number), .text(after.app.text), .text(after.push.description),
      .text(after.level.rawValue), .optional(after.collapseID), .flag(after.isListed), .flag(after.isSeen),
      after.alertOrder.map(SQLiteValue.count) ?? .null, .flag(after.hasAction), .integer(Int64(after.size)))
    guard let content else { return }
    try database.run(
      """
      INSERT INTO notification_content (handset, number, arrived, app_name, title, subtitle, body, action_title,
        thread_id, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (handset, number) DO UPDATE SET arrived = excluded.arrived, app_name = excluded.app_name,
        title = excluded.title, subtitle = excluded.subtitle, body = excluded.body,
        action_title = excluded.action_title, thread_id = excluded.thread_id, payload = excluded.payload
      """,
      .integer(handset.number), .count(after.id.number), .integer(content.arrived.microseconds), .text(content.appName),
      .optional(content.title), .optional(content.subtitle), .optional(content.body), .optional(content.actionTitle),
      .optional(content.threadID), .blob(content.payload))
  }

  /// The words and payload of a notification; nil where there is none of that number.
  /// - Throws: `StoreError.damaged` where they cannot be read.
  public func content(
    of notification: NotificationID, handset: HandsetID
  ) throws(StoreError) -> NotificationContent? {
    let statement = try database.query(
      """
      SELECT number, arrived, app_name, title, subtitle, body, action_title, thread_id, payload
      FROM notification_content WHERE handset = ? AND number = ?
      """, .integer(handset.number), .count(notification.number))
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let row = StoredRow(statement: statement, table: "notification_content")
    do throws(StoreDamage) {
      return NotificationContent(
        arrived: WallTime(microseconds: try row.integer(1)), appName: try row.text(2), title: try row.optionalText(3),
        subtitle: try row.optionalText(4), body: try row.optionalText(5), actionTitle: try row.optionalText(6),
        threadID: try row.optionalText(7), payload: try row.bytes(8))
    } catch {
      throw .damaged(error)
    }
  }
}

extension HandsetLoading {
  mutating func readNotifications() throws(StoreError) {
    let statement = try database.query(
      """
      SELECT number, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size
      FROM notification WHERE handset = ? ORDER BY number
      """, .integer(handset.number))
    defer { statement.reset() }
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "notification")
      do throws(StoreDamage) {
        let notification = Notification(
          id: NotificationID(number: try row.count(0, below: contents.record.nextNotification)),
          app: try readAppID(row, 1),
          push: try row.value(2, "a push's identifier") { PushID($0) },
          level: try row.value(3, "an interruption level") { InterruptionLevel(rawValue: $0) },
          collapseID: try row.optionalText(4), isListed: try row.flag(5), isSeen: try row.flag(6),
          alertOrder: try row.optionalCount(7, below: contents.record.nextAlert),
          hasAction: try row.flag(8), size: Int(clamping: try row.count(9)))
        if !notification.isListed && !notification.isSeen {
          throw row.damage(6, "it is unseen, and not listed where it could be seen")
        }
        if isInstalled(notification.app, "notification") { contents.notifications.append(notification) }
      } catch {
        damage.append(error)
      }
    }
  }

  /// Whether there is an app for the row to hang on; noted where there is not.
  mutating func isInstalled(_ app: AppID, _ table: String) -> Bool {
    if appsByText[app.text] != nil { return true }
    orphans[app, default: [:]][table, default: 0] += 1
    return false
  }
}
