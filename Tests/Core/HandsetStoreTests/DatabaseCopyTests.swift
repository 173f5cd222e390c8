import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct DatabaseCopyTests {
  private let place = Place()
  private var directory: String { place.path }
  private var path: String { directory + "/deskbell.sqlite" }

  /// Returns a database that is in use: a part of it is only in the write-ahead log.
  private func rig(_ directory: String) throws -> Rig {
    var rig = try Rig(directory)
    try rig.installMail()
    for number in 1...30 as ClosedRange<UInt64> { try rig.commit(.push(push(number))) }
    try rig.store.emptyLog()
    try rig.commit(.push(push(31, payload: [UInt8](repeating: 0x61, count: 20_000))), durable: true)
    return rig
  }

  /// Copies like `sqlite3 FILE .backup` and Python's `Connection.backup`, which do not know about checksums.
  /// - Parameter pages: the number of pages at a time.
  private func copyAsSQLite(_ directory: String, to other: String, pages: Int32 = -1) throws {
    var source: OpaquePointer?
    var target: OpaquePointer?
    defer {
      sqlite3_close(source)
      sqlite3_close(target)
    }
    try #require(sqlite3_open(directory + "/deskbell.sqlite", &source) == SQLITE_OK)
    try #require(sqlite3_open(other + "/deskbell.sqlite", &target) == SQLITE_OK)
    let backup = try #require(sqlite3_backup_init(target, "main", source, "main"))
    while sqlite3_backup_step(backup, pages) == SQLITE_OK {}
    try #require(sqlite3_backup_finish(backup) == SQLITE_OK)
  }

  @Test(arguments: [-1, 5] as [Int32]) func `A copy by SQLite's backup is read`(pages: Int32) throws {
    let rig = try rig(directory)
    try withDirectory(made: true) { copy in
      try copyAsSQLite(directory, to: copy, pages: pages)
      #expect(try Rig(copy).reloaded() == rig.handset.stored)
      // The same again with the copy, which has been written since.
      try withDirectory(made: true) { other in
        try copyAsSQLite(copy, to: other, pages: pages)
        #expect(try Rig(other).reloaded() == rig.handset.stored)
      }
    }
  }

  @Test func `A copy by VACUUM INTO is read, and one whose journal mode was changed`() throws {
    let rig = try rig(directory)
    for script in [
      "VACUUM", "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = TRUNCATE; PRAGMA journal_mode = WAL",
      "PRAGMA wal_checkpoint",
    ] {
      try withDirectory(made: true) { copy in
        try sql(directory, "VACUUM INTO '\(copy)/deskbell.sqlite'", isForeign: true)
        #expect(try Rig(copy).reloaded() == rig.handset.stored)
        try sql(copy, script, isForeign: true)
        #expect(try Rig(copy).reloaded() == rig.handset.stored, "\(script)")
      }
    }
  }

  @Test func `A copy is complete while a daemon writes, and each of its pages has a checksum`() throws {
    var rig = try rig(directory)
    let expected = rig.handset.stored
    let path = directory + "/copy"
    let copy = try DatabaseCopy(of: directory + "/deskbell.sqlite", at: path)
    try rig.commit(.push(push(40)), durable: true)
    #expect(try copy.apps() == [Rig.mail.description])
    #expect(try copy.notificationCount() == 31)
    let file = DatabaseCopy.File(.state, "tls", .folder, mode: 0o700, owner: "nobody", content: [1, 2, 3])
    try copy.add(file)
    try copy.note("of a test", as: "purpose")
    #expect(try PageChecksums.changedPages(of: path).numbers == [])
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(DatabaseCopy.isBackup(Array(bytes[..<100])))
    for end in stride(from: 4_096, through: bytes.count, by: 4_096) {
      #expect(bytes[(end - 8)..<end].contains { $0 != 0 }, "page \(end / 4_096)")
    }
    // It does not count as a database.
    try withDirectory(made: true) { other in
      try FileManager.default.copyItem(atPath: path, toPath: other + "/deskbell.sqlite")
      #expect(throws: StoreError.foreign(path: other + "/deskbell.sqlite")) { try HandsetStore(directory: other) }
      let opened = try DatabaseCopy(opening: other + "/deskbell.sqlite")
      #expect(try opened.noted("purpose") == "of a test")
      var files: [DatabaseCopy.File] = []
      try opened.forEachFile(in: .state) { files.append($0) }
      #expect(files == [file])
      try opened.becomeDatabase()
      #expect(try Rig(other).reloaded() == expected)
    }
  }

  @Test func `A damaged page ends a backup`() throws {
    try { try rig(directory).store.emptyLog() }()
    var bytes = try fileBytes(directory)
    bytes[20 * 4_096 + 7] ^= 1
    try replaceFile(directory, with: bytes)
    let error = #expect(throws: StoreError.self) { try DatabaseCopy(of: path, at: directory + "/copy") }
    #expect(
      error?.description
        == "\(path): page 21 is not as it was written (SQLite error 8202); 'deskbell restore FILE' brings back a backup"
    )
    #expect(
      DamageExtent(of: directory).description
        == "page 21 of \(bytes.count / 4_096) is not as it was written; SQLite's own check finds no fault"
        || DamageExtent(of: directory).problem != nil)
  }

  @Test func `Pages that another program wrote are accepted when asked for, if SQLite finds no fault`() throws {
    let handset = try {
      let rig = try rig(directory)
      try rig.store.emptyLog()
      return rig.handset
    }()
    try sql(directory, "INSERT INTO notification_pack VALUES (1 << 32, x'00')")
    try sql(directory, "PRAGMA wal_checkpoint(TRUNCATE)")
    try sql(directory, "ANALYZE", isForeign: true)
    let refused = #expect(throws: StoreError.self) { try DatabaseCopy(opening: path) }
    guard case .changed(path, let pages, let count) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(pages.first == 1)
    let extent = DamageExtent(of: directory)
    #expect(extent.changedPages == pages)
    #expect(extent.pageCount == count)
    #expect(extent.problem == nil)
    let copy = try DatabaseCopy(opening: path, acceptsChanges: true)
    #expect(copy.acceptedPages == pages)
    try copy.becomeDatabase()
    #expect(try PageChecksums.changedPages(of: path).numbers == [])
    #expect(try sql(directory, "SELECT count(*) FROM notification_pack") == "0")
    #expect(try Rig(directory).reloaded() == handset.stored)
  }

  @Test func `A database in which SQLite finds a fault is not accepted, and keeps its checksums`() throws {
    try { try rig(directory).store.emptyLog() }()
    let root = try damage("event", in: directory)
    let refused = #expect(throws: StoreError.self) { try DatabaseCopy(opening: path, acceptsChanges: true) }
    guard case .inconsistent(path, let problem) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(!problem.isEmpty)
    #expect(try PageChecksums.changedPages(of: path).numbers == [root])
    #expect(DamageExtent(of: directory).problem != nil)
  }
}

