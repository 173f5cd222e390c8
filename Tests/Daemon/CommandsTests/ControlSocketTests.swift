import Foundation
import Testing
import UnixSockets

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon
@testable import Installation

@Suite struct ControlSocketTests {
  private let folder = try! Folder()

  @Test func looksWhereADaemonPutsIt() {
    #expect(
      ControlSocket.places(Environment(["HOME": "/h"]))
        == [
          "/run/deskbell/control.sock", "/var/lib/deskbell/control.sock", "/h/.local/state/deskbell/control.sock",
        ])
    #expect(
      ControlSocket.places(Environment(["HOME": "/h", "XDG_STATE_HOME": "/x", "DESKBELL_STATE": "/s"]))
        == [
          "/run/deskbell/control.sock", "/s/control.sock", "/var/lib/deskbell/control.sock",
          "/x/deskbell/control.sock",
        ])
  }

  @Test func whatIsNamedGoesFirst() throws {
    let environment = Environment(["DESKBELL_CONTROL": "/e.sock"])
    #expect(try ControlSocket.path(named: "/n.sock", environment: environment) == "/n.sock")
    #expect(try ControlSocket.path(named: nil, environment: environment) == "/e.sock")
  }

  @Test func tellsADaemonFromItsRemains() throws {
    let path = folder.path + "/s"
    #expect(ControlSocket.state(of: path) == .absent)
    #expect(ControlSocket.state(of: path + "/below") == .absent)
    #expect(ControlSocket.state(of: "/" + String(repeating: "x", count: 200)) == .absent)
    let listener = try ListeningUnixSocket(path: path, mode: 0o600, backlog: 1)
    #expect(ControlSocket.state(of: path) == .answers)
    close(listener.descriptor)
    #expect(ControlSocket.state(of: path) == .deserted)
  }

  @Test("A socket that can be connected to is preferred, then one without permission, then one left behind")
  func choice() {
    let states: [String: ControlSocket.State] = [
      "/run": .forbidden, "/var": .deserted, "/home": .answers, "/other": .answers,
    ]
    func choice(_ places: String...) -> String? {
      ControlSocket.choice(among: places) { states[$0] ?? .absent }
    }
    #expect(choice("/run", "/var", "/home", "/other") == "/home")
    #expect(choice("/none", "/var", "/run") == "/run")
    #expect(choice("/none", "/var") == "/var")
    #expect(choice("/none") == nil)
  }

  @Test("Without permission, the advice is the one command that gives it")
  func permission() {
    let advice = { (group: String?, isMember: Bool) in
      Membership.advice(group: group, user: "pi") { _, _ in isMember }
    }
    #expect(
      advice("deskbell", false)
        == "join its group, and log in again: sudo usermod --append --groups deskbell pi")
    #expect(advice("deskbell", true) == "pi is in the group deskbell since this login: log in again")
    #expect(advice(nil, false).hasPrefix("run this as root, or start a daemon of your own: deskbell serve"))
  }

  @Test("The failure names the daemon behind the socket")
  func holder() throws {
    let listener = try ListeningUnixSocket(path: folder.path + "/s", mode: 0o600, backlog: 1)
    let failure = Failure.noPermission(folder.path + "/s")
    #expect(failure.message.hasPrefix("no permission to use \(folder.path)/s of "))
    #expect(failure.message.contains("process \(getpid()), user "))
    listener.close()
  }

  @Test("An example is installed by its name, with or without examples/ before it; an existing folder has priority")
  func examples() throws {
    let mailroom = try #require(SharedFiles.folder("examples/mailroom"))
    #expect(try BundleFolder.meant("mailroom") == mailroom)
    #expect(try BundleFolder.meant("examples/mailroom").hasSuffix("examples/mailroom"))
    #expect(try BundleFolder.meant(folder.path) == folder.path)
    #expect(ShippedExample.names == ["mailroom"])
    #expect(throws: Failure("'mailrom': no such folder and no shipped example", hint: "did you mean 'mailroom'?")) {
      try BundleFolder.meant("mailrom")
    }
    #expect(throws: Failure.self) { try BundleFolder.meant("../examples/mailroom/sounds/none") }
  }

  @Test func readsABundleFolder() throws {
    try folder.write("app.yaml", "id: com.example.mail\nname: Mail\n")
    try folder.write("sounds/letter.wav", "RIFF")
    try folder.write(".git/config", "hidden")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "/etc/passwd")
    let bundle = try BundleFolder.read(folder.path)
    #expect(
      bundle.files.mapValues { String(decoding: $0, as: UTF8.self) } == [
        "app.yaml": "id: com.example.mail\nname: Mail\n", "sounds/letter.wav": "RIFF",
      ])
    #expect(bundle.declaredApp?.text == "com.example.mail")
    #expect(throws: Failure("\(folder.path)/app.yaml is no folder", hint: "give the folder that has app.yaml in it")) {
      try BundleFolder.read(folder.path + "/app.yaml")
    }
    #expect(throws: Failure.self) { try BundleFolder.read(folder.path + "/missing") }
  }

  @Test func takesSoManyFilesAndNoMore() throws {
    for number in 0..<BundleFolder.files { try folder.write("f\(number)", "") }
    #expect(try BundleFolder.read(folder.path).files.count == 1_000)
    try folder.write("one-more", "")
    #expect(
      throws: Failure("\(folder.path) has more than 1000 files", hint: "is it an app's bundle folder?")
    ) { try BundleFolder.read(folder.path) }
  }

  /// Sparse files: none of that size is written.
  @Test func takesSoManyBytesAndNoMore() throws {
    try folder.write("big", "")
    #expect(truncate(folder.path + "/big", BundleFolder.bytes + 1) == 0)
    #expect(
      throws: Failure(
        "the bundle's files are larger than \(BundleFolder.bytes) bytes together", hint: "shorten its sounds")
    ) { try BundleFolder.read(folder.path) }
    // The allowed bytes are within the request's limit when encoded in Base64.
    #expect((BundleFolder.bytes + 2) / 3 * 4 < ControlLimits.bundleBodyBytes)
  }
}
