import CSQLite
import HandsetCore

/// The current row of a statement, read column by column. It is not trusted: a disk error, a person with an SQL prompt
/// or a later version may have changed it. Each reading reports which column of which row is not what it should be.
struct StoredRow {
  let statement: SQLiteStatement
  let table: String
  /// The number of leading columns that are the row's key, without the handset's number.
  var keyColumns: Int32 = 1

  subscript(column: Int32) -> SQLiteColumn { statement.column(column) }

  func damage(_ column: Int32, _ problem: String) -> StoreDamage {
    let key = (0..<keyColumns).map { column in
      if self[column].type == SQLITE_BLOB {
        // A device token is a secret of a kind: its first bytes distinguish it from others.
        return Hex.text(Array(self[column].blob.prefix(4))) + "…"
      }
      return self[column].utf8.flatMap { String(validating: $0, as: UTF8.self) } ?? "?"
    }
    return StoreDamage(table: table, key: key.joined(separator: " "), column: statement.name(column), problem: problem)
  }

  func optional<Value>(
    _ column: Int32, _ read: (Int32) throws(StoreDamage) -> Value
  ) throws(StoreDamage) -> Value? {
    self[column].type == SQLITE_NULL ? nil : try read(column)
  }

  func integer(_ column: Int32) throws(StoreDamage) -> Int64 {
    guard self[column].type == SQLITE_INTEGER else { throw damage(column, "it is not a number") }
    return self[column].integer
  }

  func real(_ column: Int32) throws(StoreDamage) -> Double {
    guard self[column].type == SQLITE_FLOAT else { throw damage(column, "it is not a number") }
    return self[column].real
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

  func flag(_ column: Int32) throws(StoreDamage) -> Bool {
    let number = try integer(column)
    guard number == 0 || number == 1 else { throw damage(column, "it is \(number), neither 0 nor 1") }
    return number == 1
  }

  /// Returns the bytes of a text, which may not be UTF-8.
  func utf8(_ column: Int32) throws(StoreDamage) -> UnsafeBufferPointer<UInt8> {
    guard self[column].type == SQLITE_TEXT, let utf8 = self[column].utf8 else { throw damage(column, "it is not text") }
    return utf8
  }

  func text(_ column: Int32) throws(StoreDamage) -> String {
    guard let text = String(validating: try utf8(column), as: UTF8.self) else {
      throw damage(column, "it is not UTF-8")
    }
    return text
  }

  func bytes(_ column: Int32) throws(StoreDamage) -> [UInt8] {
    Array(try blob(column))
  }

  func blob(_ column: Int32) throws(StoreDamage) -> UnsafeRawBufferPointer {
    guard self[column].type == SQLITE_BLOB else { throw damage(column, "it is not a blob") }
    return self[column].blob
  }

  /// Returns the value that a text stands for.
  /// - Parameter what: the expected value, with its article: `an interruption level`.
  func value<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value {
    let text = try text(column)
    guard let value = make(text) else { throw damage(column, "'\(text)' is not \(what)") }
    return value
  }

  func optionalValue<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value? {
    self[column].type == SQLITE_NULL ? nil : try value(column, what, make)
  }

  /// Returns a value in JSON, which may contain data that no log should.
  func request<Value>(_ column: Int32, _ what: String, _ make: (String) -> Value?) throws(StoreDamage) -> Value {
    guard let value = make(try text(column)) else { throw damage(column, "it is not \(what) in this version's JSON") }
    return value
  }

  func optionalRequest<Value>(
    _ column: Int32, _ what: String, _ make: (String) -> Value?
  ) throws(StoreDamage) -> Value? {
    self[column].type == SQLITE_NULL ? nil : try request(column, what, make)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// A hash of the bytes, another one in each process.
  var hash: Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(self))
    return hasher.finalize()
  }

  func isText(_ text: String) -> Bool {
    text.utf8.count == count && text.utf8.withContiguousStorageIfAvailable { $0.elementsEqual(self) } ?? false
  }
}
