/// Every limit of the store, by name. The limits of the handset's own data are in `Policy`.
public enum StoreLimits {
  /// The time to wait for another program's lock on the database, such as a backup's: pushes wait with it.
  public static let busyTimeoutMilliseconds: Int32 = 250

  /// Bytes that the write-ahead log keeps on disk after a checkpoint.
  public static let journalSizeLimit = 8 * 1024 * 1024

  /// Pages of the write-ahead log from which on a commit writes them into the database.
  static let logPages: Int32 = 1_000

  /// The size limit of the database. Writes beyond it are refused.
  public static let databaseBytes = 256 * 1024 * 1024

  /// The divisor for the part of it that is left for the next batch: beyond the rest the oldest events are dropped.
  static let databaseReserve = 16

  /// Event numbers that a durable commit reserves for the events of commits that are not durable. A power cut leaves a
  /// gap of at most that many.
  static let reservedEvents: UInt64 = 256

  /// Events of one record; a turn that has more has several records.
  static let eventsPerRecord = 64

  /// Bytes of a record that several turns share: a row of more than some 1,000 takes pages of its own.
  static let recordBytes = 800

  /// The divisor for the surplus above the journal's limit, which is kept so that not each push has to drop the oldest.
  static let eventSurplus = 64

  /// The pages of late commits, which are run when these are full: some 100 pushes.
  static let latePages: Int64 = 16

  /// Bytes of a row of late commits: as many as fit into one page beside the row's other columns.
  static let latePageBytes = 4_000

  /// Changes of a commit that may be late. A push has some six; when many notifications are cleared, their pages are
  /// free at once.
  static let lateChanges = 32

  /// The commits after a reader that are not late.
  static let directCommits = 16

  /// The bits of a notification's key that hold its number; the bits above hold its handset's.
  static let notificationNumberBits: Int64 = 40

  /// The handset numbers that the bits above can express, without the sign.
  static let handsetNumbers: Range<Int64> = 1..<(1 << (63 - notificationNumberBits))

  /// Events that a handset keeps however large the database is, and events that are dropped at a time.
  static let eventsKept = 1_000
  static let eventsDroppedAtOnce = 256

  /// Bytes of free pages that the database keeps for the next rows; beyond that, all of them are returned to the disk.
  static let freeBytes = 8 * 1024 * 1024

  /// Pages that are returned to the disk at a time, while pushes wait.
  static let pagesGivenBackAtOnce = 256

  /// The oldest SQLite that is supported: STRICT tables came with 3.37.
  static let oldestSQLite: Int32 = 3_037_000
}
