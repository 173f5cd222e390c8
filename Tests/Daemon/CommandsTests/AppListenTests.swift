import AppLink
import Foundation
import Synchronization
import Testing

@testable import CommandSupport
@testable import Commands
@testable import HandsetCore

@Suite(.timeLimit(.minutes(10))) struct AppListenTests {
  private static let mail = AppID("com.example.mail")!

  @Test("The socket is the named one, else the environment's, else the one beside the control socket")
  func socket() throws {
    func path(_ named: String?, _ environment: [String: String], control: String = "/run/x/control.sock") throws
      -> String
    {
      try AppListening.socket(named: named, environment: Environment(environment)) { () throws(Failure) in control }
    }
    #expect(try path("/n", ["DESKBELL_APPS_SOCKET": "/e"]) == "/n")
    #expect(try path(nil, ["DESKBELL_APPS_SOCKET": "/e"]) == "/e")
    #expect(try path(nil, [:]) == "/run/x/apps.sock")
    #expect(try path(nil, [:], control: "control.sock") == "apps.sock")
    // Two daemons may have their control sockets in one folder.
    #expect(try path(nil, [:], control: "/run/x/desk.sock") == "/run/x/desk-apps.sock")
    #expect(try path(nil, [:], control: "/run/x/desk") == "/run/x/desk-apps.sock")
    #expect(throws: Failure.noDaemon("none")) {
      try AppListening.socket(named: nil, environment: Environment([:])) { () throws(Failure) in
        throw .noDaemon("none")
      }
    }
  }

  @Test func parsing() throws {
    let plain = try AppCommand.Listen.parse(["com.example.mail"])
    #expect(plain.app == Self.mail && !plain.foreground && plain.result == .newData && plain.appsSocket == nil)
    let full = try AppCommand.Listen.parse(
      ["com.example.mail", "--foreground", "--result", "noData", "--apps-socket", "/a.sock"])
    #expect(full.foreground && full.result == .noData && full.appsSocket == "/a.sock")
    #expect(throws: (any Error).self) { try AppCommand.Listen.parse(["com.example.mail", "--result", "nodata"]) }
    #expect(throws: (any Error).self) { try AppListening.app("-") }
    #expect(throws: (any Error).self) { try AppCommand.Listen.parse(["-mail"]) }
    #expect(throws: (any Error).self) { try AppCommand.Listen.parse([]) }
  }

  @Test("It prints and completes its pushes, comes to the foreground when opened, and ends when stopped")
  func listens() async throws {
    let place = try Folder()
    let folder = place.path
    let app = Self.mail
    let push = PushID(high: 0, low: 1)
    let events = ScriptedEvents()
    let handsets = HandsetNames([.first: "1", HandsetID(2): "two"], board: .first)
    let link = try AppLink(socket: "\(folder)/apps.sock", handsets: handsets) { _ in }
    try link.start(emit: events.handle)
    let address = AppAddress(app, on: HandsetID(2))
    link.install(address, programs: AppPrograms())
    // Each event triggers the next step.
    events.steps.withLock { steps in
      steps = [
        .listening(app, .background): {
          link.deliver(
            Delivery(app: app, push: push, state: .background, attempt: 1), payload: Array("{}".utf8),
            on: address.handset)
        },
        .completed(app, push, .noData): { link.launch(address) },
        .listening(app, .foreground): { link.stop(address) },
      ]
    }
    let lines = Mutex<[String]>([])
    try await Task.detached {
      try AppListening.listen(
        at: "\(folder)/apps.sock", app: app, handset: "two", state: .background, result: .noData
      ) { line in
        lines.withLock { $0.append(line) }
      }
    }.value
    #expect(
      lines.withLock { $0 } == [
        #"{"push":"\#(push)","attempt":1,"state":"background","handset":"two","payload":{}}"#,
        #"{"state":"foreground"}"#,
      ])
    // The app is not known any more.
    link.uninstall(address)
    #expect(
      throws: Failure(
        "the daemon closed the app's connection: no app 'com.example.mail' is installed: deskbell app list shows those "
          + "that are")
    ) {
      try AppListening.listen(at: "\(folder)/apps.sock", app: app, state: .background, result: .noData) { _ in }
    }
    await link.shutDown()
    // The steps retain the link, which retains the events.
    events.steps.withLock { $0 = [:] }
    #expect(throws: Failure.noDaemon("no daemon listens for apps at \(folder)/apps.sock: No such file or directory")) {
      try AppListening.listen(at: "\(folder)/apps.sock", app: app, state: .background, result: .noData) { _ in }
    }
  }
}

private final class ScriptedEvents: Sendable {
  let steps = Mutex<[Input: @Sendable () -> Void]>([:])

  func handle(_ input: Input, of app: AppAddress) { steps.withLock { $0[input] }?() }
}
