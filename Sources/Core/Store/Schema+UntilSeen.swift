extension Schema {
  /// The sound of a notification and its repetition, before its words: every start reads them. An empty sound is the
  /// default one. The sounds of older rows are not known, so they stay silent when a snooze ends. A repetition and a
  /// snooze are one JSON text each, in their own form.
  static let untilSeen = """
    ALTER TABLE notification RENAME TO old_notification;
    CREATE TABLE notification (
      key INTEGER PRIMARY KEY, app TEXT NOT NULL, push ANY NOT NULL, level TEXT NOT NULL, collapse_id TEXT,
      is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER, has_action INTEGER NOT NULL,
      size INTEGER NOT NULL, sound TEXT, critical_volume REAL, repetition TEXT, arrived INTEGER NOT NULL,
      app_name TEXT NOT NULL, title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT,
      payload BLOB NOT NULL
    ) STRICT;
    INSERT INTO notification
      SELECT key, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size, NULL, NULL, NULL,
        arrived, app_name, title, subtitle, body, action_title, thread_id, payload
      FROM old_notification ORDER BY key;
    DROP TABLE old_notification;
    ALTER TABLE app_state ADD COLUMN snooze TEXT;
    ALTER TABLE handset ADD COLUMN snooze TEXT;
    """
}
