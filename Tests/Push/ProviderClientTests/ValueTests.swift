import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTP2Session
@testable import ProviderClient

let key = P256.Signing.PrivateKey()
let keyPEM = key.pemRepresentation

@Suite struct ProviderTokenTests {
  private func decoded(_ part: Substring) throws -> Data {
    var text = part.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return try #require(Data(base64Encoded: String(text)))
  }

  @Test func isSignedWithTheKey() throws {
    #expect(keyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----"))
    let token = try ProviderTokenSigner(
      privateKeyPEM: keyPEM, keyID: "KEY4567890", teamID: "TEAM567890", now: { 1_700_000_000 })
    let text = try token.bearer()
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    #expect(String(decoding: try decoded(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"KEY4567890"}"#)
    #expect(String(decoding: try decoded(parts[1]), as: UTF8.self) == #"{"iat":1700000000,"iss":"TEAM567890"}"#)
    #expect(!text.contains("="))
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
    let signed = Data((parts[0] + "." + parts[1]).utf8)
    #expect(key.publicKey.isValidSignature(signature, for: signed))
    #expect(!P256.Signing.PrivateKey().publicKey.isValidSignature(signature, for: signed))
  }

  @Test func isUsedForFiftyMinutes() throws {
    let clock = ManualClock()
    let token = try ProviderTokenSigner(privateKeyPEM: keyPEM, keyID: "KEY4567890", teamID: "TEAM567890") {
      clock.seconds
    }
    clock.seconds = 1_000_000
    let first = try token.bearer()
    clock.seconds = 1_002_999
    #expect(try token.bearer() == first)
    clock.seconds = 1_003_000
    let second = try token.bearer()
    #expect(second != first)
    clock.seconds = 1_002_999
    #expect(try token.bearer() != second)
  }

  @Test(arguments: ["", "nonsense", P384.Signing.PrivateKey().pemRepresentation, key.publicKey.pemRepresentation])
  func badKey(pem: String) {
    #expect(
      throws: ProviderClientError.badKey(
        reason: "this is no P-256 private key in PEM; give the .p8 file as it was downloaded")
    ) {
      try ProviderTokenSigner(privateKeyPEM: pem, keyID: "KEY4567890", teamID: "TEAM567890")
    }
  }

  @Test(arguments: ["KEY456789", "KEY45678901"])
  func identifiersHaveTenCharacters(identifier: String) {
    let tail = "'\(identifier)' has \(identifier.count) characters, not 10; copy it from where the key was made"
    #expect(throws: ProviderClientError.badKey(reason: "the key ID " + tail)) {
      try ProviderTokenSigner(privateKeyPEM: keyPEM, keyID: identifier, teamID: "TEAM567890")
    }
    #expect(throws: ProviderClientError.badKey(reason: "the team ID " + tail)) {
      try ProviderTokenSigner(privateKeyPEM: keyPEM, keyID: "KEY4567890", teamID: identifier)
    }
  }

  private final class ManualClock: Sendable {
    private let value = Atomic<Int64>(0)
    var seconds: Int64 {
      get { value.load(ordering: .relaxed) }
      set { value.store(newValue, ordering: .relaxed) }
    }
  }
}

@Suite struct PayloadTests {
  private func text(_ payload: Payload) throws -> String { String(decoding: try payload.encoded(), as: UTF8.self) }

  @Test func nothing() throws {
    #expect(try text(Payload()) == #"{"aps":{}}"#)
  }

  @Test func bodyAloneIsAString() throws {
    var payload = Payload()
    payload.body = "Tea/5 o'clock"
    #expect(try text(payload) == #"{"aps":{"alert":"Tea/5 o'clock"}}"#)
  }

