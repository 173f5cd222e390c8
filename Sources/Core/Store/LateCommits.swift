// Small commits whose rows are written into their tables later. The rows of one push lie in as many pages as there are
// tables, and SQLite writes whole pages: 16 KB for a few hundred bytes, of which an SD card takes a limited number. So
// the statements of such a commit are stored in one page, together with those of the commits before it, and run when
// the tables are read, when a larger commit comes, or when there are many. Then the pushes of an hour share a page.

import CSQLite
import HandsetCore

/// A statement that writes one row of those that a plain push changes. Its number is stored: a statement that has been
/// released is never edited, one with other values gets another number, and later steps of the schema keep it valid.
struct RowStatement: Sendable {
  let number: UInt8
  let sql: StaticString

  init(_ number: UInt8, _ sql: StaticString) {
    (self.number, self.sql) = (number, sql)
  }

  /// All of them by number; 0 is the end of a page.
  fileprivate static let all = Dictionary(
    uniqueKeysWithValues: [
      event, refusedEvent, handset, appState, wholeAppState, recentPush, recentPushRemoval, notification,
      notificationFacts,
      notificationRemoval, packRemoval,
    ].map { ($0.number, $0) })
}

/// The place of the next late commit in the table `late`. Its rows have one size, a page each, and stay: SQLite writes
/// that page and no other when a row is replaced by one as large.
struct LateCommits {
  /// The number in the rows that count, as in the first row. Each time the statements are run it is increased there.
  var round: Int64 = 1
  var page: Int64 = 1
  /// The statements that are in that page already.
  var statements: [UInt8] = []

  var isEmpty: Bool { page == 1 && statements.isEmpty }

  /// Adds a commit that is not larger than a page.
  mutating func add(_ commit: [UInt8]) {
    if statements.count + commit.count > StoreLimits.latePageBytes {
      page += 1
      statements = []
    }
    statements += commit
  }

  fileprivate var bytes: [UInt8] {
    statements + [UInt8](repeating: 0, count: max(0, StoreLimits.latePageBytes - statements.count))
  }
}

extension HandsetStore {
  /// Runs the statement, or adds it to the late commit that is being collected.
  func put(_ statement: RowStatement, _ add: (inout RowValues) -> Void) throws(StoreError) {
    guard let statements = collected.take() else { return try database.run(statement.sql, add) }
    var row = RowValues(statement, after: statements)
    add(&row)
    collected = row.late
  }

  func put(_ statement: RowStatement, _ values: SQLiteValue...) throws(StoreError) {
    try put(statement) { $0.add(values) }
  }

  /// Stores a commit's statements after the late commits before it; if there are many, those are run first. Called
  /// within a transaction.
  func addLate(_ commit: [UInt8]) throws(StoreError) -> LateCommits {
    var next = late
    next.add(commit)
    if next.page > latePages {
      next = try database.runLate()
      next.add(commit)
    }
    try database.run(
      "REPLACE INTO late (number, round, statements) VALUES (?, ?, ?)", .integer(next.page), .integer(next.round),
      .blob(next.bytes))
    return next
  }

  /// Writes the late commits into their tables. It need not wait for the disk: they are stored until then.
  /// - Parameter body: runs in the same transaction, if there are any.
  func completeTables(_ body: () throws(StoreError) -> Void = {}) throws(StoreError) {
    guard !late.isEmpty else { return }
    try database.setSynchronous(.normal)
    defer { try? database.setSynchronous(.full) }
    late = try database.transaction { () throws(StoreError) in
      let next = try database.runLate()
      try body()
      return next
    }
  }

  /// Reads rows, with late commits written into their tables before. A reader that follows the events reads after each
  /// push, which would be written twice: so the next few commits are not late. Rows can also be read while the disk takes
  /// nothing.
  func reading<Answer>(_ body: () throws(StoreError) -> Answer) throws(StoreError) -> Answer {
    guard !late.isEmpty else { return try body() }
    directCommits = StoreLimits.directCommits
    var answer: Answer?
    do throws(StoreError) {
      try completeTables { () throws(StoreError) in answer = try body() }
    } catch {
      // If there is an answer, only the commit failed. Otherwise the late commits are run for this reading alone.
      if answer == nil {
        try database.undone { () throws(StoreError) in
          _ = try database.runLate()
          answer = try body()
        }
      }
    }
    guard let answer else { return try body() }
    return answer
  }
}

extension SQLiteConnection {
  /// Runs the statements of the late commits, in their order. Called within a transaction, or on a copy.
  /// - Throws: `StoreError.damaged` if they cannot be read.
  func runLate() throws(StoreError) -> LateCommits {
    let (round, pages) = try lateRows()
    guard pages.first?.first ?? 0 != 0 else { return LateCommits(round: round) }
    for (index, page) in pages.enumerated() { try run(statements: page, ofPage: index + 1) }
    try run(
      "UPDATE late SET round = ?, statements = zeroblob(length(statements)) WHERE number = 1", .integer(round &+ 1))
    return LateCommits(round: round &+ 1)
  }

  /// Runs the late commits that the last daemon left. If there are none, nothing is written.
  func openLate() throws(StoreError) -> LateCommits {
    let (round, pages) = try lateRows()
    if pages.first?.first ?? 0 == 0 { return LateCommits(round: round) }
    return try transaction { () throws(StoreError) in try runLate() }
  }

