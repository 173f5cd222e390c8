// One request from its headers to its answer, without a socket.

import HandsetCore
import NIOHPACK
import Testing

@testable import PushGateway

private typealias Machine = APNsStreamHandler.StateMachine
private let madeID = PushID("0A0B0C0D-0000-4000-8000-00000000000F")!

extension APNsStreamHandler.StateMachine {
  fileprivate mutating func headers(
    _ changes: [String: String?] = [:], end: Bool = false, refuse: APNsRefusal? = nil
  ) -> Action {
    let provider = TestProvider().provider()
    return receiveHeaders(
      fields(changes, authorization: "bearer x"), endOfStream: end, now: now,
      authenticate: { (_) throws(APNsRefusal) -> Provider in
        if let refuse { throw refuse }
        return provider
      })
  }

  fileprivate mutating func body(_ text: String, end: Bool = true) -> Action {
    receiveBody(text.utf8, endOfStream: end)
  }
}

extension APNsStreamHandler.StateMachine.Action {
  fileprivate var push: Push? {
    if case .submit(let push) = self { push } else { nil }
  }

  fileprivate var refusal: RefusedPush? {
    if case .refuse(_, let record) = self { record } else { nil }
  }

  fileprivate var answer: APNsAnswer? {
    switch self {
    case .refuse(let answer, _), .answer(let answer): answer
    default: nil
    }
  }

  fileprivate var isNothing: Bool {
    if case .nothing = self { true } else { false }
  }

  fileprivate var isReset: Bool {
    if case .reset = self { true } else { false }
  }
}

@Suite("A request's life")
struct APNsStreamTests {
  private var machine = Machine(madeID: madeID, limits: .standard)

