import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct ChannelTests {
  private let place = Place()
  private let match = AppID("com.example.match")!
  private let taxi = AppID("com.example.taxi")!

  private func channel(_ app: AppID, _ id: String, policy: Int = 0) -> StoredChannel {
    StoredChannel(app: app, id: ChannelID(id)!, policy: policy, made: WallTime(microseconds: 1_795_248_000_000_001))
  }

  @Test func `Channels are added, removed and listed by app, each environment's for itself`() throws {
    let all = [channel(match, "AA=="), channel(match, "zz==", policy: 1), channel(taxi, "AA==")]
    do {
      let store = try HandsetStore(directory: place.path)
      for channel in all.reversed() { try store.addChannel(channel, environment: "production") }
      try store.addChannel(channel(match, "AA==", policy: 1), environment: "development")
    }
    let store = try HandsetStore(directory: place.path)
    #expect(try store.channels(environment: "production").channels == all)
    #expect(try store.channels(environment: "development").channels == [channel(match, "AA==", policy: 1)])
    try store.removeChannel(all[0].id, of: match, environment: "production")
    try store.removeChannel(all[0].id, of: match, environment: "production")
    #expect(try store.channels(environment: "production").channels == Array(all[1...]))
    try store.removeChannels(environment: "production")
    #expect(try store.channels(environment: "production").channels == [])
    #expect(try store.channels(environment: "development").channels.count == 1)
  }

  @Test func `An identifier is given once`() throws {
    let store = try HandsetStore(directory: place.path)
    try store.addChannel(channel(match, "AA=="), environment: "production")
    #expect(throws: StoreError.self) {
      try store.addChannel(channel(match, "AA==", policy: 1), environment: "production")
    }
    #expect(try store.channels(environment: "production").channels == [channel(match, "AA==")])
  }

  @Test func `A channel that cannot be read is left out`() throws {
    let store = try HandsetStore(directory: place.path)
    for id in ["AA==", "BB==", "CC=="] { try store.addChannel(channel(match, id), environment: "production") }
    try sql(
      place.path,
      """
      UPDATE channel SET policy = 2 WHERE channel = 'AA==';
      UPDATE channel SET channel = 'b b' WHERE channel = 'BB==';
      """)
    let (channels, damage) = try store.channels(environment: "production")
    #expect(channels == [channel(match, "CC==")])
    #expect(damage.map(\.table) == ["channel", "channel"])
  }
}
