// The parts of a payload that make it one for a Live Activity.

import HandsetCore
import Testing

@testable import PushPort

@Suite struct APNsActivityTests {
  private func payload(_ aps: String) throws -> (activity: ActivityUpdate?, faults: [String], sound: SoundRequest) {
    let read = try APNsPayload(Array("{\"aps\":\(aps)}".utf8), type: .liveactivity, limits: .standard)
    return (read.activity, read.faults.map { "\($0.path): \($0.problem)" }, read.sound)
  }

  @Test func aStartHasItsAttributesAndItsChannel() throws {
    let read = try payload(
      #"""
      {"timestamp": 1800000000, "event": "start", "content-state": {"a": [1, 2.50, "\u00e9\"\n", null, true]},
       "attributes-type": "Match", "attributes": {"teams": {"home": "A"}}, "stale-date": 1800000060.5,
       "relevance-score": 50, "input-push-channel": "dHN0", "alert": {"title": "Kick-off", "sound": "goal"}}
      """#)
    var expected = ActivityUpdate(
      .start, timestamp: WallTime(seconds: 1_800_000_000), content: #"{"a":[1,2.50,"é\"\u000a",null,true]}"#)
    (expected.attributesType, expected.attributes) = ("Match", #"{"teams":{"home":"A"}}"#)
    (expected.staleDate, expected.relevance) = (WallTime(seconds: 1_800_000_060), 50)
    expected.channel = ChannelID("dHN0")
    #expect(read.activity == expected)
    #expect(read.sound == .named("goal"))
    #expect(read.faults == [])
  }

  @Test func anEndNeedsNoState() throws {
    let read = try payload(#"{"timestamp": 5, "event": "end", "dismissal-date": 6}"#)
    #expect(read.activity?.content == "{}")
    #expect(read.activity?.dismissalDate == WallTime(seconds: 6))
    #expect(read.faults == [])
  }

  @Test(arguments: [
    (#"{"event": "begin"}"#, "aps.event: expected start, update or end, got 'begin'"),
    (#"{"event": "update", "content-state": {}}"#, "aps.timestamp: absent; a Live Activity needs it"),
    (
      #"{"event": "update", "timestamp": "5", "content-state": {}}"#,
      "aps.timestamp: expected seconds since 1970, got '5'"
    ),
    (#"{"event": "update", "timestamp": 5}"#, "aps.content-state: absent; update needs it"),
    (
      #"{"event": "update", "timestamp": 5, "content-state": []}"#,
      "aps.content-state: expected an object, got an array"
    ),
  ])
  func aWrongPartMakesNoActivity(aps: String, fault: String) throws {
    let read = try payload(aps)
    #expect(read.activity == nil)
    #expect(read.faults == [fault])
  }

  @Test func aStartNeedsAnAlertAndAttributes() throws {
    let read = try payload(#"{"event": "start", "timestamp": 5, "content-state": {}}"#)
    #expect(read.activity == nil)
    #expect(
      read.faults == [
        "aps.attributes-type: start needs it as a string", "aps.attributes: start needs an object",
        "aps.alert: absent; start needs it",
      ])
  }

  @Test func aStateHasFourKilobytes() throws {
    func update(_ count: Int) throws -> ActivityUpdate? {
      let text = String(repeating: "x", count: count - #"{"a":""}"#.utf8.count)
      return try payload(#"{"event": "update", "timestamp": 5, "content-state": {"a": "\#(text)"}}"#).activity
    }
    #expect(try update(Policy.activityContentLimit) != nil)
    #expect(try update(Policy.activityContentLimit + 1) == nil)
  }

  @Test func otherTypesOfPushHaveNoActivity() throws {
    let body = #"{"aps": {"event": "update", "timestamp": 5, "content-state": {}, "alert": "A"}}"#
    let read = try APNsPayload(Array(body.utf8), type: .alert, limits: .standard)
    #expect(read.activity == nil)
  }
}
