import CSQLite

/// A copy of a daemon's database in a file that no daemon uses, with the other files of its installation if it is a
/// backup.
public final class DatabaseCopy {
  /// A file of the installation beside the database.
  public struct File: Hashable, Sendable {
    public enum Kind: String, Sendable {
      case file, folder, link
    }

    /// The paths of state are relative to the state directory, those of settings absolute.
    public enum Place: String, Sendable {
      case state, settings
    }

    public var place: Place
    public var path: String
    public var kind: Kind
    public var mode: UInt32
    /// The names of user and group; nil if the system had none.
    public var owner: String?
    public var group: String?
    /// The content; the target if it is a link.
    public var content: [UInt8]

    public init(
      _ place: Place, _ path: String, _ kind: Kind, mode: UInt32, owner: String? = nil, group: String? = nil,
      content: [UInt8] = []
    ) {
      (self.place, self.path, self.kind, self.mode) = (place, path, kind, mode)
      (self.owner, self.group, self.content) = (owner, group, content)
    }
  }

  public let path: String
  /// Pages that were not as a daemon wrote them, and were accepted.
  public private(set) var acceptedPages: [Int] = []
  private let database: SQLiteConnection

  /// Copies a database as it is at one moment, whether a daemon has it open or not. The copy is not flushed.
  /// - Parameters:
  ///   - original: in a state directory.
  ///   - path: of a file that is not there yet.
  /// - Throws: `StoreError.foreign`; `.sqlite`, also if a page of the original is damaged.
  public init(of original: String, at path: String) throws(StoreError) {
    self.path = path
    let source = try SQLiteConnection(path: original, in: nil, flags: SQLITE_OPEN_READWRITE)
    guard try source.integer("PRAGMA application_id") == Schema.applicationID else { throw .foreign(path: original) }
    database = try SQLiteConnection(path: path, in: nil)
    // The copy is of use only as a whole, and is flushed as a whole.
    try database.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
    try database.layOutPages()
    guard let copying = sqlite3_backup_init(database.handle, "main", source.handle, "main") else {
      throw database.error(sqlite3_errcode(database.handle))
    }
    let code = sqlite3_backup_step(copying, -1)
    sqlite3_backup_finish(copying)
    guard code == SQLITE_DONE else { throw code == StoreError.changedPage ? source.error(code) : database.error(code) }
    // The original may be of a version that has no late commits.
    if try database.has("late") { _ = try database.runLate() }
    // One file, which can also be read from a read-only disk.
    try database.execute(
      """
      PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF;
      PRAGMA application_id = \(Schema.backupApplicationID);
      CREATE TABLE backup (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE backup_file (
        place TEXT NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL, owner TEXT, grp TEXT,
        content BLOB NOT NULL, PRIMARY KEY (place, path)
      ) STRICT;
      """)
  }