@Suite struct StateReplacementTests {
  private let place = Place()
  private var directory: String { place.path }

  private func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// Returns everything below a folder, with the contents of files.
  private func tree(_ folder: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      found[name] = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }
    return found
  }

  @Test func `A replacement that is cut off anywhere is completed by the next start`() throws {
    let prepared = ["deskbell.sqlite": "new", "tls/ca.pem": "new", "handsets/1/apps/x": "new", "bundles/b": "new"]
    let older = ["deskbell.sqlite": "old", "deskbell.sqlite-wal": "old", "tls/ca.pem": "old", "bundles/a": "old"]
    for cut in 0...10 {
      try withDirectory { directory in
        for (name, text) in older { try write(text, to: "\(directory)/\(name)") }
        for (name, text) in prepared { try write(text, to: "\(directory)/restored/\(name)") }
        // The state that a power cut leaves after that many renames, in the order in which they are done.
        let steps: [(String, String)] = [
          ("bundles", "restored/.replaced/bundles"), ("restored/bundles", "bundles"),
          ("deskbell.sqlite-wal", "restored/.replaced/deskbell.sqlite-wal"),
          ("deskbell.sqlite", "restored/.replaced/deskbell.sqlite"), ("restored/deskbell.sqlite", "deskbell.sqlite"),
          ("restored/handsets", "handsets"), ("tls", "restored/.replaced/tls"), ("restored/tls", "tls"),
          ("restored/.replaced", "replaced-1"),
        ]
        if cut > 0 { mkdir("\(directory)/restored/.replaced", 0o700) }
        for (from, to) in steps.prefix(max(0, cut - 1)) { rename("\(directory)/\(from)", "\(directory)/\(to)") }
        _ = try StateReplacement(directory: directory)
        #expect(try names(in: directory) == ["bundles", "deskbell.sqlite", "handsets", "lock", "replaced-1", "tls"])
        let found = try tree(directory)
        for (name, text) in prepared { #expect(found[name] == text, "\(name) after \(cut)") }
        for (name, text) in older { #expect(found["replaced-1/\(name)"] == text, "\(name) after \(cut)") }
        #expect(found["deskbell.sqlite-wal"] == nil)
        #expect(found["bundles/a"] == nil)
      }
    }
  }

  @Test func `What was there is kept, one folder for each replacement`() throws {
    try {
      var rig = try Rig(directory)
      try rig.installMail()
    }()
    for number in 1...3 {
      let replacement = try StateReplacement(directory: directory)
      try write("", to: "\(replacement.folder)/bundles/x")
      let path = "\(replacement.folder)/deskbell.sqlite"
      let copy = try DatabaseCopy(of: "\(directory)/deskbell.sqlite", at: path)
      try copy.becomeDatabase()
      #expect(try replacement.commit() == "\(directory)/replaced-\(number)")
    }
    #expect(
      try names(in: directory) == ["bundles", "deskbell.sqlite", "lock", "replaced-1", "replaced-2", "replaced-3"])
  }
}
