extension Schema {
  /// The options of notifications, which few have, as one JSON text in its own form, before the words: every start
  /// reads it. The occasion of an offer has the same form.
  static let options = """
    ALTER TABLE notification RENAME TO old_notification;
    CREATE TABLE notification (
      key INTEGER PRIMARY KEY, app TEXT NOT NULL, push ANY NOT NULL, level TEXT NOT NULL, collapse_id TEXT,
      is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER, has_action INTEGER NOT NULL,
      size INTEGER NOT NULL, sound TEXT, critical_volume REAL, repetition TEXT, options TEXT, arrived INTEGER NOT NULL,
      app_name TEXT NOT NULL, title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT,
      payload BLOB NOT NULL
    ) STRICT;
    INSERT INTO notification
      SELECT key, app, push, level, collapse_id, is_listed, is_seen, alert_order, has_action, size, sound,
        critical_volume, repetition, NULL, arrived, app_name, title, subtitle, body, action_title, thread_id, payload
      FROM old_notification ORDER BY key;
    DROP TABLE old_notification;
    ALTER TABLE offered ADD COLUMN occasion TEXT;
    ALTER TABLE app ADD COLUMN categories TEXT;
    ALTER TABLE app ADD COLUMN has_notification_hook INTEGER NOT NULL DEFAULT 0;
    """
}
