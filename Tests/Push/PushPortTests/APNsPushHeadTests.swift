import Foundation
import HTTP
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

private let provider = TestProvider()
private let madeID = PushID("0A0B0C0D-0000-4000-8000-00000000000F")!

private func head(
  _ changes: [String: String?] = [:], also: [(String, String)] = [], topics: [AppID] = [bell]
) throws -> APNsPushHead {
  let headers = fields(changes, authorization: "bearer good", also: also)
  return try APNsPushHead(
    APNsRequest(RequestHead(headers), madeID: madeID), now: now, limits: .standard,
    authenticate: { (request) throws(APNsRefusal) -> Provider in
      let token = try ProviderToken.bearer(request[.authorization])
      guard String(token) == "good" else { throw APNsRefusal(.invalidProviderToken, "bad") }
      return provider.provider(topics: topics)
    })
}

private func reason(_ changes: [String: String?], also: [(String, String)] = []) -> String? {
  do {
    _ = try head(changes, also: also)
    return nil
  } catch {
    return (error as? APNsRefusal)?.reason.rawValue
  }
}

@Suite("Header fields of the provider API")
struct APNsPushHeadTests {
  @Test("Absent fields have their defaults")
  func defaults() throws {
    let taken = try head()
    #expect(taken.id == madeID)
    #expect(taken.token == DeviceToken(hex: token))
    #expect(taken.topic == bell)
    #expect(taken.type == nil)
    #expect(taken.priority == nil)
    #expect(taken.expiration == .at(WallTime(seconds: 1_795_248_000 + 30 * 86_400)))
    #expect(taken.collapseID == nil)
    #expect(taken.payloadLimit == 4_096)
  }

  @Test("Fields are read")
  func all() throws {
    let id = "123e4567-E89B-12d3-a456-4266554400a0"
    let taken = try head([
      "apns-id": id, "apns-push-type": "voip", "apns-expiration": "0", "apns-priority": "1",
      "apns-collapse-id": String(repeating: "c", count: 64),
    ])
    #expect(taken.id.description == id)
    #expect(taken.type == .voip)
    #expect(taken.expiration == .once)
    #expect(taken.priority == 1)
    #expect(taken.collapseID?.utf8.count == 64)
    #expect(taken.payloadLimit == 5_120)
    #expect(try head(["apns-expiration": "1795248060"]).expiration == .at(WallTime(seconds: 1_795_248_060)))
  }

  /// More are rows of `Conformance`.
  @Test(
    "Each wrong field has its reason",
    arguments: [
      ("apns-id", "no-uuid", "BadMessageId"),
      ("apns-id", "", "BadMessageId"),
      ("apns-id", "{123e4567-e89b-12d3-a456-426655440000}", "BadMessageId"),
      (":path", "/", "BadPath"),
      (":path", "/com.example.bell/0123/Inbox", "BadPath"),
      (":path", "/3", "BadPath"),
      (":path", "/3/device/a1/b2", "BadPath"),
      (":path", "/3/device", "MissingDeviceToken"),
      (":path", "/3/device/a1b", "BadDeviceToken"),
      (":path", "/3/device/" + String(repeating: "a1", count: 101), "BadDeviceToken"),
      (":path", "/3/device/a1?x=1", "BadDeviceToken"),
      ("authorization", "bearer", "MissingProviderToken"),
      ("authorization", "bearer ", "MissingProviderToken"),
      ("authorization", "bearer other", "InvalidProviderToken"),
      ("apns-topic", "", "MissingTopic"),
      ("apns-topic", "com.example.bell.ringer", "TopicDisallowed"),
      ("apns-push-type", "Alert", "InvalidPushType"),
      ("apns-push-type", "", "InvalidPushType"),
      ("apns-priority", "2", "BadPriority"),
      ("apns-priority", "010", "BadPriority"),
      ("apns-priority", "", "BadPriority"),
      ("apns-expiration", "-1", "BadExpirationDate"),
      ("apns-expiration", "+1", "BadExpirationDate"),
      ("apns-expiration", "1.5", "BadExpirationDate"),
      ("apns-expiration", "", "BadExpirationDate"),
      ("apns-expiration", "9223372036854775808", "BadExpirationDate"),
      ("apns-collapse-id", String(repeating: "ü", count: 33), "BadCollapseId"),
      ("content-length", "4097", "PayloadTooLarge"),
    ])
  func wrong(_ name: String, _ value: String, _ expected: String) {
    #expect(reason([name: value]) == expected)
  }

