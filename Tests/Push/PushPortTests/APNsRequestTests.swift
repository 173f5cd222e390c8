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

  @Test("A request that repeats an accepted one has its values, and its own token, made id and time")
  func repeated() throws {
    let first = request()
    let accepted = try first.accept()
    let other = PushID(high: 1, low: 2)
    let path = "/3/device/" + String(repeating: "b2", count: 32)
    func repeated(_ changes: [String: String?]) -> APNsRequest? {
      first.repeated(as: RequestHead(fields(changes, authorization: "bearer x")), madeID: other)
    }
    let again = try #require(repeated([":path": path]))
    var expected = accepted
    (expected.id, expected.token) = (other, DeviceToken(hex: path.dropFirst(10)))
    expected.expiration = .at(WallTime(seconds: 1_795_248_060 + 30 * 86_400))
    func check(_ request: APNsRequest, _ path: String) throws(APNsRefusal) -> APNsPushHead {
      try accepted.repeated(as: request, path: path, now: WallTime(seconds: 1_795_248_060)) {
        (_) throws(APNsRefusal) -> Provider in TestProvider().provider()
      }
    }
    #expect(try check(again, path) == expected)
    #expect(again.echoedID == other.description)
    #expect(throws: APNsRefusal.self) { try check(again, "/3/device/" + String(repeating: "zz", count: 32)) }
    for changes in [
      [":path": path + "b2"], [":method": "PUT"], ["apns-priority": "5"], ["apns-topic": "com.example.bel1"],
    ] {
      #expect(repeated(changes) == nil, "\(changes)")
    }
  }

  @Test("The next head of a connection has nothing of the last one")
  func nextHead() {
    var head = RequestHead(fields(["apns-priority": "5"], authorization: "bearer x"))
    head.removeAll()
    #expect(head.path == "")
    #expect(head.authority == nil)
    #expect(head.method == "")
    #expect(head.headers == [:])
    #expect(head.bytes == 0)
    for (name, value) in [(":path", path), (":authority", "127.0.0.1"), (":method", "GET"), ("apns-topic", "a")] {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { value in head.add(name, value) }
      }
    }
    #expect(head.path == path)
    #expect(head.authority == "127.0.0.1")
    #expect(head.method == "GET")
    #expect(head.headers == ["apns-topic": "a"])
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