  @Test func everything() throws {
    var payload = Payload()
    payload.title = "T"
    payload.subtitle = "S"
    payload.body = "B \u{1F514} \""
    payload.badge = 12
    payload.sound = "bell"
    payload.contentAvailable = true
    payload.threadID = "t"
    payload.interruptionLevel = "time-sensitive"
    payload.category = "c"
    try payload.add(customJSON: #"{"z":[1,2.50,true,null,"x",{"y":18446744073709551615}]}"#)
    #expect(
      try text(payload)
        == #"{"aps":{"alert":{"body":"B 🔔 \"","subtitle":"S","title":"T"},"badge":12,"category":"c","#
        + #""content-available":1,"interruption-level":"time-sensitive","sound":"bell","thread-id":"t"},"#
        + #""z":[1,2.5,true,null,"x",{"y":18446744073709551615}]}"#)
  }

  @Test(arguments: [
    ("{", "the extra keys: this is not JSON; 'python3 -m json.tool' shows where the mistake is"),
    ("[1]", "the extra keys: this is JSON, but no object {…}"),
    (#"{"aps":{}}"#, "the key 'aps' is not the app's own; use the options for what it holds"),
  ])
  func badExtraKeys(json: String, reason: String) {
    var payload = Payload()
    payload.custom = ["kept": .integer(1)]
    #expect(throws: ProviderClientError.badPayload(reason: reason)) { try payload.add(customJSON: json) }
    #expect(payload.custom == ["kept": .integer(1)])
  }
}

@Suite struct APNSFileTests {
  private func file(_ text: String) throws -> APNSFile { try APNSFile(Array(text.utf8), path: "a.apns") }

  @Test func topicIsTakenOutAndTheRestKept() throws {
    let file = try file(
      """
      {
        "Simulator Target Bundle": "com.example.app",
        "aps": { "alert": { "title": "Häh/?", "body": "line\\nline" }, "badge": 3, "relevance-score": 0.1 },
        "custom": [1.0, -0.25, 12345678901234567890, 1e3, 3.141592653589793238462643, false, null, {"é": "\\u00e9"}]
      }
      """)
    #expect(file.topic == "com.example.app")
    #expect(
      String(decoding: file.payload, as: UTF8.self)
        == #"{"aps":{"alert":{"body":"line\nline","title":"Häh/?"},"badge":3,"relevance-score":0.1},"#
        + #""custom":[1,-0.25,12345678901234567890,1000,3.141592653589793238462643,false,null,{"é":"é"}]}"#)
  }

  @Test func withoutATopic() throws {
    let file = try file(#"{"aps":{"content-available":1},"n":5}"#)
    #expect(file.topic == nil)
    #expect(file.payload == Array(#"{"aps":{"content-available":1},"n":5}"#.utf8))
  }

  @Test(arguments: [
    ("", ":1:1", "this is not JSON: expected a value, but the text ends"),
    ("{\"aps\": {},\n  oops}", ":2:3", "this is not JSON: expected a name in double quotes, found 'o'"),
    ("[]", "", "this is JSON, but no object {…}"),
    ("{}", "", "the key 'aps' is missing or no object; an .apns file is a whole payload"),
    ("{\n\"aps\":\"x\"}", ":2", "the key 'aps' is missing or no object; an .apns file is a whole payload"),
    (
      "{\"aps\":{},\n\n\"Simulator Target Bundle\":7}", ":3",
      "the key 'Simulator Target Bundle' must be an app's identifier, as a string"
    ),
    (
      #"{"aps":{},"Simulator Target Bundle":""}"#, ":1",
      "the key 'Simulator Target Bundle' must be an app's identifier, as a string"
    ),
  ])
  func malformed(text: String, place: String, reason: String) throws {
    #expect(throws: ProviderClientError.badFile(path: "a.apns" + place, reason: reason)) { try file(text) }
  }

  @Test func fromDiskAndItsLimit() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.apns"
    let shell = #"{"aps":{},"x":""}"#
    let fill = String(repeating: "x", count: ProviderLimits.fileBytes - shell.utf8.count)
    let text = #"{"aps":{},"x":""# + fill + #""}"#
    try Data(text.utf8).write(to: URL(filePath: path))
    #expect(try APNSFile(path: path).payload == Array(text.utf8))
    try Data((text + " ").utf8).write(to: URL(filePath: path))
    let tooLarge = "it is larger than 1048576 bytes; a payload has at most 5,120"
    #expect(throws: ProviderClientError.badFile(path: path, reason: tooLarge)) { try APNSFile(path: path) }
    #expect(throws: ProviderClientError.badFile(path: "/dev/zero", reason: tooLarge)) {
      try APNSFile(path: "/dev/zero")
    }
    let none = ProviderClientError.badFile(
      path: folder.path + "/none", reason: "it cannot be read: No such file or directory; check the path")
    #expect(throws: none) { try APNSFile(path: folder.path + "/none") }
  }
}

@Suite struct CurlLineTests {
  @Test func theWholePush() {
    let request = PushRequest(
      deviceToken: "c0ffee", topic: "com.example.mail", pushType: "alert", priority: 5, expiration: 0,
      collapseID: "a b", id: "8C072DB2-12F5-4B70-B99F-73F50AC5525B",
      payload: Array(#"{"aps":{"alert":"it's here"}}"#.utf8))
    let line = CurlLine.text(
      of: request, to: Endpoint(host: "localhost", port: 2197), authorityFile: "/tmp/my ca.pem", bearer: "a.b.c")
    #expect(
      line == "curl --http2 --cacert '/tmp/my ca.pem' --header 'authorization: bearer a.b.c'"
        + " --header 'apns-topic: com.example.mail' --header 'apns-push-type: alert' --header 'apns-priority: 5'"
        + " --header 'apns-expiration: 0' --header 'apns-collapse-id: a b'"
        + " --header 'apns-id: 8C072DB2-12F5-4B70-B99F-73F50AC5525B'"
        + #" --data '{"aps":{"alert":"it'\''s here"}}' https://localhost:2197/3/device/c0ffee"#)
  }

  @Test func whatIsLeftOut() {
    let line = CurlLine.text(
      of: PushRequest(deviceToken: "00", topic: nil, payload: []), to: Endpoint(host: "::1", port: 1),
      authorityFile: nil, bearer: "x")
    #expect(line == "curl --http2 --header 'authorization: bearer x' --data '' 'https://[::1]:1/3/device/00'")
  }

  @Test func aServerThatIsReachedByAnotherNameThanItsCertificates() {
    let named = Endpoint(host: "bell.example.org", port: 2197)
    let line = CurlLine.text(
      of: PushRequest(deviceToken: "00", topic: nil, payload: []), to: named,
      connectingTo: Endpoint(host: "::1", port: 2197), authorityFile: "/etc/chain.pem", bearer: "x")
    #expect(
      line == "curl --http2 --cacert /etc/chain.pem --connect-to '::[::1]:2197' --header 'authorization: bearer x'"
        + " --data '' https://bell.example.org:2197/3/device/00")
    let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d", name: "Inbox")
    #expect(
      CurlLine.text(
        of: .create(node), to: named, connectingTo: Endpoint(host: "localhost", port: 2197), authorityFile: nil,
        user: "com.example.mail", password: nil)
        == "curl --http2 --connect-to ::localhost:2197 --user com.example.mail --request POST"
        + " 'https://bell.example.org:2197/com.example.mail/0d/Inbox?action=create'")
  }

