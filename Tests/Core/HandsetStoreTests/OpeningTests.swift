import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct OpeningTests {
  private let place = Place()
  private var directory: String { place.path }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func `Directories and files are their owner's alone`() throws {
    let nested = directory + "/a/b/"
    var rig = try Rig(nested)
    try rig.installMail()
    #expect(try mode(directory) == 0o700)
    #expect(try mode(directory + "/a") == 0o700)
    #expect(try mode(directory + "/a/b") == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: nested).sorted()
    #expect(files == ["deskbell.sqlite", "deskbell.sqlite-shm", "deskbell.sqlite-wal", "lock"])
    for file in files { #expect(try mode(nested + file) == 0o600, "\(file)") }
    #expect(rig.store.directory == directory + "/a/b")
  }

  @Test func `A database that was readable to others is closed to them`() throws {
    do { _ = try HandsetStore(directory: directory) }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: directory + "/deskbell.sqlite")
    _ = try HandsetStore(directory: directory)
    #expect(try mode(directory + "/deskbell.sqlite") == 0o600)
  }

  @Test func `A directory is free once its store is closed, whatever copies of its descriptors a child still has`()
    throws
  {
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    do {
      _ = try withExtendedLifetime(try HandsetStore(directory: directory)) { _ in
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
          guard target == directory + "/lock", let descriptor = Int32(name) else { continue }
          copies.append(dup(descriptor))
          // The copy's number may be one that another test has released, further down the list.
          break
        }
      }
    }
    #expect(copies.count == 1)
    #expect(refusal(directory) == nil)
  }

  @Test func `A second daemon is refused and told who the first is`() throws {
    var store: HandsetStore? = try HandsetStore(directory: directory)
    #expect(
      refusal(directory)?.description == "another deskbell (process \(getpid())) uses \(directory): "
        + "stop it, or give this one another state directory with --state")
    // Nothing is replaced or set aside either.
    let inUse = StoreError.inUse(directory: directory, process: getpid())
    #expect(!inUse.isDamage)
    #expect(throws: inUse) { try StateReplacement(directory: directory) }
    #expect(throws: inUse) { try HandsetStore.setAside(directory: directory, with: []) }
    #expect(store != nil)
    store = nil
    #expect(refusal(directory) == nil)
  }

  @Test func `A symbolic link is not followed to the database, and is to the directory`() throws {
    try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/linked", withDestinationPath: directory + "/real")
    #expect(try HandsetStore(directory: directory + "/linked").directory == directory + "/real")

    try FileManager.default.createDirectory(atPath: directory + "/trap", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/trap/deskbell.sqlite", withDestinationPath: directory + "/victim")
    #expect(
      refusal(directory + "/trap")?.description
        == "\(directory)/trap/deskbell.sqlite: is a symbolic link, which is not followed: "
        + "put the file itself there")
    #expect(!FileManager.default.fileExists(atPath: directory + "/victim"))
  }

  @Test func `A file in the directory's place is named`() throws {
    try Data().write(to: URL(fileURLWithPath: directory))
    #expect(refusal(directory)?.description == "\(directory): is not a directory: name another with --state")
  }

  private static let known = Schema.firstStep + Schema.migrations.count - 1

  /// The last number of an older version is that of 0.7 without checksums.
  @Test(arguments: [
    6, PageChecksums.version, PageChecksums.version + Schema.firstStep - 1, Schema.firstStep,
    PageChecksums.version + known + 1,
  ])
  func `A database of another version is refused with what to do, as a copy too, and left as it is`(
    version: Int
  ) throws {
    do { _ = try HandsetStore(directory: directory) }
    let (path, known) = (directory + "/deskbell.sqlite", OpeningTests.known)
    try sql(directory, "PRAGMA user_version = \(version)")
    let before = try fileBytes(directory)
    let refused = try #require(refusal(directory))
    let reason =
      version > PageChecksums.version + known
      ? "a newer deskbell (schema \(known + 1), this one knows \(known)): install that version or a later one,"
      : "an older deskbell (version \(version), this one reads 65555 and later): deskbell 0.7.3 converts it;"
    #expect(refused.description == "\(path) was written by \(reason) or use another directory with --state")
    #expect(throws: refused) { try DatabaseCopy(opening: path) }
    #expect(try fileBytes(directory) == before)
  }

  @Test func `A database whose version is none is not one of ours`() throws {
    do { _ = try HandsetStore(directory: directory) }
    try sql(directory, "PRAGMA user_version = -1")
    #expect(refusal(directory) == .foreign(path: directory + "/deskbell.sqlite"))
  }

  @Test func `Somebody else's database is refused and left as it is`() throws {
    try withDirectory(made: true) { directory in
      try sql(directory, "CREATE TABLE theirs (x); PRAGMA user_version = 20240101")
      let before = try fileBytes(directory)
      #expect(
        refusal(directory)?.description == "\(directory)/deskbell.sqlite is a database, and not one of deskbell's: "
          + "move it away, or use another directory with --state")
      #expect(try fileBytes(directory) == before)

      let text = Array(String(repeating: "not a database ", count: 100).utf8)
      try replaceFile(directory, with: text)
      #expect(
        refusal(directory)?.description == "\(directory)/deskbell.sqlite: file is not a database (SQLite error 26); "
          + "'deskbell restore FILE' brings back a backup")
      #expect(try fileBytes(directory) == text)
    }
  }

  @Test func `Each migration is a transaction of its own, and one that fails is tried again`() throws {
    let known = OpeningTests.known
    let second = Migration(name: "second", script: "CREATE TABLE second (x INTEGER) STRICT")
    let broken = Migration(name: "third", script: "CREATE TABLE third (x INTEGER) STRICT; CREATE TABLE second (x)")
    #expect(
      refusal(directory, migrations: Schema.migrations + [second, broken])?.description
        == "\(directory)/deskbell.sqlite: table second already exists (SQLite error 1)")
    #expect(try sql(directory, "PRAGMA user_version") == "\(PageChecksums.version + known + 1)")
    #expect(
      try sql(directory, "SELECT group_concat(name) FROM migration")
        == (Schema.migrations + [second]).map(\.name).joined(separator: ","))
    #expect(try sql(directory, "SELECT count(*) FROM sqlite_schema WHERE name = 'third'") == "0")
    let third = Migration(name: "third", script: "CREATE TABLE third (x INTEGER) STRICT")
    #expect(refusal(directory, migrations: Schema.migrations + [second, third]) == nil)
    #expect(try sql(directory, "PRAGMA user_version") == "\(PageChecksums.version + known + 2)")
    // Another line of versions has different steps under the same numbers.
    let other = Migration(name: "other", script: "")
    #expect(
      refusal(directory, migrations: Schema.migrations + [other, third])?.description.contains(
        "not one of deskbell's") == true)
  }

  @Test func `The file says what it is`() throws {
    _ = try HandsetStore(directory: directory)
    #expect(try sql(directory, "PRAGMA application_id") == "1147299180")
    #expect(try sql(directory, "PRAGMA journal_mode") == "wal")
  }
}
