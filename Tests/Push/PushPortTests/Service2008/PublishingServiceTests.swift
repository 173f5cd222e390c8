// Tests of the four calls over real sockets and real TLS, in HTTP/1.1 and HTTP/2, and of all other requests.

import Foundation
import HandsetCore
import Testing

@testable import PushPort

private let badgeThree = plist("<dict><key>UIApplicationBadge</key><integer>3</integer></dict>")

@Suite("The 2008 service", .timeLimit(.minutes(10)))
struct PublishingServiceTests {
  @Test("Create, publish, read back, delete, on one connection of HTTP/1.1 (R1, F2)")
  func fourCalls() async throws {
    let nodes = NodesInMemory()
    let client = try await TextClient(publishingServer(nodes))
    let early = try await client.request("PUT \(inbox)", body: badgeThree)
    #expect(
      (early.status, early.body) == (404, "there is no node 'Inbox'; POST to it with ?action=create makes it\n"))
    for _ in 1...2 { #expect(try await client.request("POST \(inbox)?action=create").status == 200) }
    let nothing = try await client.request("GET \(inbox)")
    #expect((nothing.status, nothing.body) == (404, "nothing was published through com.example.bell/Inbox yet\n"))
    let published = try await client.request("PUT \(inbox)", body: badgeThree)
    #expect((published.status, published.body) == (200, ""))
    let push = try #require(nodes.state.withLock { $0.pushes.first })
    #expect(published.header("Push-ID") == push.id.description)
    #expect(push.badge == .number(3))
    let back = try await client.request("GET \(inbox)")
    #expect((back.status, back.body) == (200, badgeThree))
    #expect(back.header("Content-Type") == "application/x-plist")
    #expect(try await client.request("POST \(inbox)?action=delete").status == 200)
    #expect(try await client.request("POST \(inbox)?action=delete").status == 404)
    #expect(try await client.request("GET \(inbox)").status == 404)
  }

  @Test(
    "Every other status of the table, with a reason in plain text and an event",
    arguments: [
      ("GET \(inbox)", nil, nil, 401, "user and password are missing: basic authentication"),
      (
        "GET \(inbox)", basic(bell.text, "wrong horse"), nil, 401,
        "user or password is wrong; the user is the bundle identifier of an app of the provider's"
      ),
      (
        "GET \(inbox)", "Bearer x", nil, 401,
        "the Authorization field is no basic authentication: Basic, and user:password in base64"
      ),
      (
        "PUT /com.example.other/\(device.hex)/Inbox", basic(), badgeThree, 403,
        "publisher 'com.example.other' is not this user's; the provider's apps: com.example.bell, com.example.chime"
      ),
      (
        "PUT /-/\(device.hex)/Inbox", basic(), badgeThree, 403,
        "publisher '-' is not this user's; the provider's apps: com.example.bell, com.example.chime"
      ),
      (
        "POST /com.example.chime/\(device.hex)/Inbox?action=create", basic(), nil, 404,
        "com.example.chime is not installed on that handset"
      ),
      (
        "POST /\(bell.text)/00/Inbox?action=create", basic(), nil, 404,
        "no handset here has device ID '00'; deskbell state shows it"
      ),
      (
        "POST \(inbox)%20two?action=create", basic(), nil, 400,
        "node 'Inbox two': a name is 1 to 64 letters, digits, dots, dashes and underscores"
      ),
      (
        "PUT \(inbox)%20two", basic(), badgeThree, 404,
        "there is no node 'Inbox two'; POST to it with ?action=create makes it"
      ),
      (
        "PUT \(inbox)", basic(), plist("<dict/>"), 400,
        "it says nothing: expected at least one of UIAlertBody, UIAlertShowOpenButton, UIApplicationBadge, UIAlertSound"
      ),
      ("PUT \(inbox)", basic(), "{}", 415, "line 1, column 1: not well-formed (invalid token)"),
      (
        "PUT \(inbox)", basic(), String(repeating: " ", count: 1_025), 413,
        "a property list has at most 1,024 bytes, tags included"
      ),
      ("POST \(inbox)", basic(), nil, 405, "POST with action absent; expected ?action=create or ?action=delete"),
      (
        "POST \(inbox)?action=feed", basic(), nil, 405,
        "POST with action 'feed'; expected ?action=create or ?action=delete"
      ),
      (
        "DELETE \(inbox)", basic(), nil, 405,
        "no such call; there are POST ?action=create, POST ?action=delete, PUT and GET"
      ),
      ("GET /", basic(), nil, 404, "no such path; this is the port for pushes; for the web panel run: deskbell panel"),
      ("GET /a/b/c/d", basic(), nil, 404, "no such path; \(PathAdvice.ways)"),
    ] as [(String, String?, String?, Int, String)])
  func refusals(line: String, authorization: String?, body: String?, status: Int, reason: String) async throws {
    let receiver = RecordingReceiver()
    let server = try await publishingServer(receiver: receiver)
    let client = try await TextClient(server)
    let answer = try await client.request(line, authorization: authorization, body: body)
    #expect((answer.status, answer.body) == (status, reason + "\n"))
    #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
    #expect(answer.header("WWW-Authenticate") == (status == 401 ? #"Basic realm="Deskbell", charset="UTF-8""# : nil))
    #expect(answer.header("Allow") == (status == 405 ? "GET, HEAD, POST, PUT" : nil))
    #expect(receiver.refusals.map(\.status) == [status])
    #expect(receiver.refusals.first?.detail == reason)
    await client.close()

    // HTTP/2 streams get the same answers.
    let words = line.split(separator: " ")
    let head = fields([":method": String(words[0]), ":path": String(words[1])], authorization: authorization)
    let second = try await TestClient(server)
    #expect(try await second.send(head, body ?? "") == Response(status, body: reason + "\n"))
  }

