import FoundationEssentials
import HandsetCore
import Logging
import NATSClient
import Testing

@testable import DeskbellDaemon
@testable import FleetLink
@testable import PushGateway

@Suite struct FleetProvidersTests {
  private let providers: FleetProviders
  private let app: AppID

  init() throws {
    providers = try FleetProviders(logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    app = try #require(AppID("com.example.mailroom"))
  }

  private static let key = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB8TcI8kIiO8uV9D3WhCbkOGZbKNR
    EGivjC5r4XZ+4q3zUg7WG3EeWEL9GYwHHSkAcLejtwMajiZgZpUIkMbdnw==
    -----END PUBLIC KEY-----
    """

  private func token(_ name: String, key: String) throws -> Provider {
    try Provider(
      name: name, topics: [app],
      credential: .token(
        teamID: "A1B2C3D4E5", keyID: key, publicKey: ProviderKey(pem: Self.key), environment: .both))
  }

  private func topic(_ name: String) throws -> Provider {
    try Provider(
      name: name, topics: [app], credential: .topic(KeyedApp(key: AccessKey(AccessKey.random()), handset: nil)))
  }

  private func announce(_ provider: Provider, by desk: String, at sequence: UInt64) throws {
    let message = NATSMessage(
      subject: FleetNames.provider(provider.name, of: desk),
      reply: "$JS.ACK.KV_BELL_PROVIDERS.watch.1.\(sequence).\(sequence).0.0",
      payload: Array(try JSONEncoder().encode(provider)))
    providers.take(try #require(StreamMessage(message)))
  }

  /// What the provider with that key is called at the port.
  private func name(_ key: String) -> String? {
    providers.directory.provider(for: .init(teamID: "A1B2C3D4E5", keyID: key))?.name
  }

  @Test func aProviderMayPushToDesksThatAnnouncedIt() throws {
    try announce(token("shop", key: "F6G7H8J9K0"), by: "kitchen", at: 1)
    providers.complete()
    #expect(providers.allows("shop", app, on: "kitchen"))
    #expect(!providers.allows("shop", app, on: "hall"))
    try announce(token("store", key: "F6G7H8J9K0"), by: "hall", at: 2)
    providers.build()
    #expect(name("F6G7H8J9K0") == "shop")
    #expect(providers.allows("shop", app, on: "hall"))
  }

  /// Two desks' providers of one name are two providers.
  @Test func aNameAtThePortIsOneProviders() throws {
    try announce(token("tests@hall", key: "AAAAAAAAAA"), by: "kitchen", at: 1)
    try announce(token("tests", key: "BBBBBBBBBB"), by: "kitchen", at: 2)
    try announce(token("tests", key: "CCCCCCCCCC"), by: "hall", at: 3)
    providers.complete()
    #expect(["AAAAAAAAAA", "BBBBBBBBBB", "CCCCCCCCCC"].map(name) == ["tests@hall", "tests", "tests@hall@hall"])
    #expect(providers.allows("tests@hall", app, on: "kitchen"))
    #expect(!providers.allows("tests@hall", app, on: "hall"))
    #expect(providers.allows("tests@hall@hall", app, on: "hall"))
  }

  @Test func aKeyThatADeskTakesBackReadsNothingMore() throws {
    let parcels = try topic("parcels")
    guard case .topic(let opens) = parcels.credential else { return }
    let subscriptions = NtfySubscriptions(providers.directory, limits: .standard)
    try announce(parcels, by: "kitchen", at: 1)
    providers.complete()
    let provider = try #require(providers.directory.provider(for: opens.key))
    subscriptions.publish(.init("message", id: "a", time: 0, ["message": .string("secret")]), by: provider)
    #expect(subscriptions.recent(opens.key, since: .all).map(\.text) == ["secret"])
    // The topic's new key.
    try announce(topic("parcels"), by: "kitchen", at: 2)
    providers.build()
    #expect(providers.directory.provider(for: opens.key) == nil)
    #expect(subscriptions.recent(opens.key, since: .all).isEmpty)
  }

  /// A topic's name is no provider's: the key of `shop` at the kitchen is not one of the hall's.
  @Test func aTopicLetsNoProviderOfItsNameIn() throws {
    try announce(token("shop", key: "F6G7H8J9K0"), by: "kitchen", at: 1)
    try announce(topic("shop"), by: "hall", at: 2)
    providers.complete()
    #expect(!providers.allows("shop", app, on: "hall"))
  }

  @Test func aDeskHas256Providers() throws {
    for number in 0..<257 {
      try announce(token("p\(number)", key: String(1_000_000_000 + number)), by: "kitchen", at: UInt64(number + 1))
    }
    try announce(token("other", key: "F6G7H8J9K0"), by: "hall", at: 300)
    providers.complete()
    #expect(name("1000000255") == "p255")
    #expect(name("1000000256") == nil)
    #expect(name("F6G7H8J9K0") == "other")
  }
}
