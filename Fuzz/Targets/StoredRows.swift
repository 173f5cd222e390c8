// Rows as a failing disk, a person with an SQL prompt or a later version may have left them: a table and its values,
// separated by tabs, one row a line. `x'…'` is a blob, `\N` is null, digits are a number, anything else is text.

import CSQLite
import Glibc
import HandsetCore

@testable import HandsetStore

func runStoredRows(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let contents: Handset.Contents
  do {
    contents = try RowStore.shared.get().contents(of: bytes)
  } catch is StoreError {
    // A handset's own record that cannot be read is a refusal to start.
    return
  } catch {
    throw FuzzTarget.Finding(description: "\(error)")
  }
  var inUse = HandsetInUse(contents)
  try inUse.take(.start(.board))
  try inUse.follow(.wake)
}

/// One database for all rows: every run's are rolled back.
private struct RowStore {
  let store: HandsetStore
  /// By table.
  private var columns: [String: [String]] = [:]

  // Reached from one thread: a fuzzer's, or the test's that replays the corpus.
  nonisolated(unsafe) static let shared = Result { try RowStore() }

  private init() throws {
    var folder = Array("/tmp/deskbell-rows-XXXXXX".utf8CString)
    guard mkdtemp(&folder) != nil else { throw FuzzTarget.Finding(description: "no folder: error \(errno)") }
    let path = String(decoding: folder.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Open files outlive their names, so nothing is left behind, however a fuzzer ends.
    defer { RowStore.remove(path) }
    store = try HandsetStore(directory: path)
    try store.database.execute("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN; COMMIT")
    let names = try store.database.query(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, c.cid"
    )
    while try names.step() {
      if let table = names.text(0), let column = names.text(1) { columns[table, default: []].append(column) }
    }
    names.reset()
  }

  private static func remove(_ folder: String) {
    for name in ["", "-wal", "-shm", "-journal"] { unlink("\(folder)/\(HandsetStore.fileName)\(name)") }
    unlink("\(folder)/lock")
    rmdir(folder)
  }

  func contents(of bytes: [UInt8]) throws -> Handset.Contents {
    let database = store.database
    try database.execute("BEGIN")
    defer { sqlite3_exec(database.handle, "ROLLBACK", nil, nil, nil) }
    var rest = bytes[...]
    var rows = 0
    while let line = nextLine(&rest), rows < 64 {
      rows += 1
      insert(line)
    }
    return try store.load(handset: .first).contents
  }

  private func insert(_ line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard let first = fields.first, fields.count > 1 else { return }
    // Columns that a later version adds come last, so that older rows still fit.
    let table = String(decoding: first, as: UTF8.self)
    guard let columns = columns[table], fields.count - 1 <= columns.count else { return }
    let names = columns.prefix(fields.count - 1).joined(separator: ", ")
    let places = [String](repeating: "?", count: fields.count - 1).joined(separator: ", ")
    let sql = "INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(places))"
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(store.database.handle, sql, -1, &statement, nil) == SQLITE_OK else { return }
    defer { sqlite3_finalize(statement) }
    for (index, field) in fields.dropFirst().enumerated() { bind(Array(field), statement, Int32(index + 1)) }
    sqlite3_step(statement)
  }

  private func bind(_ field: [UInt8], _ statement: OpaquePointer?, _ index: Int32) {
    let text = String(decoding: field, as: UTF8.self)
    if text == "\\N" { return }
    if let number = Int64(text) {
      sqlite3_bind_int64(statement, index, number)
    } else if text.hasPrefix("x'"), text.hasSuffix("'"), let blob = hexadecimal(text.dropFirst(2).dropLast()) {
      _ = blob.withUnsafeBytes { deskbell_bind_blob(statement, index, $0.baseAddress, Int64($0.count)) }
    } else {
      // As it is, UTF-8 or not: a disk does not ask.
      _ = field.withUnsafeBytes { deskbell_bind_text(statement, index, $0.baseAddress, Int64($0.count)) }
    }
  }

  private func hexadecimal(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text {
      guard let value = digit.hexDigitValue.map(UInt8.init) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}
