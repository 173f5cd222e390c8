// Rows that a failing disk, a user with an SQL prompt or a later version may have left: a table and its values,
// separated by tabs, one row per line. `x'…'` is a blob, `\N` is null, digits are a number, anything else is text.

import CSQLite
import Clocks
import Glibc
import HandsetCore
import PushPort
import ServerIdentity

@testable import DeskbellDaemon
@testable import HandsetStore

func runStoredRows(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  do {
    let rows = try RowStore.shared.get()
    try rows.fill(with: bytes)
    try start(on: rows.store)
  } catch is StoreError {
    // An unreadable record of a handset is a reason to refuse the start.
  } catch {
    throw error as? FuzzTarget.Finding ?? FuzzTarget.Finding(description: "\(error)")
  }
}

/// Uses stored rows as a daemon does: starts, reads everything, and commits the results.
private func start(on store: HandsetStore) throws {
  _ = try? store.handsets(named: ["1", "hall"]) { .random() }
  _ = try? ProviderDirectory(store.providers(Provider.self).providers)
  _ = try? store.meta(.panelPassword).flatMap { PasswordHash(stored: $0) }
  _ = try? VirtualClock.goingOn(in: store, after: .daemon, real: HandsetInUse.now)
  let contents = try store.load(handset: .first, afterBoot: true).contents
  var again = HandsetInUse(contents)
  try again.take(.start(.daemon))
  try again.follow(.wake)
  try read(contents, in: store)

  var inUse = HandsetInUse(contents)
  var turns: [Turn] = []
  for input in [Input.start(.board), .wake, .press(.view), .clearCenter] { turns.append(try inUse.take(input)) }
  try store.commit(turns.map { HandsetTurn(handset: .first, turn: $0) }, durable: true)
  try store.releaseReservedEvents()
  _ = try store.giveBack()
}

private func read(_ contents: Handset.Contents, in store: HandsetStore) throws {
  var last: UInt64 = 0
  for event in try store.events(of: .first, after: 0, limit: 1_000) {
    try hold(event.sequence > last, "event \(event.sequence) comes after \(last)")
    last = event.sequence
    try checkEvents([(event, [])])
  }
  for notification in contents.notifications.prefix(64) {
    _ = try? store.content(of: notification.id, handset: .first)?.shortened(for: .banner)
    _ = try store.events(of: .first, naming: notification.push, after: 0, limit: 64)
  }
  for (app, offers) in contents.offers {
    for offer in offers { _ = try store.offeredPayload(of: app, push: offer.push, handset: .first) }
  }
  for node in contents.nodes.keys { _ = try store.published(through: node, handset: .first) }
}

/// One database for all rows, which never waits for the disk.
private struct RowStore {
  let store: HandsetStore
  /// The columns of each table.
  private var columns: [String: [String]] = [:]

  // Used by one thread: a fuzzer's, or that of the test that replays the corpus.
  nonisolated(unsafe) static let shared = Result { try RowStore() }

  private init() throws {
    var folder = Array("/tmp/deskbell-rows-XXXXXX".utf8CString)
    guard mkdtemp(&folder) != nil else { throw FuzzTarget.Finding(description: "no folder: error \(errno)") }
    let path = String(decoding: folder.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Open files outlive their names, so nothing is left behind, however a fuzzer ends.
    defer { RowStore.remove(path) }
    store = try HandsetStore(directory: path)
    try store.database.execute(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN; COMMIT")
    let names = try store.database.query(
      """
      SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name <> 'migration' ORDER BY 1, c.cid
      """)
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

  /// Replaces all rows.
  func fill(with bytes: [UInt8]) throws {
    // The last input may have failed within a transaction.
    sqlite3_exec(store.database.handle, "ROLLBACK", nil, nil, nil)
    try store.database.execute("BEGIN; " + columns.keys.map { "DELETE FROM \($0);" }.joined() + "COMMIT")
    var rest = bytes[...]
    var rows = 0
    while let line = nextLine(&rest), rows < 64 {
      rows += 1
      insert(line)
    }
  }

  private func insert(_ line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard let first = fields.first, fields.count > 1 else { return }
    // Columns of later versions come last, so that older rows still fit.
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
      _ = blob.withUnsafeBytes { deskbell_bind_blob(statement, index, $0.baseAddress, Int64($0.count), 1) }
    } else {
      // Unchanged, UTF-8 or not: a disk may hold any bytes.
      _ = field.withUnsafeBytes { deskbell_bind_text(statement, index, $0.baseAddress, Int64($0.count), 1) }
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
