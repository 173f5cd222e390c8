import HTTP
import HandsetCore
import NIOHPACK
import Testing

@testable import PushPort

private let madeID = PushID("0A0B0C0D-0000-4000-8000-00000000000F")!

private func request(_ changes: [String: String?] = [:]) -> APNsRequest {
  APNsRequest(RequestHead(fields(changes, authorization: "bearer x")), madeID: madeID)
}

extension APNsRequest {
  fileprivate func accept() throws(APNsRefusal) -> APNsPushHead {
    let provider = TestProvider().provider()
    return try APNsPushHead(
      self, now: now, limits: .standard, authenticate: { (_) throws(APNsRefusal) -> Provider in provider })
  }

  /// Returns the push, or the reason for refusing it.
  fileprivate func push(_ body: String) -> Result<Push, APNsRefusal> {
    Result { () throws(APNsRefusal) -> Push in
      try push(accept(), Array(body.utf8), .standard)
    }
  }
}

@Suite("A request of the provider API")
struct APNsRequestTests {
  @Test("Header fields and a body become a push")
  func accepted() throws {
    let request = request()
    let push = try request.push(#"{"aps":{"alert":"x"}}"#).get()
    #expect(push.id == madeID)
    #expect(!push.hasProviderID)
    #expect(push.message == Message(body: .literal("x")))
    #expect(request.echoedID == "0A0B0C0D-0000-4000-8000-00000000000F")
  }

  @Test(
    "Each outcome has its answer",
    arguments: [
      (Input.Outcome.stored(.accepted), 200, nil),
      (.stored(.refused(.badDeviceToken)), 400, #"{"reason":"BadDeviceToken"}"#),
      (.stored(.refused(.deviceTokenNotForTopic)), 400, #"{"reason":"DeviceTokenNotForTopic"}"#),
      (
        .stored(.refused(.unregistered(since: WallTime(microseconds: 1_795_248_000_123_456)))), 410,
        #"{"reason":"Unregistered","timestamp":1795248000123}"#
      ),
      (
        .stored(.refused(.expiredToken(since: WallTime(microseconds: 1_795_248_000_999_999)))), 410,
        #"{"reason":"ExpiredToken","timestamp":1795248000999}"#
      ),
      (.failed("the disk is full"), 503, #"{"reason":"ServiceUnavailable"}"#),
      (.stored(.refused(.tooManyApps)), 500, #"{"reason":"InternalServerError"}"#),
    ])
  func outcomes(_ outcome: Input.Outcome, _ status: Int, _ body: String?) {
    var headers: HeaderFields = ["apns-id": "id"]
    if let body {
      headers.add("application/json", for: "content-type")
      headers.add("\(body.utf8.count)", for: "content-length")
    }
    if status == 503 { headers.add("1", for: "retry-after") }
    let response = HTTPResponse(outcome, id: "id")
    #expect(response.status == status)
    #expect(response.headers == headers)
    #expect(response.bytes == Array((body ?? "").utf8))
    #expect(response.connection == .keep)
  }

  @Test("The record of a refused request has the fields that could be read")
  func record() {
    let id = "123E4567-e89b-12d3-a456-426655440000"
    let wrong = request(["apns-id": id, "apns-priority": "9"])
    #expect(
      wrong.push("").failure.map { wrong.record(of: $0) }
        == RefusedPush(
          id: PushID(id), topic: bell, status: 400, reason: "BadPriority",
          detail: "apns-priority '9' is none of 10, 5, 1"))
    #expect(wrong.echoedID == id)
    let noID = request(["apns-id": "Zebra", "apns-topic": "no topic"])
    let record = noID.push("").failure.map { noID.record(of: $0) }
    #expect(record?.id == nil)
    #expect(record?.topic == nil)
    #expect(record?.reason == "BadMessageId")
    #expect(noID.echoedID == "Zebra")
    let made = request(["apns-topic": nil])
    #expect(made.push("").failure.map { made.record(of: $0) }?.id == madeID)
  }

  @Test("Made ids are version 4 UUIDs in upper case")
  func madeIDs() {
    let text = PushID.random().description
    #expect(text == text.uppercased())
    #expect(Array(text)[14] == "4")
    #expect("89AB".contains(Array(text)[19]))
    #expect(PushID.random() != PushID.random())
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
