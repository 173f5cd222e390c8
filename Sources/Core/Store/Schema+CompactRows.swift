extension Schema {
  /// A record for the events of a turn, and one row for a notification, so that a push writes few pages. An event that
  /// is stored already becomes a record of one event: its line, a line feed and its rulings. Its push's identifier is
  /// 16 or 20 bytes, or the original text.
  static let compactRows =
    ["event", "refused_event"].map { table in
      """
      ALTER TABLE \(table) RENAME TO old_\(table);
      CREATE TABLE \(table) (
        handset INTEGER NOT NULL, sequence INTEGER NOT NULL, events INTEGER NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (handset, sequence)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO \(table)
        SELECT handset, sequence, 1, CAST(line || char(10) || coalesce(rulings, '') AS BLOB) FROM old_\(table);
      DROP TABLE old_\(table);
      """
    }.joined() + """
      ALTER TABLE notification RENAME TO old_notification;
      CREATE TABLE notification (
        key INTEGER PRIMARY KEY, app TEXT NOT NULL, push ANY NOT NULL, level TEXT NOT NULL, collapse_id TEXT,
        is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER, has_action INTEGER NOT NULL,
        size INTEGER NOT NULL, arrived INTEGER NOT NULL, app_name TEXT NOT NULL, title TEXT, subtitle TEXT, body TEXT,
        action_title TEXT, thread_id TEXT, payload BLOB NOT NULL
      ) STRICT;
      INSERT INTO notification
        SELECT handset << 40 | number, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size,
          coalesce(arrived, 0), coalesce(app_name, ''), title, subtitle, body, action_title, thread_id,
          coalesce(payload, x'')
        FROM old_notification LEFT JOIN notification_content USING (handset, number) ORDER BY handset, number;
      DROP TABLE old_notification;
      DROP TABLE notification_content;
      """
}
