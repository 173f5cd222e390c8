extension Schema {
  /// Nodes with their last property lists; the identifiers by which the 2008 service knows handsets; the passwords,
  /// hashed, of its providers.
  static let publishingNodes = """
    CREATE TABLE node (
      handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, push TEXT, gone_since INTEGER, published BLOB,
      PRIMARY KEY (handset, app, name)
    ) STRICT;
    CREATE TABLE device (handset INTEGER PRIMARY KEY, device_id BLOB NOT NULL UNIQUE) STRICT;
    ALTER TABLE provider ADD COLUMN password_hash TEXT;
    """
}
