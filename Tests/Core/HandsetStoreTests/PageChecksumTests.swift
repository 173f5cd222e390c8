// Every page of the database ends in a checksum: changed bytes are found when they are read, and never count as stored
// data.

import CPageChecks
import CSQLite
import Foundation
import TestSupport
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct PageChecksumTests {
  private static let pageSize = Int(PageChecksums.pageSize)

  private let place = Place()
  private var directory: String { place.path }
  /// The database: rows in several tables and a payload of several pages, and no free page.
  private let intact: [UInt8]

  init() throws {
    try PageChecksumTests.fill(place.path)
    intact = try fileBytes(place.path)
  }

  private static func fill(_ directory: String) throws {
    var rig = try Rig(directory)
    try rig.installMail()
    for number in 1...40 as ClosedRange<UInt64> { try rig.commit(.push(push(number))) }
    try rig.commit(.push(push(41, payload: [UInt8](repeating: 0x61, count: 20_000))))
    try rig.store.database.execute("VACUUM")
  }

  private func write(_ bytes: [UInt8], in directory: String, _ change: (inout [UInt8]) -> Void = { _ in }) throws {
    var bytes = bytes
    change(&bytes)
    try replaceFile(directory, with: bytes)
    for suffix in ["-wal", "-shm", "-damaged"] { unlink(directory + "/deskbell.sqlite" + suffix) }
  }

  /// Returns the eight bytes of each page that hold its checksum.
  private func checksums(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    stride(from: PageChecksumTests.pageSize, through: bytes.count, by: PageChecksumTests.pageSize).map {
      bytes[($0 - 8)..<$0]
    }
  }

  /// Makes SQLite read every page that is in use.
  private func problem(_ directory: String) throws -> StoreError? {
    let state = try StateDirectory(directory)
    do throws(StoreError) {
      let database = try SQLiteConnection(path: try state.privateFile(HandsetStore.fileName), in: state)
      _ = try database.integer("SELECT count(*) FROM sqlite_schema")
      let found = try database.first("PRAGMA integrity_check", []) { $0.text(0) ?? "" }
      return found == "ok" ? nil : .sqlite(path: "", code: StoreError.changedPage, message: found ?? "")
    } catch {
      return error
    }
  }

  private func changedPage(_ number: Int, in directory: String) -> String {
    "\(directory)/deskbell.sqlite: page \(number) is not as it was written (SQLite error 8202); "
      + "'deskbell restore FILE' brings back a backup"
  }

  @Test func `A changed byte is found, whichever page it is in`() throws {
    #expect(try problem(directory) == nil)
    #expect(intact.count / PageChecksumTests.pageSize > 30)
    var generator = SplitMix64(state: 1)
    for page in 0..<(intact.count / PageChecksumTests.pageSize) {
      let place =
        Int.random(in: 100..<PageChecksumTests.pageSize, using: &generator) + page * PageChecksumTests.pageSize
      try write(intact, in: directory) { $0[place] ^= UInt8.random(in: 1...255, using: &generator) }
      #expect(try problem(directory)?.isDamage == true, "byte \(place)")
    }
  }

  /// The bytes of the first page that SQLite rewrites in a copy: the change counter, the schema cookie, the counter and
  /// the version of SQLite that go with the change counter.
  private static let counters = Set(Array(24..<28) + Array(40..<44) + Array(92..<100))

  @Test func `A changed byte of the header is damage, also of what says that there are checksums`() throws {
    for place in 0..<100 where !PageChecksumTests.counters.contains(place) {
      for mask in [0x01, 0x08, 0x80, 0xFF] as [UInt8] {
        try write(intact, in: directory) { $0[place] ^= mask }
        #expect(refusal(directory)?.isDamage == true, "byte \(place) ^ \(mask)")
        // The sizes of a page and of its reserved bytes: with others SQLite reads other pages.
        if ![16, 17, 20].contains(place) {
          try write(intact, in: directory) { $0[place] ^= mask }
          #expect(refusal(directory)?.description == changedPage(1, in: directory))
        }
      }
    }
    try write(intact, in: directory) { $0[20] = 0 }
    #expect(
      refusal(directory)?.description
        == "\(directory)/deskbell.sqlite: its header does not say that its pages have checksums (SQLite error 11); "
        + "'deskbell restore FILE' brings back a backup")
    try write(intact, in: directory)
    #expect(refusal(directory) == nil)
  }

  @Test func `A changed counter of the header is without effect, and so is the other journal mode`() throws {
    let expected = try Rig(directory).reloaded()
    for place in PageChecksumTests.counters.sorted() + [18, 19] {
      for value in place < 20 ? [1] : [0x00, 0x01, 0x80, 0xFF] as [UInt8] {
        try write(intact, in: directory) { $0[place] = value }
        #expect(try problem(directory) == nil, "byte \(place) = \(value)")
        try write(intact, in: directory) { $0[place] = value }
        #expect(try Rig(directory).reloaded() == expected)
      }
    }
  }

  @Test func `A first page that a version before 0.7.1 wrote is accepted`() throws {
    var bytes = intact
    // The checksum that 0.7.0 wrote for this very page.
    let sum = wholePageChecksum(bytes[..<(PageChecksumTests.pageSize - 8)], number: 1)
    bytes.replaceSubrange((PageChecksumTests.pageSize - 8)..<PageChecksumTests.pageSize, with: sum)
    try write(bytes, in: directory)
    #expect(try problem(directory) == nil)
    bytes[200] ^= 1
    try write(bytes, in: directory)
    #expect(refusal(directory)?.description == changedPage(1, in: directory))
  }

  /// Returns the checksum of a page with all its bytes, as in 0.4.0 to 0.7.0.
  private func wholePageChecksum(_ content: ArraySlice<UInt8>, number: UInt64) -> [UInt8] {
    func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
      let product = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
      return product ^ product >> 32
    }
    var lanes: [UInt64] = [1, 2, 3, 4]
    let words = stride(from: 0, to: content.count, by: 8).map { start in
      (0..<8).reduce(UInt64(0)) { $0 | UInt64(content[content.startIndex + start + $1]) << (8 * $1) }
    }
    for (index, word) in (words + [number]).enumerated() { lanes[index % 4] = mix(lanes[index % 4], word) }
    let sum = lanes.reduce(0, mix)
    let kept = UInt32(truncatingIfNeeded: sum) == 0 || sum >> 32 == 0 ? ~sum : sum
    return (0..<8).map { UInt8(truncatingIfNeeded: kept >> (8 * $0)) }
  }

  /// The file below a connection, as SQLite reads it.
  private struct OpenFile {
    let file: UnsafeMutablePointer<sqlite3_file>
    let methods: sqlite3_io_methods

    init(_ database: SQLiteConnection) throws {
      var pointer: UnsafeMutablePointer<sqlite3_file>?
      sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
      file = try #require(pointer)
      methods = try #require(file.pointee.pMethods).pointee
    }

    func read(_ range: Range<Int>) -> (code: Int32, bytes: [UInt8]) {
      var bytes = [UInt8](repeating: 0xEE, count: range.count)
      let code = methods.xRead(file, &bytes, Int32(range.count), Int64(range.lowerBound))
      return (code, bytes)
    }
  }

  /// SQLite 3.45 and later read the pages of long rows in this way.
  @Test func `A part of a page that is read has the whole page compared`() throws {
    var bytes = intact
    let size = PageChecksumTests.pageSize
    bytes[9 * size + 4_000] ^= 1
    try write(bytes, in: directory)
    let state = try StateDirectory(directory)
    let database = try SQLiteConnection(path: try state.privateFile(HandsetStore.fileName), in: state)
    _ = try database.integer("PRAGMA page_count")
    let file = try OpenFile(database)
    let intact = [
      (8 * size + 4)..<(8 * size + 104), (7 * size + 4_000)..<(9 * size - 8), (10 * size)..<(10 * size + 1),
    ]
    for range in intact {
      let found = file.read(range)
      #expect(found.code == SQLITE_OK)
      // Checksums are zeros in memory.
      let expected: [UInt8] = range.map { $0 % size >= size - 8 ? 0 : bytes[$0] }
      #expect(found.bytes == expected)
    }
    let damaged = [(9 * size + 4)..<(9 * size + 104), (8 * size + 4)..<(9 * size + 5), (9 * size)..<(9 * size + 1)]
    for range in damaged {
      let found = file.read(range)
      #expect(found.code == StoreError.changedPage)
      #expect(page_checks_damaged_page(database.handle) == 10)
      #expect(found.bytes.last == 0)
    }
    #expect(file.read(bytes.count..<(bytes.count + 10)).code == SQLITE_IOERR | 2 << 8)
    // SQLITE_IOCAP_SUBPAGE_READ, which SQLite 3.48 and later check.
    let characteristics = file.methods.xDeviceCharacteristics(file.file)
    #expect(characteristics & 0x8000 == 0)
  }

  @Test func `A changed byte of a checksum is damage, and never the zeros of a page without one`() throws {
    for page in checksums(intact) { #expect(page.count { $0 != 0 } >= 2) }
    for place in (PageChecksumTests.pageSize - 8)..<PageChecksumTests.pageSize {
      for value in [0, intact[place] ^ 1] where value != intact[place] {
        try write(intact, in: directory) { $0[place] = value }
        #expect(refusal(directory)?.description == changedPage(1, in: directory))
      }
    }
  }

  @Test func `A page of zeros, and one in another's place, are damage`() throws {
    let size = PageChecksumTests.pageSize
    for page in 1..<(intact.count / size) {
      for other in [[UInt8](repeating: 0, count: size), Array(intact[..<size])] {
        try write(intact, in: directory) { $0.replaceSubrange((page * size)..<((page + 1) * size), with: other) }
        #expect(try problem(directory)?.isDamage == true, "page \(page + 1)")
      }
    }
  }

  @Test func `Damage that a reader finds ends storing, and the next start refuses the database`() throws {
    var rig: Rig! = Rig(try HandsetStore(directory: directory))
    rig.handset = try rig.reloaded()
    // The pages that contain only the payload have not been read yet.
    var changed = intact
    let run = [UInt8](repeating: 0x61, count: PageChecksumTests.pageSize - 12)
    let page = try #require(
      stride(from: 0, to: changed.count, by: PageChecksumTests.pageSize).first {
        changed[($0 + 4)..<($0 + 4 + run.count)].elementsEqual(run)
      })
    changed[page + 100] ^= 1
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory + "/deskbell.sqlite"))
    try file.write(contentsOf: Data(changed))
    try file.close()
    let last = try #require(rig.handset.listed().map(\.id).max())
    let found = #expect(throws: StoreError.self) { try rig.store.content(of: last, handset: 1) }
    #expect(found?.description == changedPage(page / PageChecksumTests.pageSize + 1, in: directory))
    let refused = #expect(throws: StoreError.self) { try rig.commit(.push(push(50)), durable: true) }
    #expect(refused == found)
    rig = nil
    #expect(
      refusal(directory)?.description
        == "\(directory)/deskbell.sqlite: it was found to be damaged while it was in use (SQLite error 11); "
        + "'deskbell restore FILE' brings back a backup")
  }

  @Test func `What another program's checkpoint left without checksums is accepted`() throws {
    var rig = try Rig.inNewFolder()
    let directory = rig.store.directory
    try rig.installMail()
    try rig.store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try rig.commit(.push(push(1, badge: 2)), durable: true)
    try withCopy(of: directory, log: true) { copy in
      try sql(copy, "PRAGMA wal_checkpoint(TRUNCATE)", isForeign: true)
      #expect(try checksums(fileBytes(copy)).contains { $0.allSatisfy { $0 == 0 } })
      #expect(try Rig(copy).reloaded() == rig.handset.stored)
      // The next write adds one.
      try sql(copy, "VACUUM")
      #expect(try !checksums(fileBytes(copy)).contains { $0.allSatisfy { $0 == 0 } })
    }
  }

  @Test(arguments: [1, 2])
  func `A log has all its frames when a commit has ended, also rewritten ones`(kilobytes: Int) throws {
    let state = try StateDirectory(directory)
    let database = try SQLiteConnection(path: try state.privateFile(HandsetStore.fileName), in: state)
    try database.execute("PRAGMA wal_autocheckpoint = 0")
    try database.execute("PRAGMA synchronous = NORMAL")
    // With so few pages in memory, pages of one transaction go to the log twice, and frames get other checksums.
    try database.execute("PRAGMA cache_spill = 1")
    try database.execute("PRAGMA cache_size = 10")
    try database.execute("CREATE TABLE filler (number INTEGER PRIMARY KEY, bytes BLOB)")
    try database.transaction { () throws(StoreError) in
      for number in 1...200 {
        try database.run(
          "INSERT INTO filler VALUES (?, zeroblob(?))", .integer(Int64(number)), .integer(Int64(kilobytes * 1_000)))
      }
      for round in 1...3 {
        try database.run(
          "UPDATE filler SET bytes = randomblob(900), number = number + ?", .integer(Int64(1_000 * round)))
      }
    }
    // As a power cut would leave it, without the log's index.
    try withCopy(of: directory, log: true) { copy in
      let problem = try problem(copy)
      #expect(problem == nil)
      #expect(try sql(copy, "SELECT count(*) || ' ' || min(number) FROM filler") == "200 6001")
    }
    withExtendedLifetime(database) {}
  }

  @Test func `An orderly end leaves all of it in the one file, and each page with its checksum`() throws {
    var rig = try Rig.inNewFolder()
    let directory = rig.store.directory
    try rig.installMail()
    try rig.commit(.push(push(1)), durable: true)
    try rig.store.emptyLog()
    #expect(try !checksums(fileBytes(directory)).contains { $0.allSatisfy { $0 == 0 } })
    try withCopy(of: directory, log: false) { copy in
      let restored = try Rig(copy).reloaded()
      #expect(restored == rig.handset.stored)
    }
  }

  @Test func `Rows that another program changed are damage until it has vacuumed`() throws {
    let change = "UPDATE app SET name = 'Mail'"
    try sql(directory, change, isForeign: true)
    #expect(refusal(directory) == nil)
    #expect(try problem(directory)?.isDamage == true)
    unlink(directory + "/deskbell.sqlite-damaged")
    try sql(directory, "VACUUM", isForeign: true)
    let contents = try HandsetStore(directory: directory).load(handset: 1).contents
    #expect(contents.apps.map(\.manifest.name) == ["Mail"])
  }
}