  @Test func publications() {
    let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d", name: "In box")
    let endpoint = Endpoint(host: "localhost", port: 2197)
    #expect(
      CurlLine.text(of: .create(node), to: endpoint, authorityFile: "ca.pem", user: "com.example.mail", password: nil)
        == "curl --http2 --cacert ca.pem --user com.example.mail --request POST"
        + " 'https://localhost:2197/com.example.mail/0d/In%20box?action=create'")
    let publication = PublishingCall.publish(Array("<a/>".utf8), through: node)
    #expect(
      CurlLine.text(of: publication, to: endpoint, authorityFile: nil, user: "com.example.mail", password: "it's")
        == #"curl --http2 --user 'com.example.mail:it'\''s' --request PUT"#
        + " --header 'content-type: application/x-plist' --data '<a/>'"
        + " 'https://localhost:2197/com.example.mail/0d/In%20box'")
  }
}

@Suite struct PublishingTests {
  private let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d0d", name: "In box/2")
  private let server = Endpoint(host: "localhost", port: 2197)

  @Test func eachCallHasItsMethodAndPath() {
    let path = "/com.example.mail/0d0d/In%20box%2F2"
    func line(_ call: PublishingCall) -> [String] { [call.method, call.path] }
    #expect(line(.create(node)) == ["POST", path + "?action=create"])
    #expect(line(.delete(node)) == ["POST", path + "?action=delete"])
    #expect(line(.publish([1], through: node)) == ["PUT", path])
  }

  @Test func thePasswordIsNeverIndexed() {
    let head = PublishingCall.publish([1, 2], through: node).head(
      server, PublishingUser(name: "a.b", password: "pä:ss"))
    let text = String(decoding: head.bytes, as: UTF8.self)
    let credential = Data("a.b:pä:ss".utf8).base64EncodedString()
    #expect(text.hasSuffix("authorizationBasic \(credential)content-typeapplication/x-plist"))
    #expect(text.contains(":authoritylocalhost:2197content-length2"))
    // NGHTTP2_NV_FLAG_NO_INDEX.
    #expect(head.fields.map(\.flags) == [0, 0, 0, 0, 0, 1, 0])
  }

