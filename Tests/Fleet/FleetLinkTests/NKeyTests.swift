import Testing

@testable import FleetLink

@Suite("NATS' keys")
struct NKeyTests {
  /// An example of NATS' documentation, made by its own tool.
  private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
  private static let publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

  @Test func aKnownSeedHasTheKnownPublicKey() throws {
    let key = try #require(NKey(seed: Self.seed))
    #expect(key.publicKey == Self.publicKey)
    #expect(key.seed == Self.seed)
    #expect(NKey(seed: Self.seed + "\n")?.publicKey == Self.publicKey)
  }

  @Test func aNewOneIsAUsersAndReadsBack() throws {
    let key = NKey()
    #expect(key.seed.count == 58)
    #expect(key.seed.hasPrefix("SU"))
    #expect(key.publicKey.count == 56)
    #expect(key.publicKey.hasPrefix("U"))
    #expect(try #require(NKey(seed: key.seed)).publicKey == key.publicKey)
    #expect(NKey().seed != key.seed)
  }

  @Test func whatIsNoUsersSeedIsRefused() {
    for text in [
      "", "SU", Self.publicKey, String(Self.seed.dropLast()), Self.seed.lowercased(),
      Self.seed + "A",
      // One letter changed, so that the checksum is wrong.
      "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VA",
      "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYDU3VY",
    ] {
      #expect(NKey(seed: text) == nil, "\(text)")
    }
  }
}
