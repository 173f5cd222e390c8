// The provider of the panel's test pushes: known to the port, stored nowhere.

import Crypto
import HandsetCore
import HandsetStore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import PushPort

@Suite(.timeLimit(.minutes(10))) struct TestProviderTests {
  private static let app = AppID("com.example.mail")!
  private static let other = AppID("com.example.news")!

  private func testKey(of rig: ControlRig) -> ProviderDirectory.KeyName {
    ProviderDirectory.KeyName(teamID: TestProvider.teamID, keyID: rig.providers.testProvider.keyID)
  }

  @Test("The provider of test pushes is known to the port and stored nowhere", .daemon)
  func testProviderInMemory() async throws {
    #expect(rig.directory.providers(for: testKey(of: rig)).first == nil)
    try await rig.providers.allowTestPushes(to: Self.app)
    try await rig.providers.allowTestPushes(to: Self.other)
    #expect(rig.directory.providers(for: testKey(of: rig)).first?.topics == [Self.app, Self.other])
    try await rig.providers.allowTestPublishing(to: Self.app)
    #expect(rig.directory.user(Self.app)?.provider.name == "panel-2008")
    #expect(rig.directory.user(Self.other) == nil)
    #expect(try await rig.providers.stored().isEmpty)
    #expect(await rig.host.write { store in try? store.providers(Provider.self).providers } == [])
  }

  @Test("A change of the stored providers leaves the one of test pushes, and the other way round", .daemon)
  func storedAndOwnTogether() async throws {
    try await rig.providers.allowTestPushes(to: Self.app)
    let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
    _ = try await rig.providers.setProvider(
      "shop", ProviderRequest(apps: ["com.example.mail"], teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0", key: key))
    let shop = ProviderDirectory.KeyName(teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0")
    #expect(rig.directory.providers(for: testKey(of: rig)).first != nil)
    #expect(rig.directory.providers(for: shop).first?.name == "shop")
    try await rig.providers.allowTestPushes(to: Self.other)
    #expect(rig.directory.providers(for: shop).first?.name == "shop")
    try await rig.providers.removeProvider("shop")
    #expect(rig.directory.providers(for: shop).first == nil)
    #expect(rig.directory.providers(for: testKey(of: rig)).first?.topics == [Self.app, Self.other])
  }

  @Test("Many test pushes and changes at once lose none of them", .daemon)
  func atOnce() async throws {
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
    #expect(rig.directory.providers(for: testKey(of: rig)).first?.topics == Set(apps))
    #expect(try await rig.providers.stored().count == 20)
  }

  @Test("A person's provider has an app's password before the one of test pushes", .daemon)
  func passwords() async throws {
    try await rig.providers.allowTestPublishing(to: Self.app)
    let old = ProviderRequest(apps: ["com.example.mail"], password: "correct horse")
    _ = try await rig.providers.setProvider("old", old)
    #expect(rig.directory.user(Self.app)?.provider.name == "old")
    await #expect(
      throws: ControlError(
        409, "provider 'old' has the 2008 service's password for com.example.mail", hint: "give that password")
    ) { try await rig.providers.allowTestPublishing(to: Self.app) }
    try await rig.providers.removeProvider("old")
    #expect(rig.directory.user(Self.app) == nil)
    try await rig.providers.allowTestPublishing(to: Self.app)
    #expect(rig.directory.user(Self.app)?.provider.name == "panel-2008")
  }
}
