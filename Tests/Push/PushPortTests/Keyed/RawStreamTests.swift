// Tests of ntfy's raw stream, whose only framing is the line feed.

import Testing

@testable import PushPort

@Suite("The raw stream of a topic") struct RawStreamTests {
  @Test("A message is one line of the raw stream, whatever ends its lines")
  func rawLines() async throws {
    try await withKeyedPort { port async throws in
      let ends = ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]
      _ = try await port.publish("POST", "/parcels", "a" + ends.joined(separator: "b") + "\n\nc\u{301}")
      #expect(try await port.publish("GET", "/parcels/raw?poll=1") == "200 a b b b b b b b   c\u{301}")
    }
  }
}
