// The panel's connections are few: clients that never signed in give way to new ones.

import HTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct StrangerTests {
  /// Gets the page, which needs no session.
  private func page(_ panel: PanelRig, _ client: RawConnection) async throws -> Bool {
    try await client.write("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(panel.port)\r\n\r\n")
    return try await client.read(until: "</html>").hasPrefix("HTTP/1.1 200 ")
  }

  /// Connects a new client that gets the page.
  private func stranger(_ panel: PanelRig, from source: UInt8) async throws -> RawConnection {
    let client = try RawConnection(port: panel.port, from: source)
    #expect(try await page(panel, client))
    return client
  }

  private func state(_ panel: PanelRig, _ client: RawConnection, _ fields: [String]) async throws -> String {
    let sent = ["GET /v1/state HTTP/1.1", "Host: 127.0.0.1:\(panel.port)"] + fields
    try await client.write(sent.map { $0 + "\r\n" }.joined() + "\r\n")
    return try await client.read(until: "}")
  }

  /// Connects a new client that sends a valid session.
  private func browser(_ panel: PanelRig, _ fields: [String]) async throws -> RawConnection {
    let client = try RawConnection(port: panel.port)
    #expect(try await state(panel, client, fields).hasPrefix("HTTP/1.1 200 "))
    return client
  }

  /// Returns the header fields of a browser that signed in on a connection that is now closed.
  private func signedIn(_ panel: PanelRig) async throws -> [String] {
    let fields = try await panel.signedIn()
    try await wait { panel.server.connectionCount == 0 }
    return fields
  }

  @Test("If no place is left, the oldest unauthenticated connection is closed; a signed-in client keeps its place")
  func strangersGiveWay() async throws {
    let panel = try await PanelRig(limits: .patient { $0.connections = 3 })
    let fields = try await signedIn(panel)
    let browser = try await browser(panel, fields)
    let first = try await stranger(panel, from: 2)
    let second = try await stranger(panel, from: 3)
    let third = try await stranger(panel, from: 4)
    #expect(try await first.read(until: nil) == "")
    #expect(try await page(panel, second))
    #expect(try await page(panel, third))
    #expect(try await state(panel, browser, fields).hasPrefix("HTTP/1.1 200 "))
  }

  @Test("An address has its share: its own unauthenticated connections give way, others' keep their places")
  func shareOfAnAddress() async throws {
    let panel = try await PanelRig(limits: .patient { $0.connectionsPerAddress = 2 })
    let fields = try await signedIn(panel)
    let other = try await stranger(panel, from: 2)
    let strangers = [try await stranger(panel, from: 1), try await stranger(panel, from: 1)]
    let browsers = [try await browser(panel, fields), try await browser(panel, fields)]
    for stranger in strangers { #expect(try await stranger.read(until: nil) == "") }
    #expect(try await page(panel, other))
    // All clients of that address are known now.
    let refused = try RawConnection(port: panel.port)
    #expect(
      try await state(panel, refused, fields)
        .hasSuffix(#"{"error":"too many connections are open","hint":"close one, or try again"}"#))
    for client in browsers { #expect(try await state(panel, client, fields).hasPrefix("HTTP/1.1 200 ")) }
  }
}
