/// Every limit of the store, by name. How much is kept of what is the handset's to say: `Policy`.
public enum StoreLimits {
  /// How long to wait for somebody else's lock on the database, a backup's or a curious person's: pushes wait with it.
  public static let busyTimeoutMilliseconds: Int32 = 250

  /// Bytes that the write-ahead log keeps on disk after a checkpoint.
  public static let journalSizeLimit = 8 * 1024 * 1024

  /// The oldest SQLite that will do: STRICT tables came with 3.37.
  static let oldestSQLite: Int32 = 3_037_000
}
