// What a bundle says of its hooks, and where they are kept.

import AppLink
import FoundationEssentials
import Glibc
import HandsetCore
import StrictYAML
import Testing

@testable import DeskbellDaemon

@Suite struct AppHooksTests {
  private static let head = "id: com.example.mail\nname: Mail\n"

  private func bundle(_ text: String, files: [String] = ["bin/fetch"]) throws -> AppBundle {
    var all = ["app.yaml": Array((Self.head + text).utf8)]
    for file in files { all[file] = Array("#!/bin/sh\n".utf8) }
    return try AppBundle(files: all, folder: "mail", language: "en")
  }

  private func errors(_ text: String, files: [String] = ["bin/fetch"]) -> [String] {
    do {
      _ = try bundle(text, files: files)
      return []
    } catch {
      return (error as? StrictYAMLError)?.diagnostics.map(\.description) ?? ["\(error)"]
    }
  }

  @Test("Commands and services, of which both may be")
  func forms() throws {
    let bundle = try bundle(
      """
      hooks:
        launch: { socket: /run/mail.sock }
        background: [bin/fetch, --quiet, "a b"]
      """, files: ["bin/fetch", "data/list.txt"])
    #expect(bundle.hooks.launch == .socket("/run/mail.sock"))
    #expect(bundle.hooks.background == .command(["bin/fetch", "--quiet", "a b"]))
    #expect(bundle.manifest.hasHooks)
    #expect(bundle.notes == [], "other files are the command's")
  }

  @Test("Programs of the bundle, with ./ too, and of the system", arguments: ["bin/fetch", "./bin/fetch", "/bin/true"])
  func programs(_ word: String) throws {
    #expect(try bundle("hooks: { launch: [\(word)] }").hooks == AppHooks(launch: .command([word])))
  }

  @Test func none() throws {
    let bundle = try bundle("", files: ["bin/fetch"])
    #expect(bundle.hooks == AppHooks())
    #expect(!bundle.manifest.hasHooks)
    #expect(bundle.notes.count == 1)
  }

  @Test("A service needs none of the bundle's files, and says so of those there are")
  func serviceAlone() throws {
    #expect(try bundle("hooks: { background: { socket: /run/mail.sock } }").notes.count == 1)
  }

  @Test(
    "Mistakes",
    arguments: [
      ("hooks: {}", "mail/app.yaml:3:8: error: 'hooks' names neither launch nor background"),
      (
        "hooks: { backgrund: [bin/fetch] }",
        "mail/app.yaml:3:10: error: unknown key 'backgrund', did you mean 'background'?"
      ),
      (
        "hooks: { background: bin/fetch }",
        "mail/app.yaml:3:22: error: 'background' must be a list of words, as in [bin/fetch, --quiet], or "
          + "{ socket: PATH }; no shell is run"
      ),
      ("hooks: { background: [] }", "mail/app.yaml:3:22: error: 'background' must have 1 to 32 items, not 0"),
      (
        "hooks: { background: [python3, fetch.py] }",
        "mail/app.yaml:3:23: error: item 1 of 'background' must be a file of the bundle, or the absolute path of a "
          + "program; 'python3' is neither"
      ),
      (
        "hooks: { launch: { socket: mail.sock } }",
        "mail/app.yaml:3:28: error: 'socket' must be an absolute path, as in /run/mailroom.sock"
      ),
      (
        #"hooks: { launch: [/bin/echo, "\0"] }"#,
        "mail/app.yaml:3:30: error: item 2 of 'launch' contains a NUL character"
      ),
    ])
  func mistakes(_ text: String, _ message: String) {
    #expect(errors(text).contains(message), "\(errors(text))")
  }

  @Test("Words and bytes: the limit is allowed, one more is not")
  func limits() throws {
    func command(_ count: Int) -> String {
      "hooks: { launch: [/bin/echo" + String(repeating: ", a", count: count - 1) + "] }"
    }
    #expect(errors(command(AppLinkLimits.commandWords)) == [])
    #expect(
      errors(command(AppLinkLimits.commandWords + 1))
        == ["mail/app.yaml:3:18: error: 'launch' must have 1 to 32 items, not 33"])
    func word(_ bytes: Int) -> String { "hooks: { launch: [/bin/echo, \(String(repeating: "a", count: bytes))] }" }
    #expect(errors(word(AppLinkLimits.commandWordBytes)) == [])
    #expect(errors(word(AppLinkLimits.commandWordBytes + 1)).count == 1)
    func path(_ bytes: Int) -> String { "hooks: { launch: { socket: /\(String(repeating: "a", count: bytes - 1)) } }" }
    #expect(errors(path(AppLinkLimits.socketPathBytes)) == [])
    #expect(errors(path(AppLinkLimits.socketPathBytes + 1)).count == 1)
  }
}

@Suite struct AppFoldersTests {
  private static let app = AppID("com.example.mail")!

