// The daemon's side of the control API: events that cannot be read, and the providers of test pushes.

import Clocks
import Crypto
import FoundationEssentials
import HandsetStore
import ServerIdentity
import Testing

@testable import ControlAPI
@testable import DeskbellDaemon
@testable import HandsetCore
@testable import Host
@testable import PushPort

private struct ControlRig {
  let folder: String
  let events = EventStreamSink()
  let host: TestHost
  let directory: ProviderDirectory
  let providers: ProvidersControl
  static let app = AppID("com.example.mail")!
  static let other = AppID("com.example.news")!

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "control-\(UUID())").path
    host = try TestHost(store: HandsetStore(directory: folder), sinks: [events])
    directory = try ProviderDirectory()
    providers = ProvidersControl(host: host.host, directory: directory, testProvider: try TestProvider())
  }

  var access: HandsetAccess {
    HandsetAccess(host: host.host, queue: host.queue, identity: HandsetIdentity(.first, name: "1", device: .random()))
  }

  func tearDown() async {
    await host.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var testKey: ProviderDirectory.KeyName {
    ProviderDirectory.KeyName(teamID: TestProvider.teamID, keyID: providers.testProvider.keyID)
  }
}

@Suite(.timeLimit(.minutes(10))) struct ControlTests {
  private func withRig(_ body: (ControlRig) async throws -> Void) async throws {
    let rig = try ControlRig()
    do {
      try await body(rig)
    } catch {
      await rig.tearDown()
      throw error
    }
    await rig.tearDown()
  }

  @Test("Events that cannot be read end the stream with the reason, and not as if the daemon stopped")
  func unreadableEvents() async throws {
    try await withRig { rig in
      let manifest = AppManifest(id: ControlRig.app, name: "Mail")
      _ = try await rig.access.submit(.install(manifest, token: .random()))
      let stream = try await EventsControl(access: rig.access, stream: rig.events).events(after: 0, follow: true)
      var events = stream.makeAsyncIterator()
      let first = try #require(try await events.next())
      #expect(first.contains(#""event":"installed""#))
      runSQL(in: rig.folder, "DROP TABLE event")
      // Signals that there are more, without storing any.
      var turn = Turn(at: TimeRig.start)
      turn.events = [Event(sequence: 2, moment: TimeRig.start, app: nil, push: nil, kind: .installed)]
      rig.events.publish(CommittedBatch(turns: [HandsetTurn(handset: .first, turn: turn)], presentations: [:]))
      do {
        _ = try await events.next()
        Issue.record("the stream went on")
      } catch let error as ControlError {
        #expect(error.status == 503)
        #expect(error.message.hasPrefix("the events after number 1 cannot be read: "))
        #expect(error.hint == "continue with 'deskbell events --since 1' once the disk works again")
      }
    }
  }

  @Test("The provider of test pushes is known to the port and stored nowhere")
  func testProviderInMemory() async throws {
    try await withRig { rig in
      #expect(rig.directory.providers(for: rig.testKey).first == nil)
      try await rig.providers.allowTestPushes(to: ControlRig.app)
      try await rig.providers.allowTestPushes(to: ControlRig.other)
      #expect(rig.directory.providers(for: rig.testKey).first?.topics == [ControlRig.app, ControlRig.other])
      try await rig.providers.allowTestPublishing(to: ControlRig.app)
      #expect(rig.directory.user(ControlRig.app)?.provider.name == "panel-2008")
      #expect(rig.directory.user(ControlRig.other) == nil)
      #expect(try await rig.providers.providers().isEmpty)
      #expect(await rig.host.write { store in try? store.providers(Provider.self).providers } == [])
    }
  }

  @Test("A change of the stored providers leaves the one of test pushes, and the other way round")
  func storedAndOwnTogether() async throws {
    try await withRig { rig in
      try await rig.providers.allowTestPushes(to: ControlRig.app)
      let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
      _ = try await rig.providers.setProvider(
        "shop", ProviderRequest(apps: ["com.example.mail"], teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0", key: key))
      let shop = ProviderDirectory.KeyName(teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0")
      #expect(rig.directory.providers(for: rig.testKey).first != nil)
      #expect(rig.directory.providers(for: shop).first?.name == "shop")
      try await rig.providers.allowTestPushes(to: ControlRig.other)
      #expect(rig.directory.providers(for: shop).first?.name == "shop")
      try await rig.providers.removeProvider("shop")
      #expect(rig.directory.providers(for: shop).first == nil)
      #expect(rig.directory.providers(for: rig.testKey).first?.topics == [ControlRig.app, ControlRig.other])
    }
  }

  @Test("Many test pushes and changes at once lose none of them")
  func atOnce() async throws {
    try await withRig { rig in
      let apps = (100..<120).compactMap { AppID("com.example.a\($0)") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for app in apps {
          group.addTask { try await rig.providers.allowTestPushes(to: app) }
          group.addTask {
            let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
            let keyID = "KEY0000" + app.text.suffix(3)
            _ = try await rig.providers.setProvider(
              app.text, ProviderRequest(apps: [app.text], teamID: "A1B2C3D4E5", keyID: keyID, key: key))
          }
        }
        try await group.waitForAll()
      }
      #expect(rig.directory.providers(for: rig.testKey).first?.topics == Set(apps))
      #expect(try await rig.providers.providers().count == 20)
    }
  }

  @Test("A person's provider has an app's password before the one of test pushes")
  func passwords() async throws {
    try await withRig { rig in
      try await rig.providers.allowTestPublishing(to: ControlRig.app)
      let old = ProviderRequest(apps: ["com.example.mail"], password: "correct horse")
      _ = try await rig.providers.setProvider("old", old)
      #expect(rig.directory.user(ControlRig.app)?.provider.name == "old")
      await #expect(
        throws: ControlError(
          409, "provider 'old' has the 2008 service's password for com.example.mail", hint: "give that password")
      ) { try await rig.providers.allowTestPublishing(to: ControlRig.app) }
      try await rig.providers.removeProvider("old")
      #expect(rig.directory.user(ControlRig.app) == nil)
      try await rig.providers.allowTestPublishing(to: ControlRig.app)
      #expect(rig.directory.user(ControlRig.app)?.provider.name == "panel-2008")
    }
  }

  @Test("The daemon's own uptime, whatever the handset's clock shows")
  func uptime() async throws {
    try await withRig { rig in
      let started = SystemClock().now().uptime - .seconds(90)
      let status = DaemonStatus(
        devices: DeviceTable(), pushAddress: "*:2197", httpAddress: "*:2199", started: started, panel: nil,
        settingsFile: "/etc/desk.yaml", stateDirectory: "/srv/desk", providers: { [] })
      let state = try await StateControl(access: rig.access, daemon: status, board: nil).state()
      #expect((90_000_000...120_000_000).contains(state.daemonUptimeMicroseconds))
      #expect(state.name == "1")
      #expect(state.httpAddress == "*:2199")
      #expect(state.settingsFile == "/etc/desk.yaml" && state.stateDirectory == "/srv/desk")
      #expect(!state.isOnBoard)
      #expect(state.presentation.digits == nil)
    }
  }
}
