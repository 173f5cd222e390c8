/// Every limit of the store, by name. How much is kept of what is the handset's to say: `Policy`.
public enum StoreLimits {
  /// How long to wait for somebody else's lock on the database, a backup's or a curious person's: pushes wait with it.
  public static let busyTimeoutMilliseconds: Int32 = 250

  /// Bytes that the write-ahead log keeps on disk after a checkpoint.
  public static let journalSizeLimit = 8 * 1024 * 1024

  /// Pages of the write-ahead log from which on a commit writes them into the database.
  static let logPages: Int32 = 1_000

  /// How large the database may get. What does not fit is refused.
  public static let databaseBytes = 256 * 1024 * 1024

  /// The part of it, one of so many, that is left for the next batch: beyond the rest the oldest events go.
  static let databaseReserve = 16

  /// Event numbers that a durable commit reserves for the events of commits that are not. A power cut leaves a gap of at
  /// most so many.
  static let reservedEvents: UInt64 = 256

  /// Events of one record; a turn that has more has several records.
  static let eventsPerRecord = 64

  /// The journal keeps more than its limit, up to one of so many, so that dropping the oldest is not each push's work.
  static let eventSurplus = 64

  /// The bits of a notification's key that have its number; those above have its handset's.
  static let notificationNumberBits: Int64 = 40

  /// What those above can express, without the sign.
  static let handsetNumbers: Range<Int64> = 1..<(1 << (63 - notificationNumberBits))

  /// Events that a handset keeps however large the database is, and those that go at a time.
  static let eventsKept = 1_000
  static let eventsDroppedAtOnce = 256

  /// Bytes of free pages that the database keeps for what comes next; beyond, all of them go back to the disk.
  static let freeBytes = 8 * 1024 * 1024

  /// Pages that go back to the disk at a time, while pushes wait.
  static let pagesGivenBackAtOnce = 256

  /// The oldest SQLite that will do: STRICT tables came with 3.37.
  static let oldestSQLite: Int32 = 3_037_000
}
