import Crypto
import FoundationEssentials
import HandsetCore
import Logging
import NATSClient
import Testing

@testable import FleetGateway
@testable import FleetLink
@testable import PushPort

@Suite struct FleetProvidersTests {
  private let providers: FleetProviders
  private let app: AppID

  init() throws {
    providers = try FleetProviders(
      environment: .production, logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    app = try #require(AppID("com.example.mailroom"))
  }

  private static let key = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB8TcI8kIiO8uV9D3WhCbkOGZbKNR
    EGivjC5r4XZ+4q3zUg7WG3EeWEL9GYwHHSkAcLejtwMajiZgZpUIkMbdnw==
    -----END PUBLIC KEY-----
    """

  private func token(
    _ name: String, key: String, publicKey: String = Self.key, environment: CredentialEnvironment = .both
  ) throws -> Provider {
    try Provider(
      name: name, topics: [app],
      credential: .token(
        teamID: "A1B2C3D4E5", keyID: key, publicKey: ProviderKey(pem: publicKey), environment: environment))
  }

  private static let otherKey = P256.Signing.PrivateKey().publicKey.pemRepresentation

  private func topic(_ name: String) throws -> Provider {
    try Provider(
      name: name, topics: [app], credential: .topic(KeyedApp(key: AccessKey(AccessKey.random()), handset: nil)))
  }

  private func claim(_ key: AccessKey, by desk: String, at sequence: UInt64, deleted: Bool = false) throws {
    let message = NATSMessage(
      subject: FleetNames.claim(ofAccessKey: TokenKey(digest: key.digest), by: desk),
      reply: "$JS.ACK.KV_BELL_PROVIDERS.watch.1.\(sequence).\(sequence).0.0",
      fields: deleted ? ["KV-Operation": "DEL"] : [:], payload: Array("{}".utf8))
    providers.take(try #require(StreamMessage(message)))
  }

  private func announce(_ provider: Provider, by desk: String, at sequence: UInt64) throws {
    let message = NATSMessage(
      subject: FleetNames.provider(provider.name, of: desk),
      reply: "$JS.ACK.KV_BELL_PROVIDERS.watch.1.\(sequence).\(sequence).0.0",
      payload: Array(try JSONEncoder().encode(provider)))
    providers.take(try #require(StreamMessage(message)))
  }

  private func remove(_ name: String, of desk: String, at sequence: UInt64) throws {
    let message = NATSMessage(
      subject: FleetNames.provider(name, of: desk),
      reply: "$JS.ACK.KV_BELL_PROVIDERS.watch.1.\(sequence).\(sequence).0.0", fields: ["KV-Operation": "DEL"],
      payload: [])
    providers.take(try #require(StreamMessage(message)))
  }

  /// Returns the name at the port of the provider with that key.
  private func name(_ key: String) -> String? {
    providers.directory.providers(for: .init(teamID: "A1B2C3D4E5", keyID: key)).first?.name
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

  /// A request whose credential was accepted before the removal must not be told that its token is bad: providers delete
  /// such a token.
  @Test func aProviderIsKnownUntilItsLastDeskRemovesIt() throws {
    try announce(token("shop", key: "F6G7H8J9K0"), by: "kitchen", at: 1)
    try announce(token("shop", key: "F6G7H8J9K0"), by: "hall", at: 2)
    #expect(!providers.knows("shop"))
    providers.complete()
    #expect(providers.knows("shop"))
    try remove("shop", of: "kitchen", at: 3)
    providers.build()
    #expect(providers.knows("shop"))
    #expect(!providers.allows("shop", app, on: "kitchen"))
    try remove("shop", of: "hall", at: 4)
    providers.build()
    #expect(!providers.knows("shop"))
    #expect(!providers.knows(nil))
  }

  /// Two desks' providers with one name are two providers.
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
    #expect(subscriptions.recent(opens.key, since: .all, NtfyFilter()).map(\.id) == ["a"])
    // The topic has a new key.
    try announce(topic("parcels"), by: "kitchen", at: 2)
    providers.build()
    #expect(providers.directory.provider(for: opens.key) == nil)
    #expect(subscriptions.recent(opens.key, since: .all, NtfyFilter()).isEmpty)
  }

  /// A topic's name does not count as a provider's: the key of `shop` at the kitchen is not one of the hall's.
  @Test func aTopicLetsNoProviderOfItsNameIn() throws {
    try announce(token("shop", key: "F6G7H8J9K0"), by: "kitchen", at: 1)
    try announce(topic("shop"), by: "hall", at: 2)
    providers.complete()
    #expect(!providers.allows("shop", app, on: "hall"))
  }

  /// A desk that announces another key under a provider's identifier, before or after, causes no refusals.
  @Test(arguments: [[1, 2], [2, 1]])
  func keysOfOneIdentifierAreProvidersOfTheirOwn(order: [Int]) throws {
    let (honest, forged) = (order[0], order[1])
    let parts: [(Int, String, String)] = [(honest, "kitchen", Self.key), (forged, "hall", Self.otherKey)]
    for (sequence, desk, key) in parts.sorted(by: { $0.0 < $1.0 }) {
      try announce(token("shop", key: "F6G7H8J9K0", publicKey: key), by: desk, at: UInt64(sequence))
    }
    providers.complete()
    let found = providers.directory.providers(for: .init(teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0"))
    for (_, desk, key) in parts {
      let provider = try #require(
        found.first { provider in
          if case .token(_, _, let known, _) = provider.credential {
            (try? ProviderKey(pem: key)) == known
          } else {
            false
          }
        })
      for other in ["kitchen", "hall"] {
        #expect(providers.allows(provider.name, app, on: other) == (other == desk))
      }
    }
  }

  /// Requests that were accepted under a name are in progress while another desk's provider with that name is added.
  @Test func aProviderKeepsItsName() throws {
    try announce(token("shop", key: "BBBBBBBBBB"), by: "kitchen", at: 2)
    providers.complete()
    try announce(token("shop", key: "AAAAAAAAAA"), by: "hall", at: 1)
    providers.build()
    #expect(["AAAAAAAAAA", "BBBBBBBBBB"].map(name) == ["shop@hall", "shop"])
    #expect(providers.allows("shop", app, on: "kitchen"))
  }

  /// One desk may have a provider's key for development only.
  @Test func theOtherEnvironmentsWordForAKeyDoesNotCount() throws {
    try announce(token("shop", key: "F6G7H8J9K0", environment: .development), by: "hall", at: 1)
    try announce(token("shop", key: "F6G7H8J9K0"), by: "kitchen", at: 2)
    providers.complete()
    let found = providers.directory.providers(for: .init(teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0"))
    #expect(found.map { $0.covers(.production) } == [true])
    #expect(providers.allows("shop", app, on: "kitchen"))
    #expect(!providers.allows("shop", app, on: "hall"))
  }

  @Test func aDeskHasOneKeyOfAnIdentifier() throws {
    try announce(token("one", key: "F6G7H8J9K0"), by: "hall", at: 1)
    try announce(token("two", key: "F6G7H8J9K0", publicKey: Self.otherKey), by: "hall", at: 2)
    providers.complete()
    #expect(
      providers.directory.providers(for: .init(teamID: "A1B2C3D4E5", keyID: "F6G7H8J9K0")).map(\.name) == ["one"])
  }

  private func handset(of key: AccessKey) -> String? { providers.directory.provider(for: key)?.handset }

  @Test func anAccessKeyIsTheDesksThatClaimedItFirst() throws {
    let key = AccessKey(AccessKey.random())
    let topic = try Provider(name: "parcels", topics: [app], credential: .topic(KeyedApp(key: key, handset: "1")))
    try claim(key, by: "kitchen", at: 1)
    try claim(key, by: "hall", at: 2)
    try announce(topic, by: "hall", at: 3)
    try announce(topic, by: "kitchen", at: 4)
    providers.complete()
    #expect(handset(of: key) == "kitchen/1")
    try claim(key, by: "kitchen", at: 5, deleted: true)
    try announce(topic, by: "hall", at: 6)
    providers.build()
    #expect(handset(of: key) == "kitchen/1")
  }

  @Test func anAccessKeyThatNobodyHasClaimedIsTheFirstOnes() throws {
    let key = AccessKey(AccessKey.random())
    let topic = try Provider(name: "parcels", topics: [app], credential: .topic(KeyedApp(key: key, handset: "1")))
    try announce(topic, by: "hall", at: 1)
    try announce(topic, by: "kitchen", at: 2)
    providers.complete()
    #expect(handset(of: key) == "hall/1")
    try claim(key, by: "kitchen", at: 3)
    providers.build()
    #expect(handset(of: key) == "kitchen/1")
  }

  @Test func aDeskHas10_000ClaimsOfAccessKeys() throws {
    let last = AccessKey("last")
    for number in 0..<10_000 { try claim(AccessKey("\(number)"), by: "hall", at: UInt64(number + 1)) }
    try claim(last, by: "hall", at: 10_001)
    try claim(last, by: "kitchen", at: 10_002)
    let topic = try Provider(name: "parcels", topics: [app], credential: .topic(KeyedApp(key: last, handset: "1")))
    try announce(topic, by: "hall", at: 10_003)
    try announce(topic, by: "kitchen", at: 10_004)
    providers.complete()
    #expect(handset(of: last) == "kitchen/1")
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
