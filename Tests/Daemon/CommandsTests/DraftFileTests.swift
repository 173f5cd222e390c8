// Files that are complete or missing, and leave nothing beside them.

import Foundation
import Testing

@testable import CommandSupport
@testable import Commands

@Suite struct DraftFileTests {
  private let folder = try! Folder()

  private func draft(_ text: String, _ path: String) throws(DraftFile.Fault) -> DraftFile {
    try DraftFile(text, for: path, mode: 0o600, folderMode: 0o700)
  }

  @Test func withoutANameItIsGone() throws {
    let draft = try draft("text", "\(folder.path)/a/b/file")
    #expect(try folder.mode("a") == 0o700)
    #expect(folder.names("a/b").count == 1)
    #expect(try String(contentsOfFile: draft.path, encoding: .utf8) == "text")
    _ = consume draft
    #expect(folder.names("a/b") == [])
  }

  @Test func replacingKeepsWhatWasThere() throws {
    let path = "\(folder.path)/file"
    try draft("one", path).replace()
    try draft("two", path).replace()
    #expect(folder.names("") == ["file", "file~"])
    #expect(try folder.text("file") == "two" && folder.text("file~") == "one")
    #expect(try folder.mode("file") == 0o600)
  }

  @Test func whoComesSecondLeavesTheFirst() throws {
    let path = "\(folder.path)/file"
    try draft("one", path).putWhereThereIsNone()
    try draft("two", path).putWhereThereIsNone()
    #expect(folder.names("") == ["file"])
    #expect(try folder.text("file") == "one")
  }

  @Test func whatDiedOverItIsNoObstacle() throws {
    let path = "\(folder.path)/file"
    try folder.write("file.\(getpid()).new", "half of")
    try draft("whole", path).replace()
    #expect(folder.names("") == ["file"])
    #expect(try folder.text("file") == "whole")
  }

  @Test func whatIsInTheWayIsNamed() throws {
    try folder.write("file", "")
    let fault = #expect(throws: DraftFile.Fault.self) {
      _ = try draft("text", "\(folder.path)/file/a/b")
    }
    #expect(fault?.path == "\(folder.path)/file")
    #expect(fault?.reason == "Not a directory")
    #expect(throws: Failure.self) { try KeyFile.make("\(folder.path)/file/key", "text") }
  }
}
