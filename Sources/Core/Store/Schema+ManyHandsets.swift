extension Schema {
  /// Names of the handsets, and the reserved event numbers. A handset of an older database is named by its number, and
  /// gets its device ID here if it has none yet.
  static let manyHandsets = """
    ALTER TABLE handset ADD COLUMN reserved_event INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN name TEXT;
    INSERT OR IGNORE INTO device (handset, device_id)
      SELECT handset, randomblob(20) FROM (
        SELECT handset FROM handset UNION SELECT handset FROM app UNION SELECT handset FROM event);
    UPDATE device SET name = CAST(handset AS TEXT);
    CREATE UNIQUE INDEX device_name ON device (name);
    """
}
