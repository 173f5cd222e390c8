import AppLink
import HandsetCore
import StrictYAML
import Testing

@testable import DeskbellDaemon

@Suite struct AppProgramsTests {
  private static let head = "id: com.example.mail\nname: Mail\n"

  private func bundle(_ text: String, files: [String] = ["bin/fetch"]) throws -> AppBundle {
    var all = ["app.yaml": Array((Self.head + text).utf8)]
    for file in files { all[file] = Array("#!/bin/sh\n".utf8) }
    return try AppBundle(files: all, folder: "mail", language: "en")
  }

  private func errors(_ text: String, files: [String] = ["bin/fetch"]) -> [String] {
    errorsOf { _ = try bundle(text, files: files) }
  }

  @Test("Commands and services, of which both may be")
  func forms() throws {
    let bundle = try bundle(
      """
      hooks:
        launch: { socket: /run/mail.sock }
        background: [bin/fetch, --quiet, "a b"]
      """, files: ["bin/fetch", "data/list.txt"])
    #expect(bundle.programs.launch == .socket("/run/mail.sock"))
    #expect(bundle.programs.background == .command(["bin/fetch", "--quiet", "a b"]))
    #expect(bundle.manifest.hasPrograms)
    #expect(bundle.notes == [], "other files are the command's")
  }

  @Test("An app takes broadcasts if its manifest says so")
  func broadcast() throws {
    #expect(try bundle("broadcast: true").manifest.hasBroadcasts)
    #expect(try !bundle("broadcast: false").manifest.hasBroadcasts && !bundle("").manifest.hasBroadcasts)
    #expect(errors("broadcast: maybe").count == 1)
  }

  @Test("N16: a bundle that names a notification program asks for every push")
  func notification() throws {
    let bundle = try bundle("hooks: { notification: [bin/fetch] }")
    #expect(bundle.programs == AppPrograms(notification: .command(["bin/fetch"])))
    #expect(bundle.manifest.hasPrograms && bundle.manifest.hasNotificationProgram)
    #expect(try !self.bundle("hooks: { background: [bin/fetch] }").manifest.hasNotificationProgram)
  }

  @Test("X1: a service extension neither opens nor wakes the app")
  func serviceExtension() throws {
    let bundle = try bundle("hooks: { service-extension: [bin/fetch] }")
    #expect(bundle.programs.serviceExtension == .command(["bin/fetch"]))
    #expect(bundle.manifest.hasServiceExtension && !bundle.manifest.hasPrograms && !bundle.programs.isEmpty)
    #expect(bundle.notes == [])
    #expect(try !self.bundle("hooks: { background: [bin/fetch] }").manifest.hasServiceExtension)
  }

  @Test("T1: background modes say which types of push the app has; without modes it has all")
  func modes() throws {
    #expect(try bundle("").manifest.pushTypes == nil)
    let updates = try bundle("background-modes: [remote-notification]").manifest
    #expect(updates.receivesBackgroundUpdates && updates.pushTypes == [])
    let some = try bundle("background-modes: [voip, push-to-talk, file-provider, widgets]").manifest
    #expect(!some.receivesBackgroundUpdates)
    #expect(some.pushTypes == [.voip, .pushtotalk, .fileprovider, .widgets])
    #expect(errors("background-modes: [pushtotalk]").count == 1)
  }

  @Test("Programs of the bundle, with ./ too, and of the system", arguments: ["bin/fetch", "./bin/fetch", "/bin/true"])
  func programs(_ word: String) throws {
    #expect(try bundle("hooks: { launch: [\(word)] }").programs == AppPrograms(launch: .command([word])))
  }

  @Test func none() throws {
    let bundle = try bundle("", files: ["bin/fetch"])
    #expect(bundle.programs == AppPrograms())
    #expect(!bundle.manifest.hasPrograms)
    #expect(bundle.notes.count == 1)
  }

  @Test("A service needs none of the bundle's files, and says so of those there are")
  func serviceAlone() throws {
    #expect(try bundle("hooks: { background: { socket: /run/mail.sock } }").notes.count == 1)
  }

  @Test(
    "Mistakes",
    arguments: [
      "hooks: {}":
        "mail/app.yaml:3:8: error: 'hooks' names none of launch, background, notification and service-extension",
      "hooks: { backgrund: [bin/fetch] }":
        "mail/app.yaml:3:10: error: unknown key 'backgrund', did you mean 'background'?",
      "hooks: { background: bin/fetch }":
        "mail/app.yaml:3:22: error: 'background' must be a list of words, as in [bin/fetch, --quiet], or "
        + "{ socket: PATH }; no shell is run",
      "hooks: { background: [] }": "mail/app.yaml:3:22: error: 'background' must have 1 to 32 items, not 0",
      "hooks: { background: [python3, fetch.py] }":
        "mail/app.yaml:3:23: error: item 1 of 'background' must be a file of the bundle, or the absolute path of a "
        + "program; 'python3' is neither",
      "hooks: { launch: { socket: mail.sock } }":
        "mail/app.yaml:3:28: error: 'socket' must be an absolute path, as in /run/mailroom.sock",
      #"hooks: { launch: [/bin/echo, "\0"] }"#:
        "mail/app.yaml:3:30: error: item 2 of 'launch' contains a NUL character",
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
