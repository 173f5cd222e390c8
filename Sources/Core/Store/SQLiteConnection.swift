import CPageChecks
import CSQLite
import Glibc

enum SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  static func flag(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }

  /// Returns any 64 bits; half of them read as a negative number.
  static func bits(_ value: UInt64) -> SQLiteValue { .integer(Int64(bitPattern: value)) }

  static func optional(_ value: String?) -> SQLiteValue { value.map(SQLiteValue.text) ?? .null }
  static func optional(_ value: Int64?) -> SQLiteValue { value.map(SQLiteValue.integer) ?? .null }
}

/// A connection to one database file, for one thread at a time. Errors are thrown with SQLite's words, statements are
/// prepared once, and a transaction that fails leaves nothing open.
final class SQLiteConnection {
  /// The two modes of a commit: with or without a wait for the disk [SQLite, `PRAGMA synchronous`].
  enum Synchronous: Int64 {
    case normal = 1
    case full = 2
  }

  let path: String
  /// Kept so that its lock is released after the database is closed, never before; nil for a file that no daemon uses.
  private let directory: StateDirectory?
  let handle: OpaquePointer
  /// The statements by the address of their text, which is a literal: no text is hashed for a push.
  private(set) var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]
  /// The last one with its text: a batch writes many rows of one table.
  private var last: (text: UnsafePointer<UInt8>, statement: SQLiteStatement)?
  private var synchronous = Synchronous.full
  /// The pages of the write-ahead log, since the last commit.
  private var logPages: Int32 = 0
  /// True if a sync has failed: its data may be lost although the next one succeeds.
  var hasLostSync = false
  private var damage: StoreError?
  private let scratch = Scratch()

  /// - Parameters:
  ///   - path: without symbolic links.
  ///   - directory: the file's directory; it stays locked for as long as the connection is open.
  ///   - flags: for `sqlite3_open_v2`, beside those that every connection has.
  ///   - checksums: true compares and writes them; without them the file is read as another program reads it.
  init(
    path: String, in directory: StateDirectory?, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    checksums: Bool = true
  ) throws(StoreError) {
    guard sqlite3_libversion_number() >= StoreLimits.oldestSQLite, let fileSystem = PageChecksums.fileSystem else {
      let version = String(cString: sqlite3_libversion())
      throw .directory(path: path, problem: "SQLite 3.37 or later for Unix is needed, and this system has \(version)")
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, checksums ? fileSystem : nil)
    guard code == SQLITE_OK, let opened else {
      let message = String(cString: opened.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
      sqlite3_close_v2(opened)
      throw .sqlite(path: path, code: code, message: message)
    }
    self.path = path
    self.directory = directory
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, StoreLimits.busyTimeoutMilliseconds)
    // Replaces SQLite's own checkpoints, which do not report that a sync failed. It is called only within the calls
    // below, during which the caller holds this object.
    sqlite3_wal_hook(
      opened,
      { connection, _, _, pages in
        guard let connection else { return SQLITE_OK }
        Unmanaged<SQLiteConnection>.fromOpaque(connection).takeUnretainedValue().logPages = pages
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    last = nil
    statements.removeAll()
    // Statements that are still referenced keep the connection until they are gone too.
    sqlite3_close_v2(handle)
  }

  /// Runs statements that return nothing, one after the other.
  func execute(_ script: String) throws(StoreError) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Runs one statement that returns nothing. It stays prepared.
  func run(_ sql: StaticString, _ values: SQLiteValue...) throws(StoreError) {
    try run(sql) { $0.add(values) }
  }

  func run(_ sql: StaticString, _ add: (inout RowValues) -> Void) throws(StoreError) {
    let statement = try prepared(sql)
    scratch.begin()
    var row = RowValues(statement, in: scratch)
    add(&row)
    statement.nulls = row.nulls
    if let error = row.firstError { throw error }
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// Deletes the rows of a table, with a statement that does not stay prepared.
  func delete(from table: String, where condition: String, _ values: SQLiteValue...) throws(StoreError) {
    let statement = try prepare("DELETE FROM \(table) WHERE \(condition)", flags: 0)
    try statement.bind(values)
    while try statement.step() {}
  }

  /// Returns a statement at its start, to be stepped to its rows and reset after.
  func query(_ sql: StaticString, _ values: [SQLiteValue] = []) throws(StoreError) -> SQLiteStatement {
    let statement = try prepared(sql)
    try statement.bind(values)
    return statement
  }

  /// Returns the first column of the first row, as an integer; nil if there is no row or nothing in it.
  func integer(_ sql: StaticString, _ values: SQLiteValue...) throws(StoreError) -> Int64? {
    try first(sql, values) { $0.column(0).type == SQLITE_INTEGER ? $0.integer(0) : nil } ?? nil
  }

  /// Returns true if there is a table with that name: a copy may be of a version that has fewer.
  func has(_ table: String) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(table)) != nil
  }

  func first<Value>(
    _ sql: StaticString, _ values: [SQLiteValue], read: (SQLiteStatement) -> Value
  ) throws(StoreError) -> Value? {
    let statement = try query(sql, values)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  /// Runs all of `body` or nothing: if it throws, or the commit fails, everything in it is rolled back.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    // Values that were read may be wrong, and must not be used further.
    if let damage { throw damage }
    try writeLostSync()
    try run("BEGIN IMMEDIATE")
    let result: Result
    do throws(StoreError) {
      result = try body()
      try run("COMMIT")
    } catch {
      // SQLite rolls back by itself on some errors, a full disk among them.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      try? writeLostSync()
      throw error
    }
    if logPages >= StoreLimits.logPages {
      // The commit is in the log; if this fails, the next commit tries again.
      let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
      if code != SQLITE_OK { _ = error(code) }
    }
    return result
  }

  /// Runs the body in a transaction that is rolled back: nothing reaches the disk.
  func undone(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    if let damage { throw damage }
    try run("BEGIN IMMEDIATE")
    defer { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    try body()
  }

  /// Writes the log again after a failed sync. Linux takes the pages for clean then: the next sync does not write them,
  /// and a commit that did not wait for the disk would be a gap in the log, behind which nothing is read after a power
  /// cut. So the log, which is still in memory, is written over itself before the next commit. (Pages that a checkpoint
  /// could not sync are written by the next one: SQLite does not count it as done.)
  private func writeLostSync() throws(StoreError) {
    guard hasLostSync else { return }
    let log = path + "-wal"
    let problem = rewrite(log)
    guard problem == 0 || problem == ENOENT else {
      throw .sqlite(path: log, code: StoreError.failedSync, message: String(cString: strerror(problem)))
    }
    hasLostSync = false
  }

  /// Writes a file over itself, and waits for the disk.
  /// - Returns: errno; 0 if it succeeded.
  private func rewrite(_ file: String) -> Int32 {
    let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    var offset = 0
    while true {
      let count = pread(descriptor, &bytes, bytes.count, offset)
      guard count > 0 else { return count < 0 || fdatasync(descriptor) != 0 ? errno : 0 }
      guard pwrite(descriptor, bytes, count, offset) == count else { return errno == 0 ? EIO : errno }
      offset += count
    }
  }

  /// Writes the write-ahead log into the database, and empties its file. Not to be called inside a transaction.
  func emptyLog() throws(StoreError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Sets whether the commits that follow wait for the disk. Not to be called inside a transaction.
  func setSynchronous(_ mode: Synchronous) throws(StoreError) {
    guard synchronous != mode else { return }
    try execute("PRAGMA synchronous = \(mode.rawValue)")
    synchronous = mode
  }

  private func prepared(_ sql: StaticString) throws(StoreError) -> SQLiteStatement {
    if let last, last.text == sql.utf8Start { return last.statement }
    let statement: SQLiteStatement
    if let known = statements[sql.utf8Start] {
      statement = known
    } else {
      let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
      statement = try prepare(text, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
      statements[sql.utf8Start] = statement
    }
    last = (sql.utf8Start, statement)
    return statement
  }

  private func prepare(_ sql: UnsafePointer<CChar>, flags: UInt32) throws(StoreError) -> SQLiteStatement {
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw error(code) }
    return SQLiteStatement(compiled, of: self)
  }

  func error(_ code: Int32) -> StoreError {
    if code == StoreError.failedSync { hasLostSync = true }
    let message =
      code == StoreError.changedPage
      ? "page \(page_checks_damaged_page(handle)) is not as it was written" : String(cString: sqlite3_errmsg(handle))
    let error = StoreError.sqlite(path: path, code: code, message: message)
    if error.isDamage, damage == nil {
      damage = error
      directory?.noteDamage()
    }
    return error
  }
}

/// The memory for the texts and blobs of a statement that is run to its end before the next one is bound.
final class Scratch {
  private static let size = 16_384
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
  private var used = 0

  deinit { memory.deallocate() }

  func begin() { used = 0 }

  /// Copies the bytes; nil if there is no room.
  func add(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard bytes.count <= Scratch.size - used else { return nil }
    let place = memory + used
    if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
    used += bytes.count
    return UnsafeRawPointer(place)
  }
}

/// A prepared statement; the connection keeps it.
final class SQLiteStatement {
  let handle: OpaquePointer
  /// The parameters that are NULL (`RowValues`): all of a new statement's.
  fileprivate(set) var nulls = UInt64.max
  private unowned let connection: SQLiteConnection

  fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  fileprivate func bind(_ values: [SQLiteValue]) throws(StoreError) {
    var row = RowValues(self, in: nil)
    row.add(values)
    nulls = row.nulls
    if let error = row.firstError { throw error }
  }

  func error(_ code: Int32) -> StoreError { connection.error(code) }

  /// Returns true if there is a row. After an error the statement is at its start again.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = error(code)
      reset()
      throw error
    }
  }

  func reset() {
    // The error it returns is the one that `step` has thrown.
    sqlite3_reset(handle)
  }

  // MARK: - The current row

  func name(_ column: Int32) -> String { sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "?" }
  func column(_ column: Int32) -> SQLiteColumn { SQLiteColumn(value: sqlite3_column_value(handle, column)) }
  func integer(_ column: Int32) -> Int64 { self.column(column).integer }

  /// Returns the text; nil if it is not UTF-8.
  func text(_ column: Int32) -> String? {
    self.column(column).utf8.flatMap { String(validating: $0, as: UTF8.self) }
  }

  func bytes(_ column: Int32) -> [UInt8] { Array(self.column(column).blob) }
}

/// A value of the current row, of a connection that one thread uses at a time. Its bytes stay until the next step.
struct SQLiteColumn {
  let value: OpaquePointer?

  var type: Int32 { sqlite3_value_type(value) }
  var integer: Int64 { sqlite3_value_int64(value) }
  var real: Double { sqlite3_value_double(value) }

  /// The text, which may not be UTF-8; nil if it is NULL.
  var utf8: UnsafeBufferPointer<UInt8>? {
    guard let start = sqlite3_value_text(value) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  var blob: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
  }
}
