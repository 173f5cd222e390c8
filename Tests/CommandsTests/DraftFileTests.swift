// Files that are whole or not there, and what is beside them afterwards: nothing.

import Foundation
import Testing

@testable import Commands

@Suite struct DraftFileTests {
  @Test func withoutANameItIsGone() throws {
    let folder = try Folder()
    try DraftFile.makeFolder("\(folder.path)/a/b", mode: 0o700)
    let draft = try DraftFile("text", for: "\(folder.path)/a/b/file", mode: 0o600)
    #expect(folder.names("a/b").count == 1)
    #expect(try String(contentsOfFile: draft.path, encoding: .utf8) == "text")
    _ = consume draft
    #expect(folder.names("a/b") == [])
  }

  @Test func replacingKeepsWhatWasThere() throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    try DraftFile("one", for: path, mode: 0o600).replace()
    try DraftFile("two", for: path, mode: 0o600).replace()
    #expect(folder.names("") == ["file", "file~"])
    #expect(try folder.text("file") == "two" && folder.text("file~") == "one")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func whoComesSecondLeavesTheFirst() throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    try DraftFile("one", for: path, mode: 0o600).putWhereThereIsNone()
    try DraftFile("two", for: path, mode: 0o600).putWhereThereIsNone()
    #expect(folder.names("") == ["file"])
    #expect(try folder.text("file") == "one")
  }

  @Test func whatDiedOverItIsNoObstacle() throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    try folder.write("file.\(getpid()).new", "half of")
    try DraftFile("whole", for: path, mode: 0o600).replace()
    #expect(folder.names("") == ["file"])
    #expect(try folder.text("file") == "whole")
  }

  @Test func whatIsInTheWayIsNamed() throws {
    let folder = try Folder()
    try folder.write("file", "")
    let fault = #expect(throws: DraftFile.Fault.self) {
      try DraftFile.makeFolder("\(folder.path)/file/a/b", mode: 0o700)
    }
    #expect(fault?.path == "\(folder.path)/file/a")
    #expect(fault?.reason == "Not a directory")
    #expect(throws: Failure.self) { try KeyFile.make("\(folder.path)/file/key", "text", in: "\(folder.path)/file") }
  }
}