  @Test func aPropertyListSaysWhatIsGiven() {
    let list = PropertyList(body: "a & b <c>\r\n", showsOpenButton: false, badge: 3, sound: "bell")
    #expect(
      String(decoding: list.encoded(), as: UTF8.self)
        == #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
        + "<key>UIAlertBody</key><string>a &amp; b &lt;c&gt;&#13;\n</string>"
        + "<key>UIAlertShowOpenButton</key><false/><key>UIApplicationBadge</key><integer>3</integer>"
        + "<key>UIAlertSound</key><string>bell</string></dict></plist>")
    #expect(String(decoding: PropertyList().encoded(), as: UTF8.self).hasSuffix("<dict></dict></plist>"))
  }
}

@Suite struct RetryPolicyTests {
  private let server = Endpoint(host: "h", port: 1)

  private func step(
    _ ending: RetryPolicy.Ending, attempt: Int = 1, hasRenewedToken: Bool = false, jitter: Double = 1
  ) -> RetryPolicy.Step {
    RetryPolicy().step(after: ending, attempt: attempt, hasRenewedToken: hasRenewedToken, jitter: jitter)
  }

  private func answered(_ status: Int, _ reason: String? = nil, retryAfter: Duration? = nil) -> RetryPolicy.Ending {
    .success(PushAnswer(status: status, reason: reason, retryAfter: retryAfter))
  }

  @Test(arguments: [200, 400, 403, 404, 405, 410, 413, 501, 502])
  func whatItIsIsNotTriedAgain(status: Int) {
    #expect(step(answered(status)) == .stop)
    #expect(step(answered(status, retryAfter: .seconds(1))) == .stop)
  }

  @Test(arguments: [429, 500, 503])
  func whatMayPassIsTriedLaterEachTime(status: Int) {
    let pauses = (1...4).map { step(answered(status), attempt: $0) }
    #expect(pauses == [1, 2, 4, 8].map { .tryAgain(after: .seconds($0), reconnects: false) })
    #expect(step(answered(status), attempt: 5) == .stop)
    #expect(step(answered(status), jitter: 0.5) == .tryAgain(after: .milliseconds(500), reconnects: false))
  }

  @Test func noPauseIsLongerThanTheLongest() {
    var policy = RetryPolicy()
    policy.attempts = 100
    for attempt in [7, 31, 32, 99] {
      #expect(
        policy.step(after: answered(503), attempt: attempt, hasRenewedToken: false, jitter: 1)
          == .tryAgain(after: .seconds(60), reconnects: false))
    }
  }

  @Test func theServersTimeIsKept() {
    #expect(
      step(answered(429, retryAfter: .seconds(30))) == .tryAgain(after: .seconds(30), reconnects: false))
    // The server's time is the minimum, not the maximum.
    #expect(
      step(answered(429, retryAfter: .seconds(1)), attempt: 4) == .tryAgain(after: .seconds(8), reconnects: false))
    #expect(
      step(answered(503, retryAfter: .seconds(600))) == .tryAgain(after: .seconds(600), reconnects: false))
    #expect(step(answered(503, retryAfter: .seconds(601))) == .stop)
  }

  @Test func aServerThatLeavesIsLeft() {
    #expect(step(answered(503, "Shutdown")) == .tryAgain(after: .seconds(1), reconnects: true))
  }

  @Test func anExpiredTokenIsRenewedOnce() {
    #expect(step(answered(403, "ExpiredProviderToken")) == .renewToken)
    #expect(step(answered(403, "ExpiredProviderToken"), attempt: 2, hasRenewedToken: true) == .stop)
    #expect(step(answered(403, "ExpiredProviderToken"), attempt: 5) == .stop)
    #expect(step(answered(403, "InvalidProviderToken")) == .stop)
  }

  @Test func lostConnectionsAreMadeAgain() {
    let closed = RetryPolicy.Ending.failure(.connectionClosed(server, reason: nil))
    #expect(step(closed) == .tryAgain(after: .zero, reconnects: true))
    #expect(step(closed, attempt: 2) == .tryAgain(after: .seconds(2), reconnects: true))
    #expect(step(closed, attempt: 5) == .stop)
    for error in [
      ProviderClientError.timedOut(server, .seconds(30), waitingFor: "answer"), .connectionRefused(server),
      .cannotConnect(server, reason: "no route"),
    ] {
      #expect(step(.failure(error)) == .tryAgain(after: .seconds(1), reconnects: true))
    }
  }

  @Test func whatNoTimeMendsIsNot() {
    for error in [
      ProviderClientError.unknownHost(server), .certificateNotTrusted(server), .nameMismatch(server), .noHTTP2(server),
      .tlsFailed(server, reason: "r"), .malformedAnswer(server, reason: "r"), .tooManyWaiting(server, limit: 1),
      .badKey(reason: "r"),
    ] {
      #expect(step(.failure(error)) == .stop)
    }
  }
}