  @Test(
    "A field of APNs that comes twice is refused, even with the same value",
    arguments: [
      "authorization", "apns-id", "apns-topic", "apns-push-type", "apns-expiration", "apns-priority",
      "apns-collapse-id",
    ])
  func duplicate(_ name: String) {
    let values = [
      "authorization": "bearer good", "apns-id": "123e4567-e89b-12d3-a456-426655440000", "apns-topic": bell.text,
      "apns-push-type": "alert", "apns-expiration": "0", "apns-priority": "10", "apns-collapse-id": "c",
    ]
    #expect(reason([name: values[name]!]) == nil)
    #expect(reason([name: values[name]!], also: [(name, values[name]!)]) == "DuplicateHeaders")
  }

  @Test("A background push with an explicit priority 10 is refused (U3)")
  func backgroundPriority() throws {
    #expect(reason(["apns-push-type": "background", "apns-priority": "10"]) == "BadPriority")
    #expect(try head(["apns-push-type": "background", "apns-priority": "5"]).priority == 5)
    #expect(try head(["apns-push-type": "background"]).priority == nil)
  }

  @Test("The scheme bearer is accepted in any case, and a topic may end with its push type's word")
  func lenient() throws {
    #expect(reason(["authorization": "Bearer good"]) == nil)
    #expect(try head(["apns-topic": "com.example.bell.voip", "apns-push-type": "voip"]).topic == bell)
    let literal = AppID("com.example.bell.voip")!
    #expect(
      try head(["apns-topic": literal.text, "apns-push-type": "voip"], topics: [bell, literal]).topic == literal)
  }

  @Test(
    "Each type of push has its form of topic, from which an absent type is inferred [APNs]",
    arguments: [
      (PushType.location, ".location-query"), (.voip, ".voip"), (.complication, ".complication"),
      (.fileprovider, ".pushkit.fileprovider"), (.liveactivity, ".push-type.liveactivity"),
      (.pushtotalk, ".voip-ptt"), (.widgets, ".push-type.widgets"), (.controls, ".push-type.controls"),
    ])
  func suffixes(_ type: PushType, _ suffix: String) throws {
    let topic = bell.text + suffix
    let told = try head(["apns-topic": topic, "apns-push-type": type.rawValue])
    #expect(told.topic == bell)
    #expect(told.type == type)
    #expect(told.fault == nil)
    #expect(try head(["apns-topic": topic]).type == type)
    #expect(reason(["apns-topic": topic, "apns-push-type": "alert"]) == "TopicDisallowed")
    let bare = try head(["apns-push-type": type.rawValue])
    #expect(bare.topic == bell)
    #expect(
      bare.fault
        == PayloadFault(path: "apns-topic", problem: "Apple's service wants \(topic) of a \(type.rawValue) push"))
    #expect(told.payloadLimit == (type == .voip ? 5_120 : 4_096))
  }

  @Test("Types without a topic form of their own have the app's topic", arguments: [PushType.alert, .background, .mdm])
  func plainTopics(_ type: PushType) throws {
    let taken = try head(["apns-push-type": type.rawValue])
    #expect(taken.topic == bell)
    #expect(taken.type == type)
    #expect(taken.fault == nil)
  }

  @Test("A wrong type is reported as such even if the topic has a type's word")
  func wrongTypeWithSuffix() {
    #expect(reason(["apns-topic": bell.text + ".voip", "apns-push-type": "x"]) == "InvalidPushType")
  }

  @Test("A refusal explains the mistake, and contains no credential")
  func detail() throws {
    let error = #expect(throws: APNsRefusal.self) { try head(["authorization": "bearer s3cr3t"]) }
    #expect(error?.detail.contains("s3cr3t") == false)
    let topic = #expect(throws: APNsRefusal.self) { try head(["apns-topic": "com.example.other"]) }
    #expect(topic?.detail == "provider 'bellringer' may not push to com.example.other; its apps: com.example.bell")
  }
}

