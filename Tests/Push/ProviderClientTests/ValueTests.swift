// Tokens, payloads and files: the parts that can be checked without a connection.

import Crypto
import Foundation
import Synchronization
import Testing

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
    ("", "this is not JSON; 'python3 -m json.tool' shows where the mistake is"),
    ("{\"aps\": {},\n  oops}", "this is not JSON; 'python3 -m json.tool' shows where the mistake is"),
    ("[]", "this is JSON, but no object {…}"),
    ("{}", "the key 'aps' is missing or no object; an .apns file is a whole payload"),
    (#"{"aps":"x"}"#, "the key 'aps' is missing or no object; an .apns file is a whole payload"),
    (
      #"{"aps":{},"Simulator Target Bundle":7}"#,
      "the key 'Simulator Target Bundle' must be an app's identifier, as a string"
    ),
    (
      #"{"aps":{},"Simulator Target Bundle":""}"#,
      "the key 'Simulator Target Bundle' must be an app's identifier, as a string"
    ),
  ])
  func malformed(text: String, reason: String) throws {
    #expect(throws: ProviderClientError.badFile(path: "a.apns", reason: reason)) { try file(text) }
  }

  @Test func fromDiskAndItsLimit() throws {
    let folder = "/tmp/apns-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/a.apns"
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
      path: folder + "/none", reason: "it cannot be read: No such file or directory; check the path")
    #expect(throws: none) { try APNSFile(path: folder + "/none") }
  }
}