  @Test("Headers, a body in pieces, the host's word")
  mutating func accepted() {
    #expect(machine.headers().isNothing)
    #expect(machine.body(#"{"aps":"#, end: false).isNothing)
    let push = machine.body(#"{"alert":"x"}}"#).push
    #expect(push?.id == madeID)
    #expect(push?.message == Message(body: .literal("x")))
    #expect(machine.receiveOutcome(.accepted).answer == .accepted)
    #expect(machine.receiveOutcome(.unavailable).isNothing)
    #expect(machine.echoedID == "0A0B0C0D-0000-4000-8000-00000000000F")
  }

  @Test(
    "Each outcome has its answer",
    arguments: [
      (PushOutcome.accepted, 200, nil),
      (.badDeviceToken, 400, #"{"reason":"BadDeviceToken"}"#),
      (.deviceTokenNotForTopic, 400, #"{"reason":"DeviceTokenNotForTopic"}"#),
      (
        .unregistered(since: WallTime(microseconds: 1_795_248_000_123_456)), 410,
        #"{"reason":"Unregistered","timestamp":1795248000123}"#
      ),
      (
        .expiredToken(since: WallTime(microseconds: 1_795_248_000_999_999)), 410,
        #"{"reason":"ExpiredToken","timestamp":1795248000999}"#
      ),
      (.unavailable, 503, #"{"reason":"ServiceUnavailable"}"#),
      (.failed, 500, #"{"reason":"InternalServerError"}"#),
    ])
  func outcomes(_ outcome: PushOutcome, _ status: Int, _ body: String?) {
    var machine = machine
    _ = machine.headers()
    _ = machine.body(#"{"aps":{}}"#)
    var due = APNsAnswer(status: status, body: body)
    if status == 503 { due.retryAfterSeconds = 1 }
    #expect(machine.receiveOutcome(outcome).answer == due)
  }

  @Test("A body of 4,096 bytes is taken; one more is refused as soon as it is there, without its rest")
  mutating func size() {
    func body(_ bytes: Int) -> String {
      let frame = #"{"aps":{},"x":""}"#
      return frame.dropLast(2) + String(repeating: "x", count: bytes - frame.utf8.count) + "\"}"
    }
    var exact = machine
    _ = exact.headers()
    #expect(exact.body(body(4_096)).push?.payload.count == 4_096)
    var voip = machine
    _ = voip.headers(["apns-push-type": "voip"])
    #expect(voip.body(body(5_120)).push?.payload.count == 5_120)
    var voipOver = machine
    _ = voipOver.headers(["apns-push-type": "voip"])
    #expect(voipOver.body(body(5_121)).refusal?.reason == "PayloadTooLarge")
    _ = machine.headers()
    #expect(machine.body(String(body(4_097).prefix(4_000)), end: false).isNothing)
    #expect(machine.body(String(repeating: "x", count: 97), end: false).answer?.status == 413)
    #expect(machine.body(String(repeating: "x", count: 65_536), end: false).isNothing)
    #expect(machine.body("x", end: false).isReset)
    #expect(machine.body("x").isNothing)
  }

  @Test("A refused request's record names what could be read")
  func record() {
    let id = "123E4567-e89b-12d3-a456-426655440000"
    var wrong = machine
    #expect(
      wrong.headers(["apns-id": id, "apns-priority": "9"]).refusal
        == RefusedPush(
          id: PushID(id), topic: bell, status: 400, reason: "BadPriority",
          detail: "apns-priority '9' is none of 10, 5, 1"))
    #expect(wrong.echoedID == id)
    var noID = machine
    let record = noID.headers(["apns-id": "Zebra", "apns-topic": "no topic"]).refusal
    #expect(record?.id == nil)
    #expect(record?.topic == nil)
    #expect(record?.reason == "BadMessageId")
    #expect(noID.echoedID == "Zebra")
    var made = machine
    #expect(made.headers(["apns-topic": nil]).refusal?.id == madeID)
  }

  @Test("Size is judged before emptiness, headers before both, and the payload's own priority last")
  func order() {
    var large = machine
    _ = large.headers()
    #expect(large.body(String(repeating: "x", count: 4_097)).refusal?.reason == "PayloadTooLarge")
    var empty = machine
    #expect(empty.headers(end: true).refusal?.reason == "PayloadEmpty")
    var headers = machine
    #expect(
      headers.headers(["apns-collapse-id": String(repeating: "c", count: 65)], end: true).refusal?.reason
        == "BadCollapseId")
    var background = machine
    _ = background.headers(["apns-priority": "10"])
    #expect(background.body(#"{"aps":{"content-available":1}}"#).refusal?.reason == "BadPriority")
  }

  @Test("A body that does not end in time, before the answer and after it")
  func timeouts() {
    var waiting = machine
    _ = waiting.headers()
    #expect(waiting.isReceiving)
    let action = waiting.receiveTimeout()
    #expect(action.answer == APNsAnswer(.serviceUnavailable))
    #expect(action.answer?.body == #"{"reason":"ServiceUnavailable"}"#)
    #expect(action.answer?.retryAfterSeconds == 1)
    #expect(action.refusal?.detail == "the body did not end within 6 s")
    #expect(waiting.receiveTimeout().isReset)
    var submitted = machine
    _ = submitted.headers()
    _ = submitted.body(#"{"aps":{}}"#)
    #expect(!submitted.isReceiving)
    #expect(submitted.receiveTimeout().isNothing)
  }

  @Test("Trailers end a request; an outcome for a stream that is gone goes nowhere")
  func trailers() {
    var trailing = machine
    _ = trailing.headers()
    _ = trailing.body(#"{"aps":{}}"#, end: false)
    #expect(trailing.headers(["x": "y"], end: true).push != nil)
    trailing.close()
    #expect(trailing.receiveOutcome(.accepted).isNothing)
  }

  @Test("Each reason goes with one status")
  func statuses() {
    #expect(
      Dictionary(grouping: APNsReason.allCases, by: \.status).mapValues { $0.map(\.rawValue).sorted() } == [
        400: [
          "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
          "DeviceTokenNotForTopic", "DuplicateHeaders", "InvalidPushType", "MissingDeviceToken", "MissingTopic",
          "PayloadEmpty", "TopicDisallowed",
        ],
        403: [
          "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken", "ExpiredProviderToken",
          "Forbidden", "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
        ],
        404: ["BadPath"], 405: ["MethodNotAllowed"], 410: ["ExpiredToken", "Unregistered"], 413: ["PayloadTooLarge"],
        429: ["TooManyProviderTokenUpdates", "TooManyRequests"], 431: ["RequestHeaderFieldsTooLarge"],
        500: ["InternalServerError"],
        503: ["ServiceUnavailable"],
      ])
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

@Suite("Which protocol a connection speaks")
struct ProtocolDetectorTests {
  @Test("The preface tells, as soon as it can")
  func preface() {
    let preface = ProtocolDetector.preface
    #expect(ProtocolDetector.find(in: []) == nil)
    #expect(ProtocolDetector.find(in: preface.prefix(23)) == nil)
    #expect(ProtocolDetector.find(in: preface) == .http2)
    #expect(ProtocolDetector.find(in: preface + [0, 0]) == .http2)
    #expect(ProtocolDetector.find(in: Array("P".utf8)) == nil)
    #expect(ProtocolDetector.find(in: Array("PU".utf8)) == .http1)
    #expect(ProtocolDetector.find(in: Array("GET / HTTP/1.1".utf8)) == .http1)
  }
}