  @Test(
    "Each outcome of the handset has its status",
    arguments: [
      (
        Input.Outcome.stored(
          .refused(.goneNode(NodeID(app: bell, name: "Inbox")!, since: WallTime(seconds: 1_795_000_000)))),
        410,
        "com.example.bell is uninstalled or unregistered since 1795000000 (seconds since 1970)\n"
      ),
      (.failed("the disk is full"), 503, "it cannot be stored just now; try again\n"),
    ])
  func outcomes(outcome: Input.Outcome, status: Int, body: String) async throws {
    let nodes = NodesInMemory()
    nodes.state.withLock { $0.outcome = outcome }
    let client = try await TextClient(publishingServer(nodes))
    for answer in [
      try await client.request("PUT \(inbox)", body: badgeThree), try await client.request("GET \(inbox)"),
      try await client.request("POST \(inbox)?action=delete"),
    ] {
      #expect((answer.status, answer.body) == (status, body))
      #expect(answer.header("Retry-After") == (status == 503 ? "1" : nil))
    }
  }

  @Test("A seventeenth node is refused with the limit")
  func tooManyNodes() async throws {
    let nodes = NodesInMemory()
    nodes.state.withLock { $0.outcome = .stored(.refused(.tooManyNodes(bell))) }
    let client = try await TextClient(publishingServer(nodes))
    let answer = try await client.request("POST \(inbox)?action=create")
    #expect(answer.body == "com.example.bell has 16 nodes, the most there can be; delete one first\n")
    #expect(answer.status == 403)
  }

  @Test("One port: with ALPN, without it, and with either version of HTTP")
  func versions() async throws {
    let server = try await publishingServer()
    for alpn in ["http/1.1", nil] {
      let client = try await TextClient(server, alpn: alpn)
      #expect(try await client.request("POST \(inbox)?action=create").status == 200)
      await client.close()
    }
    for alpn in [true, false] {
      let client = try await TestClient(server, alpn: alpn)
      // A client converted from HTTP/1.1 may send host instead of :authority [RFC 9113, 8.3.1].
      let put = fields(
        [":method": "PUT", ":path": inbox, ":authority": nil, "host": "localhost"], authorization: basic())
      #expect(try await client.send(put, badgeThree).status == 200)
      let get = fields([":method": "GET", ":path": inbox], authorization: basic())
      #expect(try await client.send(get, "") == Response(200, body: badgeThree))
      // On the same connection, the provider API has its own answers.
      #expect(try await client.send(fields(), "{}").body == #"{"reason":"MissingProviderToken"}"#)
      try await client.close()
    }
  }

  @Test("The right password allows as many streams as a valid token")
  func moreStreams() async throws {
    let client = try await TestClient(publishingServer())
    let create = fields([":path": inbox + "?action=create"], authorization: basic())
    #expect(try await client.send(create, "").status == 200)
    #expect(await client.allowedStreams(2) == [1, 1_000])
  }

