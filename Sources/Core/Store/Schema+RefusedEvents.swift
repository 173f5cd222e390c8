extension Schema {
  /// A table for refusals, so that many of them do not displace other events, and the number of rows in both tables, so
  /// that a commit need not count them. The counts are in the row that has the next event's number: it is written with
  /// each event anyway.
  static let refusedEvents = """
    CREATE TABLE refused_event (
      handset INTEGER NOT NULL, sequence INTEGER NOT NULL, line TEXT NOT NULL, rulings TEXT,
      PRIMARY KEY (handset, sequence)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO refused_event (handset, sequence, line, rulings)
      SELECT handset, sequence, line, rulings FROM event WHERE line LIKE '%"event":"refused"%';
    DELETE FROM event WHERE line LIKE '%"event":"refused"%';
    ALTER TABLE handset ADD COLUMN events INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE handset ADD COLUMN refused_events INTEGER NOT NULL DEFAULT 0;
    UPDATE handset SET
      events = (SELECT count(*) FROM event WHERE event.handset = handset.handset),
      refused_events = (SELECT count(*) FROM refused_event WHERE refused_event.handset = handset.handset);
    """
}
