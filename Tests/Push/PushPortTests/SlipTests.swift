import Foundation
import HTTP
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

private let body = #"{"aps":{"alert":"It rings"}}"#

@Suite("Slips of clients")
struct SlipTests {
  private let provider = TestProvider()

  private func advice(_ line: String) -> String {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    let head = RequestHead(HPACKHeaders([(":method", parts[0]), (":path", parts[1])]))
    return PathAdvice(head, RequestTarget(parts[1])).description
  }

  @Test(
    "The advice for an unclaimed path names the way in that was probably meant",
    arguments: [
      ("POST //parcels", "write /parcels"), ("PUT /parcels//", "write /parcels"),
      ("POST //parcels?x=1", "write /parcels"),
      ("POST //3/device/a1b2", "write /3/device/a1b2"), ("POST //h/tk_secret", "write it with single slashes"),
      ("GET /a,b/json", "subscribe to each: /a/json, /b/json"), ("GET /a,b/ws", "subscribe to each: /a/ws, /b/ws"),
      ("GET /", "for the web panel run: deskbell panel"), ("GET /favicon.ico", "for the web panel run: deskbell panel"),
      ("GET /index.html", "deskbell panel"), ("GET /metrics/", "write /metrics"), ("GET /healthz", "deskbell metrics"),
      ("POST /device/a1b2", "go to POST /3/device/TOKEN, over HTTP/2"),
      ("POST /v3/device/a1b2", "POST /3/device/TOKEN"),
      ("POST /\(String(repeating: "a1", count: 32))", "POST /3/device/TOKEN"),
      ("POST /hooks/tk_secret", "a hook is POST /h/KEY"), ("POST /h/a/b", "a hook is POST /h/KEY"),
      ("GET /application/1/message", "of Gotify's API there are POST /message"), ("POST /fcm/send", "Firebase's API"),
      ("POST /my%20parcels", "none of which is ' '"), ("POST /door.bell", "none of which is '.'"),
      ("GET /a/b/c/d", PathAdvice.ways),
    ])
  func paths(line: String, advice: String) {
    let text = self.advice(line)
    #expect(text.hasPrefix("no such path; ") && text.contains(advice), "\(text)")
    #expect(!text.contains("secret") && !text.contains("a1a1"))
  }

  private func detail(_ token: String) -> String? {
    let verifier = ProviderTokenVerifier(limits: .standard)
    return verifier.refusal(of: token, in: provider.directory)?.detail
  }

