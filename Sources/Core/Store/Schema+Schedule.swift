extension Schema {
  /// The notifications that apps have scheduled, and the kinds that an app has asked for while it is in the foreground.
  /// Only the parts that order requests have columns; the rest is read as a whole or not at all.
  static let schedule = """
    CREATE TABLE local_notification (
      handset INTEGER NOT NULL, app TEXT NOT NULL, identifier TEXT NOT NULL, push TEXT NOT NULL,
      request TEXT NOT NULL, payload BLOB NOT NULL,
      due_uptime INTEGER, due_wall INTEGER NOT NULL,
      counted_from INTEGER, presented_from INTEGER, presented_to INTEGER,
      PRIMARY KEY (handset, app, identifier)
    ) STRICT;
    ALTER TABLE app_state ADD COLUMN foreground_presentation TEXT;
    """
}
