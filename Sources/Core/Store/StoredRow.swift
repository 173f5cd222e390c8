import CSQLite
import HandsetCore

/// The current row of a statement, read column by column. It is not trusted: a disk error, a person with an SQL prompt
/// or a later version may have changed it. Each reading reports which column of which row is not what it should be.
struct StoredRow {
  let statement: SQLiteStatement
  let table: String
  /// The number of leading columns that are the row's key, without the handset's number.
  var keyColumns: Int32 = 1

  func damage(_ column: Int32, _ problem: String) -> StoreDamage {
    let key = (0..<keyColumns).map { column in
      if statement.type(column) == SQLITE_BLOB {
        // A device token is a secret of a kind: its first bytes distinguish it from others.
        return Hex.text(Array(statement.bytes(column).prefix(4))) + "…"
      }
      return statement.text(column) ?? "?"
    }
    return StoreDamage(table: table, key: key.joined(separator: " "), column: statement.name(column), problem: problem)
  }

  func integer(_ column: Int32) throws(StoreDamage) -> Int64 {
    guard statement.type(column) == SQLITE_INTEGER else { throw damage(column, "it is not a number") }
    return statement.integer(column)
  }

  func optionalInteger(_ column: Int32) throws(StoreDamage) -> Int64? {
    statement.type(column) == SQLITE_NULL ? nil : try integer(column)
  }

  func optionalReal(_ column: Int32) throws(StoreDamage) -> Double? {
    if statement.type(column) == SQLITE_NULL { return nil }
    guard statement.type(column) == SQLITE_FLOAT else { throw damage(column, "it is not a number") }
    return statement.real(column)
  }

  func bits(_ column: Int32) throws(StoreDamage) -> UInt64 { UInt64(bitPattern: try integer(column)) }

  /// Returns a number that is 0 or more.
  func count(_ column: Int32) throws(StoreDamage) -> UInt64 {
    let number = try integer(column)
    guard let count = UInt64(exactly: number) else { throw damage(column, "it is negative: \(number)") }
    return count
  }

  /// Returns a number that was given out in order.
  func count(_ column: Int32, below next: UInt64) throws(StoreDamage) -> UInt64 {
    let number = try count(column)
    guard number < next else { throw damage(column, "its number was never given out: the next is \(next)") }
    return number
  }

  func optionalCount(_ column: Int32, below next: UInt64) throws(StoreDamage) -> UInt64? {
    statement.type(column) == SQLITE_NULL ? nil : try count(column, below: next)
  }

  func flag(_ column: Int32) throws(StoreDamage) -> Bool {
    let number = try integer(column)
    guard number == 0 || number == 1 else { throw damage(column, "it is \(number), neither 0 nor 1") }
    return number == 1
  }

  func text(_ column: Int32) throws(StoreDamage) -> String {
    guard statement.type(column) == SQLITE_TEXT else { throw damage(column, "it is not text") }
    guard let text = statement.text(column) else { throw damage(column, "it is not UTF-8") }
    return text
  }

  func optionalText(_ column: Int32) throws(StoreDamage) -> String? {
    statement.type(column) == SQLITE_NULL ? nil : try text(column)
  }

  func bytes(_ column: Int32) throws(StoreDamage) -> [UInt8] {
    guard statement.type(column) == SQLITE_BLOB else { throw damage(column, "it is not a blob") }
    return statement.bytes(column)
  }

  /// Returns the value that a text stands for.
  /// - Parameter what: the expected value, with its article: `an interruption level`.
  func value<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value {
    let text = try text(column)
    guard let value = make(text) else { throw damage(column, "'\(text)' is not \(what)") }
    return value
  }

  func optionalValue<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value? {
    try optionalText(column) == nil ? nil : value(column, what, make)
  }

  /// Returns a value in JSON, which may contain data that no log should.
  func request<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value {
    guard let value = make(try text(column)) else { throw damage(column, "it is not \(what) in this version's JSON") }
    return value
  }

  func optionalRequest<Value>(
    _ column: Int32, _ what: String, _ make: (String) -> Value?
  ) throws(StoreDamage) -> Value? {
    try optionalText(column) == nil ? nil : request(column, what, make)
  }
}