  @Test(
    "The refusal recognises a token's time in another unit or form",
    arguments: [
      ("1795248000000", "iat is 1795248000000, which is in milliseconds"),
      ("1795248000000.5", "which is in milliseconds"), ("1795248000000000", "which is in microseconds"),
      ("1795248000000000000", "which is in nanoseconds"), (#""1795248000000""#, "which is in milliseconds"),
      (#""2026-11-21T08:00:00Z""#, "iat is '2026-11-21T08:00:00Z'; expected the number of seconds since 1970"),
      ("-1", "iat is -1; expected"), ("null", "iat is null; expected"), ("true", "expected the number of seconds"),
    ])
  func time(json: String, problem: String) throws {
    let text = try #require(detail(provider.token(claims: #"{"iss":"TEAM012345","iat":\#(json)}"#)))
    #expect(text.contains(problem), "\(text)")
  }

  @Test("The refusal names a claim that is missing, exchanged or in the wrong part")
  func claims() throws {
    let headers = #"{"alg":"ES256","kid":"KEY0123456","iat":1795248000,"iss":"TEAM012345"}"#
    for (header, claims, problem) in [
      (nil, #"{"iss":"TEAM012345"}"#, "iat is missing from the claims"),
      (headers, #"{"iss":"TEAM012345"}"#, "iat is in the header"), (headers, "{}", "iss is in the header"),
      (#"{"alg":"ES256"}"#, #"{"iss":"TEAM012345","kid":"KEY0123456","iat":1795248000}"#, "kid is in the claims"),
      (
        #"{"alg":"ES256","kid":"TEAM012345"}"#, #"{"iss":"KEY0123456","iat":1795248000}"#,
        "the two are exchanged: iss is the team's id, kid the key's"
      ),
      (#"{"alg":"ES256","kid":"OTHER12345"}"#, nil, "add it with: deskbell provider add"),
      (#"{"alg":"HS256","kid":"KEY0123456"}"#, nil, "alg is 'HS256'; APNs takes ES256"),
    ] as [(String?, String?, String)] {
      let text = try #require(detail(provider.token(header: header, claims: claims)))
      #expect(text.contains(problem), "\(text)")
    }
  }

  @Test("The refusal recognises common damage to a token")
  func forms() throws {
    let good = provider.token()
    let padded = good.replacing(".", with: "=.", maxReplacements: 1)
    for (token, problem) in [
      ("Bearer \(good)", "the word bearer stands twice"), ("b'\(good)'", "as Python prints bytes"),
      ("\"\(good)\"", "in quotation marks"), ("undefined", "the token is 'undefined'"),
      ("[object Promise]", "does not wait for it"), ("-----BEGIN PRIVATE KEY-----MIG", "the token is a key"),
      (padded, "base64url has '-', '_' and nothing"),
      (good.split(separator: ".").prefix(2).joined(separator: ".") + ".", "no signature behind its second dot"),
      (good.split(separator: ".").prefix(2).joined(separator: "."), "the token has 2 parts"),
      (
        good.split(separator: ".").prefix(2).joined(separator: ".") + "." + String(repeating: "0a", count: 64),
        "it is in hexadecimal digits"
      ),
    ] {
      let text = try #require(detail(token))
      #expect(text.contains(problem), "\(text)")
      #expect(!text.contains("MIG"))
    }
    for (authorization, problem) in [
      (good, "the word bearer is missing"), ("Basic YTpi", "a user and a password"),
      ("Bearer: \(good)", "bearer is followed by a blank"), ("key=AAAA", "a key of Firebase"),
      ("bearer ", "only the word"),
    ] {
      let error = #expect(throws: APNsRefusal.self) { try ProviderToken.bearer(authorization) }
      #expect(error?.reason == .missingProviderToken)
      #expect(error?.detail.contains(problem) == true, "\(error?.detail ?? "")")
    }
  }

  private func collapseID(_ bytes: [UInt8]) throws -> String? {
    var head = RequestHead(fields())
    Array("apns-collapse-id".utf8).withUnsafeBytes { name in bytes.withUnsafeBytes { head.add(name, $0) } }
    let request = APNsRequest(head, madeID: PushID(high: 0, low: 1))
    return try APNsPushHead(request, now: now, limits: .standard) { _ in provider.provider() }.collapseID
  }

  @Test("Collapse identifiers that are not UTF-8 stay apart, and an identifier has at most 64 bytes as it was sent")
  func latin1() throws {
    // tür and tör in Latin-1, as Node's http2 sends them; tür in UTF-8; and more, one cut within a character.
    let sent: [[UInt8]] = [
      [0x74, 0xFC, 0x72], [0x74, 0xF6, 0x72], Array("tür".utf8), [0x74, 0xC3], [0x74, 0xC3, 0x72], [0xFF], [0xFE],
    ]
    let identifiers = try sent.map { try #require(try collapseID($0)) }
    #expect(Set(identifiers).count == sent.count)
    #expect(identifiers[2] == "tür")
    #expect(try collapseID(sent[0]) == identifiers[0])
    #expect(try collapseID(Array(repeating: 0xFC, count: 64)) != nil)
    #expect(throws: APNsRefusal.self) { try collapseID(Array(repeating: 0xFC, count: 65)) }
  }

  @Test("A blank at an end of a field is removed, and the event names the field; also in the path")
  func blanks() async throws {
    let receiver = RecordingReceiver()
    var client = try await RawClient(TestServer(receiver, providers: provider.directory, limits: .patient))
    let bearer = "bearer \(provider.token())"
    for (name, value) in [
      ("apns-topic", "\(bell) "), ("apns-topic", "\t\(bell)"), ("apns-priority", "5 "), ("apns-collapse-id", " a"),
      ("authorization", bearer + " "), ("apns-push-type", "alert\t"), ("apns-expiration", " 0 "),
    ] {
      let all = fields([name: value], authorization: name == "authorization" ? nil : bearer)
      #expect(try await client.send(all, body).status == 200, "\(name)")
      #expect(receiver.pushes.last?.faults.map(\.path) == [name])
    }
    #expect(receiver.pushes[3].collapseID == "a")
    let stream = client.stream
    try await client.write(try client.request(fields([":path": path + " "], authorization: bearer), ends: true))
    #expect(await client.reset(of: stream) == 1)
    #expect(receiver.refusals.map(\.status) == [400])
    #expect(receiver.refusals.first?.detail.contains(":path") == true)
  }
}

@Suite struct QuotedTextTests {
  @Test(arguments: [
    ("A letter", "'A letter'"), ("", "''"), ("1\r\n2\n3\t4\u{1B}[31m", #"'1\r\n2\n3\t4\u{1B}[31m'"#),
    ("\u{85}\u{2028}\u{2029}\u{0}\u{7F}", #"'\u{0085}\u{2028}\u{2029}\0\u{7F}'"#),
    ("a\u{202E}b\u{2066}\u{61C}\u{200F}e\u{301}", #"'a\u{202E}b\u{2066}\u{061C}\u{200F}"# + "e\u{301}'"),
    (String(repeating: "x", count: 120), "'\(String(repeating: "x", count: 120))'"),
    (String(repeating: "x", count: 121), "'\(String(repeating: "x", count: 120))…'"),
    (String(repeating: "x", count: 119) + "é", "'\(String(repeating: "x", count: 119))…'"),
    // The escaped text counts, not the original.
    (String(repeating: "x", count: 119) + "\n", "'\(String(repeating: "x", count: 119))…'"),
  ])
  func isOnOneLine(text: String, quote: String) {
    #expect(quoted(text) == quote)
  }

  @Test func whatIsNotThereIsAbsent() {
    #expect(quoted(nil as String?) == "absent")
  }

  @Test func ofANameTheBeginning() {
    #expect(shortened("sound\nname") == #"sound\nname"#)
    #expect(shortened(String(repeating: "k", count: 41)) == String(repeating: "k", count: 40) + "…")
  }
}