@Suite struct QuotedPathTests {
  /// An event must not contain the whole device token of a path.
  @Test func deviceTokensAreCut() {
    let token = String(repeating: "a1B2c3D4", count: 8)
    #expect(quotedPath("/3/device/\(token)/x") == "'/3/device/a1B2c3D4…/x'")
    #expect(quotedPath("/3/devices/\(token)") == "'/3/devices/a1B2c3D4…'")
    #expect(quotedPath("/com.example/0123456789abcde/Inbox") == "'/com.example/0123456789abcde/Inbox'")
    #expect(quotedPath("/0123456789abcdef") == "'/01234567…'")
    #expect(quotedPath("") == "''")
  }
}

private typealias Row = Conformance.Row

/// A request with any number of mistakes.
private struct Mistaken {
  var changes: [String: String?] = [:]
  var also: [(String, String)] = []
  var body = Conformance.payload
  var authorization: String?
}

@Suite("The order of checks", .timeLimit(.minutes(10)))
struct CheckOrderTests {
  /// The mistakes in the documented order; of two in one field, the later gives way.
  private static let mistakes: [(name: String, reason: APNsReason, make: @Sendable (inout Mistaken) -> Void)] = [
    ("apns-id", .badMessageID, { $0.changes["apns-id"] = "42" }),
    ("method", .methodNotAllowed, { $0.changes[":method"] = "PUT" }),
    ("path", .badPath, { $0.changes[":path"] = "/3/devices/" + token }),
    ("token form", .badDeviceToken, { $0.changes[":path"] = "/3/device/xyz" }),
    ("duplicate headers", .duplicateHeaders, { $0.also = [("apns-priority", "10"), ("apns-priority", "10")] }),
    ("authentication", .invalidProviderToken, { $0.authorization = "bearer x.y.z" }),
    ("topic", .topicDisallowed, { $0.changes["apns-topic"] = "com.example.foreign" }),
    ("push type", .invalidPushType, { $0.changes["apns-push-type"] = "shout" }),
    ("priority", .badPriority, { $0.changes["apns-priority"] = "7" }),
    ("expiration", .badExpirationDate, { $0.changes["apns-expiration"] = "soon" }),
    ("collapse-id", .badCollapseID, { $0.changes["apns-collapse-id"] = String(repeating: "c", count: 65) }),
    ("size", .payloadTooLarge, { $0.body = String(repeating: "x", count: 4_097) }),
    ("empty or not JSON", .payloadEmpty, { $0.body = "not JSON" }),
    ("token known", .badDeviceToken, { $0.changes[":path"] = "/3/device/ffff" }),
    ("token's topic", .deviceTokenNotForTopic, { $0.changes["apns-topic"] = Conformance.other.text }),
    (
      "registered", .unregistered,
      {
        $0.changes[":path"] = "/3/device/cc"
        $0.changes["apns-topic"] = Conformance.left.text
      }
    ),
  ]

  @Test("Of every pair of mistakes, the one that is checked first is reported")
  func everyPair() async throws {
    let row = Row(200, nil, "") { stage in
      let mistakes = CheckOrderTests.mistakes
      // An unauthenticated client may not make this many mistakes.
      _ = try await stage.send()
      for first in mistakes.indices {
        for second in mistakes.indices[first...] {
          var request = Mistaken()
          // The earlier mistake is made last, so that it stays if both are in one field.
          mistakes[second].make(&request)
          mistakes[first].make(&request)
          let answer = try await stage.send(
            request.changes, also: request.also, body: request.body, authorization: request.authorization)
          #expect(
            answer.status == mistakes[first].reason.status
              && answer.body.hasPrefix(#"{"reason":"\#(mistakes[first].reason.rawValue)""#),
            "\(mistakes[first].name) and \(mistakes[second].name): \(answer.status) \(answer.body)")
        }
      }
      return try await stage.send()
    }
    #expect(try await row.run().status == 200)
  }
}
