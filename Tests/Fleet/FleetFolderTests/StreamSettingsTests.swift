import FleetLink
import Foundation
import Testing

@testable import FleetFolder

@Suite("Settings of streams and consumers")
struct StreamSettingsTests {
  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JetStream.encoder
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func thePushesAreKeptForThirtyDays() throws {
    let all = StreamSettings.all(replicas: 3)
    #expect(
      all.map(\.name) == [
        "BELL_PUSH", "KV_BELL_TOKENS", "KV_BELL_PROVIDERS", "KV_BELL_CHANNELS", "BELL_EVENTS", "BELL_CLEAR",
      ])
    #expect(all[3].maxMsgs == 1_000_000 && all[3].subjects == ["$KV.BELL_CHANNELS.>"])
    #expect(
      try Self.json(all[0])
        == #"{"allow_direct":false,"allow_rollup_hdrs":false,"deny_delete":false,"deny_purge":false,"discard":"old","#
        + #""duplicate_window":3600000000000,"max_age":2592000000000000,"max_bytes":-1,"max_consumers":-1,"#
        + #""max_msg_size":65536,"max_msgs":-1,"max_msgs_per_subject":100,"name":"BELL_PUSH","no_ack":false,"#
        + #""num_replicas":3,"retention":"limits","sealed":false,"storage":"file","subjects":["bell.push.>"]}"#)
  }

  @Test func theRegistryIsABucketOfKeys() throws {
    let tokens = StreamSettings.all(replicas: 1)[1]
    #expect(tokens.subjects == ["$KV.BELL_TOKENS.>"])
    #expect((tokens.maxMsgsPerSubject, tokens.discard, tokens.maxMsgSize) == (1, "new", 8_192))
    #expect(
      (tokens.denyDelete, tokens.allowRollupHdrs, tokens.allowDirect, tokens.numReplicas) == (true, false, true, 1))
  }

  @Test func whatDiffersIsNamed() throws {
    let expected = StreamSettings.all(replicas: 3)[0]
    #expect(expected.differences(in: expected) == [])
    var other = expected
    (other.storage, other.numReplicas, other.maxAge, other.discard) = ("memory", 1, 3_600_000_000_000, "new")
    (other.duplicateWindow, other.maxMsgSize, other.subjects) = (nil, nil, ["bell.push.*"])
    #expect(
      expected.differences(in: other) == [
        "subjects is bell.push.*, expected bell.push.>", "storage is memory, expected file",
        "discard is new, expected old", "num_replicas is 1, expected 3", "max_age is 3600 s, expected 30 d",
        "max_msg_size is -1, expected 65536", "duplicate_window is unlimited, expected 3600 s",
      ])
  }

  /// Servers send more, and leave out values that are false.
  @Test func aServersAnswerIsRead() throws {
    let answer = """
      {"name":"BELL_CLEAR","subjects":["bell.clear.*"],"retention":"limits","max_consumers":-1,"max_msgs":-1,
       "max_bytes":-1,"max_age":2592000000000000,"max_msgs_per_subject":1000,"max_msg_size":4096,"discard":"old",
       "storage":"file","num_replicas":3,"duplicate_window":120000000000,"compression":"none","mirror_direct":false,
       "consumer_limits":{}}
      """
    let settings = try JetStream.decoder.decode(StreamSettings.self, from: Data(answer.utf8))
    #expect(StreamSettings.all(replicas: 3).first { $0.name == "BELL_CLEAR" }?.differences(in: settings) == [])
  }

  @Test func aDesksConsumerSaysWhatItIsAbout() throws {
    let settings = ConsumerSettings(
      "reception", about: "bell.push.reception.>", created: "2026-11-21T08:00:00Z", groups: ["a/b"], replicas: 3)
    #expect(
      try Self.json(settings)
        == #"{"ack_policy":"explicit","deliver_policy":"all","description":"{\"groups\":[\"a/b\"],"#
        + #"\"stream\":\"2026-11-21T08:00:00Z\"}","durable_name":"reception","#
        + #""filter_subject":"bell.push.reception.>","name":"reception","num_replicas":3}"#)
  }

  @Test(arguments: [
    ("2.10.23", true), ("2.10.22", false), ("2.10.3", false), ("2.11.0", true), ("2.9.25", false), ("3.0.0", true),
    ("2.12.0-RC.1", true), ("2.11", false), ("", false), ("new", false),
  ])
  func versionsAreCompared(_ version: String, _ isGood: Bool) throws {
    let line = #"{"server_name":"a","version":"\#(version)","max_payload":1048576}"#
    let greeting = try JetStream.decoder.decode(ServerGreeting.self, from: Data(line.utf8))
    #expect(greeting.isRecent == isGood)
  }
}
