// Folders of other users, in which names are swapped for symbolic links while root writes there.

import Foundation
import Testing

@testable import CommandSupport
@testable import Commands
@testable import HeldFolders

@Suite("Folders that are held")
struct HeldFolderTests {
  private let folder = try! Folder()
  private static let stranger: HeldFolder.Owner = (user: 12_345, group: 12_345)

  private func link(_ path: String, to target: String, ofStranger: Bool = false) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    if ofStranger { try #require(lchown(path, 12_345, 12_345) == 0) }
  }

  private func owner(_ path: String) throws -> UInt32? {
    try (FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? NSNumber)?.uint32Value
  }

  @Test("A link that takes the folder's place later leads nowhere")
  func swapped() throws {
    try folder.write("victim/file", "precious")
    try folder.write("theirs/other", "")
    let path = "\(folder.path)/theirs"
    let held = try HeldFolder(path)
    try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/moved")
    try link(path, to: "\(folder.path)/victim")
    try held.make("draft", Array("new".utf8), mode: 0o600)
    try held.rename("draft", to: "file")
    #expect(folder.names("victim") == ["file"])
    #expect(try folder.text("victim/file") == "precious" && folder.text("moved/file") == "new")
  }

  @Test("A link in a file's place is replaced, not followed, and its target keeps its rights")
  func fileLinks() throws {
    try folder.write("victim", "precious")
    chmod("\(folder.path)/victim", 0o644)
    let held = try HeldFolder("\(folder.path)/theirs", makingMissing: 0o700)
    try link("\(folder.path)/theirs/file", to: "../victim")
    try held.closeToOthers("file")
    try held.make("file", Array("new".utf8), mode: 0o600)
    #expect(try folder.text("victim") == "precious" && folder.text("theirs/file") == "new")
    #expect(try folder.mode("victim") == 0o644)
  }

  @Test("Links of root on the way are followed, also where the rest is missing")
  func ownLinks() throws {
    try folder.write("real/file", "text")
    try link("\(folder.path)/link", to: "real")
    try link("\(folder.path)/real/absolute", to: "\(folder.path)/real")
    let held = try HeldFolder("\(folder.path)/link/absolute/a/b", makingMissing: 0o700)
    try held.make("file", Array("new".utf8), mode: 0o600)
    #expect(try folder.text("real/a/b/file") == "new")
    try link("\(folder.path)/loop", to: "loop")
    #expect(throws: HeldFolder.Fault(path: "\(folder.path)/loop", code: ELOOP)) {
      try HeldFolder("\(folder.path)/loop")
    }
    #expect(throws: HeldFolder.Fault(path: "\(folder.path)/none", code: ENOENT)) {
      try HeldFolder("\(folder.path)/none/a")
    }
  }

  /// For users other than root, their own link is one of another user than root.
  @Test("Root follows no link of another user: nothing is written or given away behind it")
  func links() throws {
    try folder.write("victim/provider.json", "precious")
    try folder.write("victim/sub/ca.pem", "precious")
    try link("\(folder.path)/theirs", to: "victim", ofStranger: geteuid() == 0)
    try HeldFolder.$linkUser.withValue(0) { try refusesLinks() }
  }

  private func refusesLinks() throws {
    let failure = #expect(throws: Failure.self) {
      try ProviderFolder(path: "\(folder.path)/theirs/new").write([("provider.json", "{}")], owner: Self.stranger)
    }
    #expect(
      failure?.message
        == "\(folder.path)/theirs cannot be written: a symbolic link of another user is not followed; name the folder "
        + "that it leads to")
    #expect(throws: Failure.self) { try KeyFile.make("\(folder.path)/theirs/sub/key", "text") }
    // The link was put there after setup had found nothing.
    #expect(throws: Failure.self) {
      try ProviderFolder(path: "\(folder.path)/theirs").write([("provider.json", "{}")], owner: Self.stranger)
    }
    #expect(folder.names("victim") == ["provider.json", "sub"] && folder.names("victim/sub") == ["ca.pem"])
    for path in ["victim", "victim/sub", "victim/provider.json", "victim/sub/ca.pem"] {
      #expect(try owner("\(folder.path)/\(path)") == geteuid())
    }
    #expect(try folder.text("victim/provider.json") == "precious" && folder.text("victim/sub/ca.pem") == "precious")

    try ProviderFolder(path: "\(folder.path)/new").write([("provider.json", "{}")], owner: Self.stranger)
    // Only root can change owners.
    let owners: UInt32 = geteuid() == 0 ? 12_345 : geteuid()
    #expect(try owner("\(folder.path)/new") == owners && owner("\(folder.path)/new/provider.json") == owners)
    #expect(try folder.text("new/provider.json") == "{}\n")
  }
}
