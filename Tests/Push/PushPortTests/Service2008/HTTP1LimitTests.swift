import HandsetCore
import NIOCore
import TestSupport
import Testing

@testable import PushPort

private let badgeThree = plist("<dict><key>UIApplicationBadge</key><integer>3</integer></dict>")

@Suite("Limits of the 2008 service", .timeLimit(.minutes(10)))
struct HTTP1LimitTests {
  private func request(_ line: String, _ headers: String...) -> String {
    (["\(line) HTTP/1.1", "Host: localhost", "Authorization: \(basic())"] + headers).joined(separator: "\r\n")
      + "\r\n\r\n"
  }

  @Test(
    "A client that sends no request is answered 408 and disconnected",
    arguments: ["", "GET /", "GET / HTTP/1.1\r\nHost: l"])
  func headerTime(beginning: String) async throws {
    func firstStatus(within limit: Duration) async throws -> Int {
      let client = try await TextClient(publishingServer(limits: .patient { $0.handshakeDuration = limit }))
      if !beginning.isEmpty { try await client.write(beginning) }
      return await client.response().status
    }
    // The same limit bounds the handshake, which is slow on a busy machine.
    for milliseconds in [100, 1_000, 10_000, 100_000] {
      guard let status = try? await firstStatus(within: .milliseconds(milliseconds)), status != 0 else { continue }
      #expect(status == 408)
      return
    }
    Issue.record("no handshake was done in time")
  }

  @Test("A body that does not arrive ends its request and the connection")
  func bodyTime() async throws {
    var limits = PortLimits.patient
    limits.bodyDuration = .milliseconds(100)
    limits.discardDuration = .milliseconds(100)
    let client = try await TextClient(publishingServer(limits: limits))
    try await client.write(request("PUT \(inbox)", "Content-Length: 100") + "<plist")
    #expect(await client.response().status == 408)
    try await client.end()
  }

  @Test("A connection that is idle after its answer is closed silently")
  func idle() async throws {
    let client = try await TextClient(publishingServer(limits: .patient { $0.idleDuration = .milliseconds(100) }))
    #expect(try await client.request("GET \(inbox)").status == 404)
    #expect(await client.response() == TextResponse(status: 0, head: "", body: ""))
  }

  @Test("Header fields and the path together, to the byte")
  func headers() async throws {
    let head = request(inbox, "X-Padding: ")
    let names = ["Host", "localhost", "Authorization", basic(), "X-Padding"]
    let used = inbox.utf8.count + names.reduce(0) { $0 + $1.utf8.count }
    let server = try await publishingServer(limits: .patient { $0.headerListBytes = used + 10 })
    for (bytes, status) in [(10, 404), (11, 431)] {
      let client = try await TextClient(server)
      // A line ending counts as one character.
      try await client.write("GET " + head.dropLast(2) + String(repeating: "x", count: bytes) + "\r\n\r\n")
      #expect(await client.response().status == status)
      await client.close()
    }
  }

  @Test("A property list's bytes, and its depth")
  func propertyLists() async throws {
    var limits = PortLimits.patient
    limits.propertyListBytes = 300
    limits.propertyListDepth = 2
    func nested(_ levels: Int) -> String {
      let arrays = String(repeating: "<array>", count: levels - 1) + String(repeating: "</array>", count: levels - 1)
      return plist("<dict><key>Badge</key><integer>1</integer><key>own</key>\(arrays)</dict>")
    }
    func long(_ bytes: Int) -> String {
      badgeThree.replacing("<dict>", with: "<dict>" + String(repeating: " ", count: bytes - badgeThree.utf8.count))
    }
    let client = try await TextClient(publishingServer(limits: limits))
    #expect(try await client.request("POST \(inbox)?action=create").status == 200)
    #expect(try await client.request("PUT \(inbox)", body: long(300)).status == 200)
    #expect(try await client.request("PUT \(inbox)", body: nested(2)).status == 200)
    #expect(try await client.request("PUT \(inbox)", body: nested(3)).status == 400)
    // This comes last, as an unread body ends the connection.
    #expect(try await client.request("PUT \(inbox)", body: long(301)).status == 413)
  }

  @Test("Requests of a client that does not read wait unanswered, and the client is disconnected")
  func unread() async throws {
    let (count, bytes) = (400, 100_000)
    var limits = PortLimits.patient
    limits.unsentBytes = 1_024
    limits.answerDuration = .milliseconds(200)
    limits.propertyListBytes = bytes
    let nodes = NodesInMemory()
    let server = try await TestServer(
      publishing: nodes, providers: ProviderDirectory([passwordProvider]), limits: limits)
    let client = try await TextClient(server)
    #expect(try await client.request("POST \(inbox)?action=create").status == 200)
    let large = badgeThree.replacing("<dict>", with: "<dict>" + String(repeating: " ", count: bytes - 200))
    #expect(try await client.request("PUT \(inbox)", body: large).status == 200)
    try await client.channel.setOption(.autoRead, value: false).get()
    // 40 MB of answers: more than the kernel buffers for a socket.
    try await client.write(String(repeating: request("GET \(inbox)"), count: count))
    try await wait { server.pushServer.connectionCount == 0 }
    await client.close()
    #expect((1..<count).contains(nodes.state.withLock { $0.readings }))
  }

  @Test("If no place is left for a password's check, the answer is 503 with Retry-After")
  func passwordChecks() async throws {
    for changes in [
      { $0.waitingPasswordChecks = 0 }, { $0.keptPasswordChecks = 16 }, { $0.waitingPasswordChecksPerAddress = 0 },
    ] as [@Sendable (inout PortLimits) -> Void] {
      var limits = PortLimits.patient
      changes(&limits)
      let client = try await TextClient(publishingServer(limits: limits))
      let answer = try await client.request("GET \(inbox)")
      #expect((answer.status, answer.header("Retry-After")) == (503, "1"))
    }
  }
}
