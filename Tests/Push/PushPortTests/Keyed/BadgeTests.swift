// Tests of app badges from senders with access keys (rules B1, B2).

import HTTP
import HandsetCore
import Testing

@testable import PushPort

@Suite("Badges of messages with access keys") struct KeyedBadgeTests {
  private static let json: HeaderFields = ["Content-Type": "application/json"]

  @Test("ntfy: a header field, the query, JSON")
  func ntfy() async throws {
    try await withKeyedPort { port async throws in
      _ = try await port.publish("POST", "/parcels", "x", ["Badge": "12"])
      _ = try await port.publish("POST", "/parcels?badge=0", "x")
      _ = try await port.publish("POST", "/", #"{"topic":"parcels","message":"x","badge":7}"#)
      _ = try await port.publish("POST", "/parcels", "x")
      #expect(port.recorder.pushes.map(\.badge) == [.number(12), .number(0), .number(7), .absent])
      #expect(port.recorder.pushes.allSatisfy { $0.faults.isEmpty && $0.sound == .system })
      #expect(String(decoding: port.recorder.pushes[0].payload, as: UTF8.self).contains(#""badge":12"#))
    }
  }

  @Test(
    "What is no whole number of zero or more is no badge, and the rest of the message counts",
    arguments: ["-1", "+1", "1.5", "two", "3a", "99999999999999999999", "1 2"])
  func bad(_ text: String) async throws {
    try await withKeyedPort { port async throws in
      _ = try await port.publish("POST", "/parcels", #"{"topic":"parcels"}"#, ["Badge": text])
      let push = try #require(port.recorder.pushes.first)
      #expect(push.badge == .absent)
      #expect(push.faults.map(\.path) == ["badge"])
    }
  }

  @Test("Hooks: JSON, a form, and the query beside a text")
  func hooks() async throws {
    try await withKeyedPort { port async throws in
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","badge":3}"#, Self.json)
      _ = try await port.send("GET", "/h/\(hookKey)?message=m&badge=4")
      _ = try await port.send("POST", "/h/\(hookKey)?badge=5", "It is done")
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","badge":"many"}"#, Self.json)
      #expect(port.recorder.pushes.map(\.badge) == [.number(3), .number(4), .number(5), .absent])
      #expect(port.recorder.pushes.map { $0.faults.map(\.path) } == [[], [], [], ["badge"]])
    }
  }
}
