// Tests of a keyed message's extras: as many as fit are kept; the rest is an event and never an error.

import HTTP
import HandsetCore
import Testing

@testable import PushPort

@Suite("Sizes of messages with access keys", .timeLimit(.minutes(10)))
struct MessageSizeTests {
  private func extras(of push: Push, _ name: String) -> String {
    let text = push.payloadText
    return String(text[(text.range(of: "\"\(name)\":")?.upperBound ?? text.endIndex)...].dropLast())
  }

  @Test("What the app gets beside a message has a limit; actions go first, then the click, then the tags")
  func extrasOfNtfy() async throws {
    var limits = PortLimits.patient
    // For an id of 12 letters, priority, tags, topic and click.
    limits.messageExtrasBytes = 120
    try await withKeyedPort(limits: limits) { port async throws in
      func click(_ length: Int) -> String { "https://x/" + String(repeating: "a", count: length - 10) }
      for length in [44, 45] {
        let answer = try await port.publish(
          "POST", "/parcels", "x", ["Click": click(length), "Tags": "a", "Actions": "view, Open, https://x"])
        #expect(answer.hasPrefix("200 "))
      }
      let pushes = port.recorder.pushes
      #expect(extras(of: pushes[0], "ntfy").utf8.count == 120)
      #expect(extras(of: pushes[0], "ntfy").contains(click(44)))
      #expect(!extras(of: pushes[1], "ntfy").contains("click"))
      #expect(extras(of: pushes[1], "ntfy").contains(#""tags":["a"]"#))
      #expect(pushes.map { $0.faults.map(\.path) } == [["actions"], ["actions", "click"]])
      #expect(
        pushes[1].faults.last?.problem
          == "with it the app would get more than 120 bytes beside the message")
    }
  }

  @Test("Actions written as a text that there is no room for are not read")
  func longActions() async throws {
    try await withKeyedPort(limits: .patient { $0.messageExtrasBytes = 200 }) { port async throws in
      for length in [200, 201] {
        let start = "view, Open, https://x/"
        let text = start + String(repeating: "a", count: length - start.utf8.count)
        #expect(try await port.publish("POST", "/parcels", "x", ["Actions": text]).hasPrefix("200 "))
      }
      let pushes = port.recorder.pushes
      #expect(pushes.map { $0.options?.actions?.count } == [1, nil])
      #expect(pushes.map { $0.faults.map(\.path) } == [["actions"], ["actions"]])
    }
  }

  @Test(
    "The largest body makes a push no larger than APNs' largest, its text apart",
    arguments: ["click", "tags", "actions"])
  func largestBody(_ key: String) async throws {
    try await withKeyedPort { port async throws in
      let large = String(repeating: "a", count: 200_000)
      let value =
        switch key {
        case "click": "\"\(large)\""
        case "tags": "[\"\(large)\"]"
        default: #"[{"action":"view","label":"Open","url":"\#(large)"}]"#
        }
      let answer = try await port.publish(
        "POST", "/", #"{"topic":"parcels","message":"x","\#(key)":\#(value)}"#)
      #expect(answer.hasPrefix("200 "))
      let push = try #require(port.recorder.pushes.first)
      #expect(push.payload.count < 4_096)
      // An action of that size is neither in the payload nor on the handset.
      #expect(push.faults.map(\.path) == [key])
      #expect(push.tags == nil)
    }
  }

  @Test("Tags that there is no room for are left out, the first stay")
  func tags() async throws {
    try await withKeyedPort(limits: .patient { $0.messageTagBytes = 6 }) { port async throws in
      for tags in ["one,two", "one,four,x"] { _ = try await port.publish("POST", "/parcels", "x", ["Tags": tags]) }
      let pushes = port.recorder.pushes
      #expect(pushes.map(\.tags) == [["one", "two"], ["one"]])
      #expect(pushes.map { $0.faults.map(\.problem) } == [[], ["more than 6 bytes; the app gets the first 1"]])
    }
  }

  @Test("A name beyond its limit is left out with all that is beside the message")
  func longNames() async throws {
    try await withKeyedPort { port async throws in
      for length in [JSONElement.nameLimit, JSONElement.nameLimit + 1] {
        let name = String(repeating: "a", count: length)
        let gotify = #"{"message":"m","extras":{"\#(name)":1}}"#
        #expect(try await port.send("POST", "/message?token=\(topicKey)", gotify).hasPrefix("200 "))
        let action = #"{"action":"view","label":"Open","url":"https://x","\#(name)":"x"}"#
        let ntfy = #"{"topic":"parcels","message":"m","actions":[\#(action)]}"#
        #expect(try await port.publish("POST", "/", ntfy).hasPrefix("200 "))
      }
      #expect(port.recorder.pushes.map { $0.faults.map(\.path) } == [[], [], ["extras"], ["actions"]])
    }
  }

  @Test func extrasOfGotify() async throws {
    try await withKeyedPort(limits: .patient { $0.messageExtrasBytes = 40 }) { port async throws in
      for length in [10, 11] {
        let body = #"{"message":"m","extras":{"\#(String(repeating: "a", count: length))":1}}"#
        #expect(try await port.send("POST", "/message?token=\(topicKey)", body).hasPrefix("200 "))
      }
      let pushes = port.recorder.pushes
      #expect(
        pushes.map { extras(of: $0, "gotify") }
          == [#"{"extras":{"aaaaaaaaaa":1},"priority":5}"#, #"{"priority":5}"#])
      #expect(pushes.map { $0.faults.map(\.path) } == [[], ["extras"]])
    }
  }

  @Test("What is remembered with a key has a limit in bytes, beside that in messages")
  func remembered() throws {
    func event(_ id: String, bytes: Int) -> NtfySubscriptions.Event {
      let empty = #"{"event":"message","id":"\#(id)","message":""}"#
      // Including the line feed.
      let text = String(repeating: "x", count: bytes - empty.utf8.count - 1)
      return .init("message", id: id, time: 0, ["message": .string(text)])
    }
    var limits = PortLimits.patient
    limits.rememberedMessageBytes = 200
    limits.rememberedMessages = 3
    let directory = try keyedDirectory()
    let subscriptions = NtfySubscriptions(directory, limits: limits)
    let provider = try #require(directory.provider(for: AccessKey(topicKey)))
    for (id, bytes, kept) in [
      ("a", 80, ["a"]), ("b", 120, ["a", "b"]), ("c", 60, ["b", "c"]), ("d", 60, ["c", "d"]),
      ("e", 60, ["c", "d", "e"]), ("f", 60, ["d", "e", "f"]), ("g", 201, []), ("h", 200, ["h"]),
    ] {
      subscriptions.publish(event(id, bytes: bytes), by: provider)
      #expect(subscriptions.recent(provider.key, since: .all, NtfyFilter()).map(\.id) == kept, "\(id)")
    }
  }
}