  /// Opens a file that no program has open, and examines all of it.
  /// - Parameter acceptsChanges: gives each page that is not as a daemon wrote it a new checksum, if SQLite's integrity
  ///   check passes.
  /// - Throws: `StoreError.changed`, `.inconsistent`; `.foreign`, `.older` and `.newer` if the file is not for this
  ///   version; `.sqlite` if its pages have no checksums.
  public init(opening path: String, acceptsChanges: Bool = false) throws(StoreError) {
    self.path = path
    try DatabaseCopy.examine(path)
    let changed = try PageChecksums.changedPages(of: path)
    if !changed.numbers.isEmpty && !acceptsChanges {
      throw .changed(path: path, pages: changed.numbers, count: changed.count)
    }
    try DatabaseCopy.checkIntegrity(of: path)
    if !changed.numbers.isEmpty { try PageChecksums.seal(path) }
    database = try SQLiteConnection(path: path, in: nil, flags: SQLITE_OPEN_READWRITE)
    // Another program has changed rows, and not what repeats them.
    if !changed.numbers.isEmpty, try database.has("notification_pack") {
      try database.execute("DELETE FROM notification_pack; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    acceptedPages = changed.numbers
  }

  /// Reads as another program does, without checksums, and writes the log into the file.
  private static func examine(_ path: String) throws(StoreError) {
    let database = try SQLiteConnection(path: path, in: nil, flags: SQLITE_OPEN_READWRITE, checksums: false)
    let identifier = try database.integer("PRAGMA application_id")
    guard identifier == Schema.applicationID || identifier == Schema.backupApplicationID else {
      throw .foreign(path: path)
    }
    let version = try database.integer("PRAGMA user_version") ?? 0
    _ = try Schema.step(version, newest: Schema.firstStep + Schema.migrations.count - 1, path: path)
    try database.requireChecksums()
    try database.emptyLog()
  }

  private static func checkIntegrity(of path: String) throws(StoreError) {
    let database = try SQLiteConnection(path: path, in: nil, flags: SQLITE_OPEN_READWRITE, checksums: false)
    let problem = try database.first("PRAGMA integrity_check(1)", []) { $0.text(0) } ?? nil
    if problem != "ok" { throw .inconsistent(path: path, problem: problem ?? "no answer") }
  }

  // MARK: - The contents

  /// Returns the bundle identifiers of the apps, on any handset, in alphabetical order.
  public func apps() throws(StoreError) -> [String] { try texts("SELECT DISTINCT app FROM app ORDER BY app") }

  public func providers() throws(StoreError) -> [String] { try texts("SELECT name FROM provider ORDER BY name") }

  public func notificationCount() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM notification WHERE is_listed") ?? 0)
  }

  /// Returns the number of apps and of providers in the database of a state directory. Nothing in it changes.
  public static func counts(of file: String) throws(StoreError) -> (apps: Int, providers: Int) {
    let database = try SQLiteConnection(path: file, in: nil, flags: SQLITE_OPEN_READWRITE)
    let apps = try database.integer("SELECT count(DISTINCT app) FROM app") ?? 0
    return (Int(apps), Int(try database.integer("SELECT count(*) FROM provider") ?? 0))
  }

  private func texts(_ sql: StaticString) throws(StoreError) -> [String] {
    let statement = try database.query(sql)
    defer { statement.reset() }
    var found: [String] = []
    while try statement.step() { if let text = statement.text(0) { found.append(text) } }
    return found
  }

  // MARK: - A backup

  /// Returns true if a file with this beginning, of 72 bytes or more, is a backup.
  public static func isBackup(_ header: [UInt8]) -> Bool {
    guard header.count >= 72, header.starts(with: Array("SQLite format 3\0".utf8)) else { return false }
    // [SQLite, Database File Format, 1.3]
    return header[68..<72].reduce(0) { $0 << 8 | Int64($1) } == Schema.backupApplicationID
  }

  public func isBackup() throws(StoreError) -> Bool {
    try database.integer("PRAGMA application_id") == Schema.backupApplicationID
  }

  public func note(_ value: String, as key: String) throws(StoreError) {
    try database.run("INSERT OR REPLACE INTO backup VALUES (?, ?)", .text(key), .text(value))
  }

  public func noted(_ key: String) throws(StoreError) -> String? {
    try database.first("SELECT value FROM backup WHERE key = ?", [.text(key)]) { $0.text(0) } ?? nil
  }

  public func add(_ file: File) throws(StoreError) {
    try database.run(
      "INSERT INTO backup_file VALUES (?, ?, ?, ?, ?, ?, ?)", .text(file.place.rawValue), .text(file.path),
      .text(file.kind.rawValue), .integer(Int64(file.mode)), .optional(file.owner), .optional(file.group),
      .blob(file.content))
  }

  /// Reads the files one by one, each folder before its contents.
  /// - Throws: `StoreError`, and the errors of `body`.
  public func forEachFile(in place: File.Place, _ body: (File) throws -> Void) throws {
    let statement = try database.query(
      "SELECT path, kind, mode, owner, grp, content FROM backup_file WHERE place = ? ORDER BY path",
      [.text(place.rawValue)])
    defer { statement.reset() }
    while try statement.step() {
      guard let path = statement.text(0), let kind = statement.text(1).flatMap(File.Kind.init) else {
        throw StoreError.damaged(
          StoreDamage(table: "backup_file", key: place.rawValue, column: "kind", problem: "it is no kind of file"))
      }
      try body(
        File(
          place, path, kind, mode: UInt32(truncatingIfNeeded: statement.integer(2)), owner: statement.text(3),
          group: statement.text(4), content: statement.bytes(5)))
    }
  }

  /// Turns it into a state directory's database, in which each page has its checksum.
  public func becomeDatabase() throws(StoreError) {
    try database.execute(
      """
      PRAGMA journal_mode = DELETE;
      DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_file;
      PRAGMA application_id = \(Schema.applicationID);
      VACUUM
      """)
  }
}
