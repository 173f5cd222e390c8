import Foundation
import Testing

@testable import CommandSupport
@testable import Commands

@Suite struct PasswordFileTests {
  private let folder = try! Folder()

  @Test(arguments: [("secret word", "secret word"), ("secret\n", "secret"), ("secret\r\n", "secret"), (" ä \n", " ä ")])
  func isOneLine(text: String, password: String) throws {
    try folder.write("p", text)
    #expect(try PasswordFile.password(at: folder.path + "/p") == password)
  }

  @Test(arguments: ["", "\n", "one\ntwo\n", "one\n\n", String(repeating: "x", count: 1_025)])
  func refusesOthers(text: String) throws {
    try folder.write("p", text)
    #expect(throws: Failure.self) { try PasswordFile.password(at: folder.path + "/p") }
  }

  @Test func namesAFileThatIsNotThere() {
    let failure = #expect(throws: Failure.self) { try PasswordFile.password(at: "/nowhere/p") }
    #expect(failure.map { "\($0)" }?.contains("/nowhere/p cannot be read: No such file or directory") == true)
  }

  @Test func makesOneThatNobodyElseReads() throws {
    let place = folder.path + "/config/deskbell"
    let made = try PasswordFile.local(in: place)
    #expect(made.utf8.count == 32)
    #expect(try PasswordFile.local(in: place) == made)
    #expect(try folder.mode("config/deskbell/provider-password") == 0o600)
    #expect(chmod(place + "/provider-password", 0o640) == 0)
    #expect(throws: Failure.self) { try PasswordFile.local(in: place) }
  }
}
