// The limits of Live Activities, each with one more than it allows.

import Testing

@testable import HandsetCore

@Suite struct LiveActivityLimitTests {
  private let now = Moment(uptime: .seconds(10), wall: WallTime(seconds: 1_800_000_000))

  private func handset(apps: Int) throws -> (handset: Handset, apps: [AppID]) {
    var handset = Handset()
    let ids = try (0..<apps).map { try #require(AppID("app\($0)")) }
    for (place, id) in ids.enumerated() {
      let token = try #require(DeviceToken(bytes: [UInt8(place)]))
      _ = handset.handle(.install(AppManifest(id: id, name: "App"), token: token), at: now)
      _ = handset.handle(.register(id, .all, token: token), at: now)
    }
    return (handset, ids)
  }

  private func start(_ content: String = "{}") -> ActivityUpdate {
    ActivityUpdate(.start, timestamp: now.wall, content: content)
  }

  @Test func anAppHasFiveAndAllHaveFifty() throws {
    var (handset, apps) = try handset(apps: 11)
    for id in apps.prefix(10) {
      for _ in 0..<Policy.activityLimitPerApp {
        #expect(handset.handle(.changeActivity(id, nil, start()), at: now).verdict == .accepted)
      }
      #expect(
        handset.handle(.changeActivity(id, nil, start()), at: now).verdict == .refused(.tooManyActivities(id)))
    }
    #expect(handset.liveActivities.count == Policy.activityLimit)
    #expect(
      handset.handle(.changeActivity(apps[10], nil, start()), at: now).verdict == .refused(.tooManyActivities(apps[10]))
    )
  }

  @Test func aStateHasFourKilobytes() throws {
    var (handset, apps) = try handset(apps: 1)
    func verdict(_ count: Int) -> Verdict {
      let text = String(repeating: "x", count: count - #"{"a":""}"#.utf8.count)
      return handset.handle(.changeActivity(apps[0], nil, start("{\"a\":\"\(text)\"}")), at: now).verdict
    }
    #expect(verdict(Policy.activityContentLimit) == .accepted)
    #expect(verdict(Policy.activityContentLimit + 1) == .refused(.badActivity))
  }

  @Test func aChannelHasSixtyFourDigits() {
    #expect(ChannelID(String(repeating: "A", count: Policy.channelIDLimit)) != nil)
    #expect(ChannelID(String(repeating: "A", count: Policy.channelIDLimit + 1)) == nil)
    #expect(ChannelID("") == nil)
    #expect(ChannelID("a b") == nil)
  }

  @Test func purposesReadBack() {
    for purpose in [TokenPurpose.pushToStart, .activity(ActivityID(41)), .widgets, .controls] {
      #expect(TokenPurpose(coded: purpose.coded) == purpose)
    }
    #expect(TokenPurpose(coded: "activity:") == nil)
    #expect(TokenPurpose(coded: "activity:x") == nil)
  }

  @Test(arguments: [
    (#"{"a":1}"#, "a", "1"), (#"{ "b" : {"a":"x,y}"}, "a" : "2\"" }"#, "a", "2\""),
    (#"{"a":{"b":-1.5e3}}"#, "a.b", "-1.5e3"),
    (#"{"a":[{"b":1}],"b":true}"#, "b", "true"), (#"{"a":null}"#, "a", nil), (#"{"a":{}}"#, "a", nil),
    (#"{"a":1}"#, "a.b", nil), (#"{}"#, "a", nil), (#"{"a""#, "a", nil), ("", "a", nil), (#"{"a":"\u00e9"}"#, "a", "?"),
  ])
  func aValueIsFoundByItsPath(json: String, path: String, expected: String?) {
    #expect(JSONText.value(at: path, in: json) == expected)
  }
}
