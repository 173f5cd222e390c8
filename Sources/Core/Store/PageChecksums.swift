import CPageChecks
import CSQLite
import Glibc

/// The checksums of a database file. Every page ends in one, so that a changed byte is found when the page is read and
/// never counts as stored data. `CPageChecks` computes and compares them.
enum PageChecksums {
  /// The name of the VFS that SQLite opens the file with; nil if it was built for no Unix.
  static let fileSystem = page_checks_vfs().map { String(cString: $0) }

  /// A part of every database's `user_version`, which says that the pages have checksums: the header only says how many
  /// bytes of a page are reserved, and a header without them would be a changed one.
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

extension SQLiteConnection {
  func hasChecksums() throws(StoreError) -> Bool {
    try integer("PRAGMA page_size") == PageChecksums.pageSize && reservedBytes() == PageChecksums.reserve
  }

  /// - Throws: `StoreError.sqlite` if its pages have no room for checksums, as after damage to the header.
  func requireChecksums() throws(StoreError) {
    guard try !hasChecksums() else { return }
    throw .sqlite(path: path, code: SQLITE_CORRUPT, message: "its header does not say that its pages have checksums")
  }

  /// Lays out the pages of a file that has none yet: with room for checksums, and so that free ones can be returned to
  /// the disk.
  func layOutPages() throws(StoreError) {
    try execute("PRAGMA page_size = \(PageChecksums.pageSize)")
    reservedBytes(PageChecksums.reserve)
    // This writes the first page.
    try execute("PRAGMA auto_vacuum = INCREMENTAL")
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