  private func lateRows() throws(StoreError) -> (round: Int64, pages: [[UInt8]]) {
    let statement = try query("SELECT round, statements FROM late ORDER BY number")
    defer { statement.reset() }
    var found: (round: Int64, pages: [[UInt8]]) = (1, [])
    while try statement.step() {
      // The rows from there on are of an earlier round.
      if !found.pages.isEmpty, statement.integer(0) != found.round { break }
      found.round = statement.integer(0)
      found.pages.append(statement.bytes(1))
    }
    return found
  }

  /// - Parameter page: names them in an error.
  func run(statements: [UInt8], ofPage page: Int) throws(StoreError) {
    var reader = StatementReader(rest: statements[...])
    while let number = reader.rest.popFirst(), number != 0 {
      guard let statement = RowStatement.all[number], let values = reader.values() else {
        throw .damaged(
          StoreDamage(
            table: "late", key: "\(page)", column: "statements", problem: "statement \(number) cannot be read"))
      }
      try run(statement.sql) { $0.add(values) }
    }
  }
}

// MARK: - The stored form

/// The byte before a value. An integer is stored as a varint whose lowest bit is the sign, a real number as its eight
/// bytes, the highest first, and a text or a blob as the varint of its length and its bytes.
private enum ValueKind: UInt8 {
  case null, integer, real, text, blob
}

/// The values of a statement, in the order of its parameters: each is bound to it, or added to the late commit that is
/// being collected, so a row needs no array.
struct RowValues {
  private let statement: SQLiteStatement?
  /// Keeps the bytes of texts and blobs until it is used again, when the statement must have been reset. If it is nil
  /// or full, SQLite allocates and copies each.
  private let scratch: Scratch?
  private var count: Int32 = 0
  /// The first 63 parameters that are NULL, by a bit each: SQLite keeps values, and many are NULL in every row.
  private(set) var nulls: UInt64 = 0
  private(set) var firstError: StoreError?
  fileprivate var late: [UInt8] = []
  /// The place of the number of values there.
  private var place = 0

  init(_ statement: SQLiteStatement, in scratch: Scratch?) {
    (self.statement, self.scratch, nulls) = (statement, scratch, statement.nulls)
  }

  fileprivate init(_ statement: RowStatement, after statements: consuming [UInt8]) {
    (self.statement, scratch) = (nil, nil)
    late = statements
    late.append(statement.number)
    place = late.count
    late.append(0)
  }

  mutating func add(_ integer: Int64?) {
    guard let integer else { return addNull() }
    if isLate(.integer) { return late.append(zigzag: integer) }
    note(sqlite3_bind_int64(statement?.handle, count, integer))
  }

  mutating func add(_ flag: Bool) { add(flag ? 1 : 0 as Int64) }

  mutating func add(_ real: Double?) {
    guard let real else { return addNull() }
    if isLate(.real) {
      return withUnsafeBytes(of: real.bitPattern.bigEndian) { late.append(contentsOf: $0) }
    }
    note(sqlite3_bind_double(statement?.handle, count, real))
  }

  mutating func add(_ text: String?) {
    guard var text else { return addNull() }
    text.withUTF8 { add(UnsafeRawBufferPointer($0), as: .text) }
  }

  mutating func add(blob: UnsafeRawBufferPointer) { add(blob, as: .blob) }

  mutating func add(_ value: SQLiteValue) {
    switch value {
    case .null: addNull()
    case .integer(let integer): add(integer)
    case .real(let real): add(real)
    case .text(let text): add(text)
    case .blob(let bytes): bytes.withUnsafeBytes { add(blob: $0) }
    }
  }

  mutating func add(_ values: [SQLiteValue]) { for value in values { add(value) } }

  private mutating func addNull() {
    let wasNull = nulls & 1 << (count + 1) != 0
    if isLate(.null) { return }
    if !wasNull { note(sqlite3_bind_null(statement?.handle, count)) }
    nulls |= 1 << count
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer, as kind: ValueKind) {
    if isLate(kind) {
      late.append(varint: UInt64(bytes.count))
      return late.append(contentsOf: bytes)
    }
    let kept = scratch?.add(bytes)
    let (start, length, copies) = (kept ?? bytes.baseAddress, Int64(bytes.count), kept == nil ? 1 : 0 as Int32)
    note(
      kind == .text
        ? deskbell_bind_text(statement?.handle, count, start, length, copies)
        : deskbell_bind_blob(statement?.handle, count, start, length, copies))
  }

  /// Counts the value, and adds its kind if it is not bound.
  private mutating func isLate(_ kind: ValueKind) -> Bool {
    count += 1
    guard statement == nil else {
      nulls &= ~(1 << count)
      return false
    }
    late[place] += 1
    late.append(kind.rawValue)
    return true
  }

  private mutating func note(_ code: Int32) {
    if code != SQLITE_OK, firstError == nil { firstError = statement?.error(code) }
  }
}

private struct StatementReader {
  var rest: ArraySlice<UInt8>

  mutating func values() -> [SQLiteValue]? {
    guard let count = rest.popFirst() else { return nil }
    var values: [SQLiteValue] = []
    for _ in 0..<count {
      guard let value = value() else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func value() -> SQLiteValue? {
    switch rest.popFirst().flatMap(ValueKind.init) {
    case .null: .null
    case .integer: rest.popZigzag().map { .integer($0) }
    case .real: rest.pop(8).map { .real(Double(bitPattern: $0.reduce(0) { $0 << 8 | UInt64($1) })) }
    case .text: popBytes().flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
    case .blob: popBytes().map { .blob(Array($0)) }
    case nil: nil
    }
  }

  private mutating func popBytes() -> ArraySlice<UInt8>? { rest.popVarint().flatMap { rest.pop($0) } }
}
