// Every page of the database ends in a checksum, so that a changed byte is found when the page is read and never counts
// as stored data. `CPageChecks` computes and compares the checksums; this file decides which databases have them, and
// adds them to databases of older versions.

import CPageChecks
import CSQLite
import Glibc

enum PageChecksums {
  /// The name of the VFS that SQLite opens the file with; nil if it was built for no Unix.
  static let fileSystem = page_checks_vfs().map { String(cString: $0) }

  /// Added to `user_version` once all pages have a checksum. Older versions, which would not update them, refuse such a
  /// database as newer. It is in the first page, so that a changed header, which says how many bytes of a page are
  /// reserved, is detected.
  static let version = 1 << 16

  static let pageSize = Int64(PAGE_CHECKS_PAGE_SIZE)
  static let reserve = Int32(PAGE_CHECKS_RESERVE)

  /// Returns the numbers of the pages that are not as they were written, and the number of all pages. The write-ahead
  /// log is not read.
  /// - Throws: `StoreError.directory` if the file cannot be read.
  static func changedPages(of file: String) throws(StoreError) -> (numbers: [Int], count: Int) {
    var numbers: [Int] = []
    let count = try forEachPage(of: file, O_RDONLY) { page, number, _ in
      if !page_checks_is_intact(page, UInt64(number)) { numbers.append(number) }
      return true
    }
    return (numbers, count)
  }

  /// Gives each page the checksum of its present content, and waits for the disk.
  /// - Throws: `StoreError.directory` if the file cannot be read or written.
  static func seal(_ file: String) throws(StoreError) {
    _ = try forEachPage(of: file, O_RDWR) { page, number, descriptor in
      page_checks_seal(page, UInt64(number))
      return pwrite(descriptor, page, Int(pageSize), off_t(number - 1) * off_t(pageSize)) == Int(pageSize)
    }
    StateDirectory.sync(file)
  }

  /// - Parameter body: returns false if it failed, with `errno`.
  /// - Returns: the number of whole pages.
  private static func forEachPage(
    of file: String, _ flags: Int32, _ body: (UnsafeMutablePointer<UInt8>, Int, Int32) -> Bool
  ) throws(StoreError) -> Int {
    let descriptor = open(file, flags | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw StateDirectory.failure(file, "cannot be opened") }
    defer { close(descriptor) }
    let page = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(pageSize))
    defer { page.deallocate() }
    var number = 0
    while true {
      let count = pread(descriptor, page, Int(pageSize), off_t(number) * off_t(pageSize))
      guard count >= 0 else { throw StateDirectory.failure(file, "cannot be read") }
      guard count == Int(pageSize) else { return number }
      number += 1
      guard body(page, number, descriptor) else { throw StateDirectory.failure(file, "cannot be written") }
    }
  }
}

/// A report on a database whose pages have no checksums yet.
public enum StoreRewrite: Hashable, Sendable {
  /// It is rewritten now, which takes twice its size on the disk, and up to half a minute on a slow card.
  case begins(path: String, bytes: Int)
  /// It is used as it is, and each start tries again.
  case failed(path: String, problem: String)
}

extension StoreRewrite: CustomStringConvertible {
  public var description: String {
    switch self {
    case .begins(let path, let bytes):
      "\(path), \((bytes + 1 << 20 - 1) >> 20) MB, is written anew, so that each of its pages has a checksum"
    case .failed(let path, let problem):
      "\(path) has no checksums, so damage to it may go unnoticed: \(problem). The next start tries again"
    }
  }
}

extension SQLiteConnection {
  private static let incremental: Int64 = 2

  /// Returns the number of steps that the schema has, or a negative one, and whether pages have checksums.
  /// - Throws: `StoreError.sqlite` if the header is damaged.
  func readVersion() throws(StoreError) -> (steps: Int, hasChecksums: Bool) {
    let version = Int(try integer("PRAGMA user_version") ?? 0)
    let hasChecksums =
      try integer("PRAGMA page_size") == PageChecksums.pageSize && reservedBytes() == PageChecksums.reserve
    // Another program's database may have any number.
    guard version >= PageChecksums.version, try integer("PRAGMA application_id") == Schema.applicationID else {
      return (version, hasChecksums)
    }
    guard hasChecksums else {
      throw .sqlite(path: path, code: SQLITE_CORRUPT, message: "its header does not say that its pages have checksums")
    }
    return (version - PageChecksums.version, true)
  }

  /// Writes the version; outside a transaction it waits for the disk.
  func write(version: Int, hasChecksums: Bool) throws(StoreError) {
    let number = hasChecksums ? PageChecksums.version + version : version
    guard try integer("PRAGMA user_version") != Int64(number) else { return }
    try execute("PRAGMA user_version = \(number)")
  }

  /// Lays out the pages of a file that has none yet.
  func layOutPages() throws(StoreError) {
    try execute("PRAGMA page_size = \(PageChecksums.pageSize)")
    reservedBytes(PageChecksums.reserve)
    // This writes the first page.
    try execute("PRAGMA auto_vacuum = \(SQLiteConnection.incremental)")
  }

  /// Returns true if its existing pages lack checksums, or if free pages cannot be returned to the disk yet.
  func needsRewrite(hasChecksums: Bool) throws(StoreError) -> Bool {
    let vacuum = try integer("PRAGMA auto_vacuum")
    return !hasChecksums || vacuum != SQLiteConnection.incremental
  }

  /// Rewrites it in one transaction, in the write-ahead log: a power cut leaves the older database or the newer one. A
  /// database that is too large, or for which the disk has no room, stays as it is until a later start.
  /// - Returns: true if pages have checksums.
  /// - Throws: `StoreError.sqlite` if it is damaged.
  func rewrite(_ report: (StoreRewrite) -> Void) throws(StoreError) -> Bool {
    let bytes = try bytesInUse()
    let pageSize = try pageSize()
    guard bytes <= StoreLimits.databaseBytes, pageSize == PageChecksums.pageSize else {
      let problem =
        pageSize == PageChecksums.pageSize
        ? "it has more than \(StoreLimits.databaseBytes >> 20) MB" : "its pages have \(pageSize) bytes"
      report(.failed(path: path, problem: problem))
      return false
    }
    report(.begins(path: path, bytes: bytes))
    reservedBytes(PageChecksums.reserve)
    var hasChecksums = true
    do throws(StoreError) {
      try execute("PRAGMA auto_vacuum = \(SQLiteConnection.incremental); VACUUM")
    } catch {
      if error.isDamage { throw error }
      hasChecksums = false
      report(.failed(path: path, problem: "\(error)"))
    }
    // The log is now as large as the database, even if the rewrite failed, so it is emptied.
    try? emptyLog()
    return hasChecksums
  }

  /// Returns the bytes that SQLite leaves alone at the end of each page.
  /// - Parameter wanted: for pages that are yet to be laid out; nil changes nothing.
  @discardableResult
  func reservedBytes(_ wanted: Int32? = nil) -> Int32 {
    var bytes = wanted ?? -1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
    return bytes
  }
}