  private func inFolder(_ body: (AppFolders) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apps-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(AppFolders(folder: folder))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("A bundle is kept with its hooks, its programs executable, and found again after a restart")
  func kept() throws {
    try inFolder { folders in
      let hooks = AppHooks(launch: .socket("/run/mail.sock"), background: .command(["bin/fetch"]))
      let files = [
        "app.yaml": Array("x".utf8), "bin/fetch": Array("#!/bin/sh\n".utf8), "e": [0x7F] + Array("ELF".utf8),
      ]
      let kept = try folders.adopt(folders.stage(Self.app, hooks: hooks, files: files))
      let own = "\(folders.folder)/com.example.mail"
      #expect(kept.folder.hasPrefix("\(own)/bundle-"))
      #expect(kept.background == hooks.background && kept.launch == hooks.launch)
      #expect(AppFolders(folder: folders.folder).hooks(of: Self.app) == kept)
      #expect(mode("\(kept.folder)/bin/fetch") == 0o700)
      #expect(mode("\(kept.folder)/e") == 0o700)
      #expect(mode("\(kept.folder)/app.yaml") == 0o600)
      for path in [own, kept.folder, "\(kept.folder)/bin"] { #expect(mode(path) == 0o700) }
    }
  }

  @Test("A newer bundle takes the place of the older whole; one without hooks leaves nothing")
  func replaced() throws {
    try inFolder { folders in
      let hooks = AppHooks(background: .command(["a"]))
      _ = try folders.adopt(folders.stage(Self.app, hooks: hooks, files: ["a": [1], "b": [2]]))
      let kept = try folders.adopt(folders.stage(Self.app, hooks: hooks, files: ["a": [3]]))
      #expect(FileManager.default.contents(atPath: "\(kept.folder)/a") == Data([3]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept.folder) == ["a"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folders.folder) == ["com.example.mail"])
      #expect(try folders.adopt(folders.stage(Self.app, hooks: AppHooks(), files: ["a": [3]])) == AppHooks())
      #expect(folders.hooks(of: Self.app) == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folders.folder) == [])
    }
  }

  @Test("A staged bundle changes nothing until it is adopted; what a power cut leaves is removed at the next start")
  func staged() throws {
    try inFolder { folders in
      let hooks = AppHooks(background: .command(["a"]))
      let kept = try folders.adopt(folders.stage(Self.app, hooks: hooks, files: ["a": [1]]))
      let staged = try folders.stage(Self.app, hooks: AppHooks(launch: .command(["a"])), files: ["a": [2]])
      #expect(folders.hooks(of: Self.app) == kept)
      #expect(FileManager.default.contents(atPath: "\(kept.folder)/a") == Data([1]))
      let own = "\(folders.folder)/com.example.mail"
      #expect(try FileManager.default.contentsOfDirectory(atPath: own).count == 4)
      folders.removeLeftovers()
      #expect(try FileManager.default.contentsOfDirectory(atPath: own).count == 2)
      #expect(throws: DaemonError.self) { try folders.adopt(staged) }
      #expect(folders.hooks(of: Self.app) == kept)
    }
  }

  @Test("Two installations at once do not touch each other's files")
  func twoAtOnce() throws {
    try inFolder { folders in
      let hooks = AppHooks(background: .command(["a"]))
      let first = try folders.stage(Self.app, hooks: hooks, files: ["a": [1]])
      let second = try folders.stage(Self.app, hooks: hooks, files: ["a": [2]])
      _ = try folders.adopt(first)
      let kept = try folders.adopt(second)
      #expect(FileManager.default.contents(atPath: "\(kept.folder)/a") == Data([2]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folders.folder) == ["com.example.mail"])
    }
  }

  @Test("A service's bundle has no files to keep")
  func service() throws {
    try inFolder { folders in
      let kept = try folders.adopt(
        folders.stage(Self.app, hooks: AppHooks(background: .socket("/run/mail.sock")), files: ["a": [1]]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept.folder) == [])
      folders.remove(Self.app)
      #expect(folders.hooks(of: Self.app) == nil)
    }
  }

  @Test(
    "A path that leaves the bundle is refused, and what was kept stays",
    arguments: ["../a", "a/../../b", "/a", "a//b", "./a", "../\u{301}x", "a/..\u{0}/b"])
  func outside(_ path: String) throws {
    try inFolder { folders in
      let hooks = AppHooks(background: .command(["a"]))
      let kept = try folders.adopt(folders.stage(Self.app, hooks: hooks, files: ["a": [1]]))
      #expect(throws: DaemonError("'\(path)' is no path within a bundle")) {
        try folders.adopt(folders.stage(Self.app, hooks: hooks, files: [path: [2]]))
      }
      #expect(FileManager.default.contents(atPath: "\(kept.folder)/a") == Data([1]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folders.folder) == ["com.example.mail"])
    }
  }
}