  @Test("As many wrong passwords as are allowed end the connection, in HTTP/1.1 and in HTTP/2")
  func failures() async throws {
    #expect(PortLimits.standard.failedPasswords == 3)
    let server = try await publishingServer(limits: .patient { $0.failedPasswords = 2 })
    let client = try await TextClient(server)
    for isLast in [false, true] {
      let answer = try await client.request("GET \(inbox)", authorization: basic(bell.text, "wrong horse"))
      #expect((answer.status, answer.header("Connection")) == (401, isLast ? "close" : nil))
    }
    try await client.end()
    // More would come too soon without the right password in between.
    let right = try await TextClient(server)
    #expect(try await right.request("GET \(inbox)").status == 404)
    await right.close()
    let second = try await TestClient(server)
    let wrong = fields([":method": "GET", ":path": inbox], authorization: basic(bell.text, "wrong horse"))
    for _ in 1...2 { #expect(try await second.send(wrong, "").status == 401) }
    try await second.channel.closeFuture.get()
  }

  @Test("The provider API over HTTP/1.1 is answered 505, with advice to use HTTP/2", arguments: ["", "/foo", "/a/b/c"])
  func providerAPI(rest: String) async throws {
    let receiver = RecordingReceiver()
    let client = try await TextClient(publishingServer(receiver: receiver))
    let path = rest.isEmpty ? path : "/3" + rest
    // Longer than any property list.
    let answer = try await client.request(
      "POST \(path)", body: String(repeating: "x", count: rest.isEmpty ? 2_000 : 2))
    #expect(answer.status == 505)
    #expect(
      answer.body == "the provider API under /3/ and /4/ speaks HTTP/2 only; offer h2, with curl: --http2\n")
    #expect(receiver.refusals == [])
  }

  @Test("Requests sent ahead are answered in order, a chunked body is a body, and 100-continue goes on")
  func http1() async throws {
    let nodes = NodesInMemory()
    let client = try await TextClient(publishingServer(nodes))
    let common = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(basic())\r\n"
    let half = badgeThree.count / 2
    let chunks = [String(badgeThree.prefix(half)), String(badgeThree.dropFirst(half))]
    try await client.write(
      "POST \(inbox)?action=create \(common)\r\n" + "PUT \(inbox) \(common)Transfer-Encoding: chunked\r\n\r\n"
        + chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        + "GET \(inbox) \(common)\r\n")
    #expect(await client.response().status == 200)
    #expect(await client.response().status == 200)
    #expect(await client.response().body == badgeThree)

    let length = "Content-Length: \(badgeThree.utf8.count)\r\n"
    try await client.write("PUT \(inbox) \(common)\(length)Expect: 100-continue\r\n\r\n")
    #expect(await client.response().status == 100)
    try await client.write(badgeThree)
    #expect(await client.response().status == 200)
  }

  @Test("1,024 bytes are published; one more is refused, also where no length was announced")
  func sizes() async throws {
    let client = try await TextClient(publishingServer())
    #expect(try await client.request("POST \(inbox)?action=create").status == 200)
    let full = badgeThree.replacing(
      "<dict>", with: "<dict>" + String(repeating: " ", count: 1_024 - badgeThree.utf8.count))
    #expect(full.utf8.count == 1_024)
    #expect(try await client.request("PUT \(inbox)", body: full).status == 200)
    #expect(try await client.request("GET \(inbox)").body == full)
    let common = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(basic())\r\nTransfer-Encoding: chunked\r\n\r\n"
    try await client.write("PUT \(inbox) \(common)401\r\n\(full) \r\n0\r\n\r\n")
    #expect(await client.response().status == 413)
  }

  @Test("Header fields of more than 8,192 bytes are 431 in HTTP/2 too")
  func headers() async throws {
    let client = try await TestClient(publishingServer())
    let long = String(repeating: "x", count: 8_200)
    let large = fields([":method": "GET", ":path": inbox, "x-padding": long], authorization: basic())
    #expect(try await client.send(large, "").status == 431)
  }

  @Test("Without the 2008 service, the provider API answers every request")
  func providerAPIAlone() async throws {
    let server = try await TestServer(providers: ProviderDirectory([passwordProvider]))
    let client = try await TextClient(server)
    #expect(try await client.request("GET \(inbox)").status == 505)
    let second = try await TestClient(server)
    #expect(try await second.send(fields([":path": inbox]), "{}").status == 404)
  }
}
