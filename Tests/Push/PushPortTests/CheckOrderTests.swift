// Tests that a request with several mistakes is answered with the first in the documented order.

import Foundation
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

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

  @Test("A request with two mistakes hears of the one that is judged first: every pair there is")
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
