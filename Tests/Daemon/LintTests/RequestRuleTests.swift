import Testing

@testable import Lint

/// A rule with requests that break it in their last one, and requests near them that break none.
struct RuleCase: Sendable, CustomTestStringConvertible {
  let rule: LintRule
  let faulty: [LintedRequest]
  let fine: [LintedRequest]
  /// Codes of rules that the last faulty request breaks too.
  var others: Set<String> = []

  init(_ rule: LintRule, _ faulty: [LintedRequest], others: Set<String> = [], fine: [LintedRequest]) {
    (self.rule, self.faulty, self.fine, self.others) = (rule, faulty, fine, others)
  }

  var testDescription: String { "\(rule.code) \(rule.name)" }

  func check() {
    let last = codes(faulty).last ?? []
    #expect(Set(last) == others.union([rule.code]), "\(last)")
    #expect(codes(fine) == fine.map { _ in [] })
  }
}

@Suite("A rule finds its fault, and nothing in a request near it") struct RuleTests {
  @Test("The head", arguments: RuleCase.head) func head(_ of: RuleCase) { of.check() }
  @Test("The payload", arguments: RuleCase.payload) func payload(_ of: RuleCase) { of.check() }
  @Test("Connections", arguments: RuleCase.connections) func connections(_ of: RuleCase) { of.check() }
  @Test("Provider tokens", arguments: RuleCase.tokens) func tokens(_ of: RuleCase) { of.check() }
  @Test("Retries", arguments: RuleCase.retries) func retries(_ of: RuleCase) { of.check() }

  @Test("Each rule has a code of its own, in ascending order, and a test")
  func table() {
    let codes = LintRule.all.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == codes.count)
    #expect(Set(LintRule.all.map(\.name)).count == codes.count)
    let cases = RuleCase.head + RuleCase.payload + RuleCase.connections + RuleCase.tokens + RuleCase.retries
    #expect(Set(cases.map(\.rule.code)) == Set(codes))
    for rule in LintRule.all {
      #expect(rule.fault.hasSuffix(".") && rule.remedy.hasSuffix("."), "\(rule.code)")
      #expect((rule.source.address == nil) == (rule.source == .advice), "\(rule.code)")
    }
  }
}

extension RuleCase {
  static let head = [
    RuleCase(.noPushType, [request(without: ["apns-push-type"])], fine: [request()]),
    RuleCase(
      .noPushType, [background(without: ["apns-push-type", "apns-priority"])], others: ["L105"], fine: [background()]),
    RuleCase(.alertWithoutContent, [request(payload: #"{"aps":{"thread-id":"a"}}"#)], fine: [badge("1")]),
    RuleCase(
      .backgroundWithContent, [background(payload: #"{"aps":{"content-available":1,"sound":"default"}}"#)],
      fine: [background(payload: #"{"aps":{"content-available":1,"thread-id":"a"}}"#)]),
    RuleCase(
      .backgroundWithoutFlag, [background(payload: #"{"aps":{},"mail":7}"#)],
      fine: [background(payload: #"{"aps":{"content-available":1},"mail":7}"#)]),
    RuleCase(.backgroundPriority, [background(["apns-priority": "10"])], fine: [background()]),
    RuleCase(.backgroundPriority, [background(without: ["apns-priority"])], fine: [background()]),
    RuleCase(.noPriority, [request(without: ["apns-priority"])], fine: [request(["apns-priority": "1"])]),
    RuleCase(
      .topicSuffix, [request(["apns-push-type": "voip"])],
      fine: [request(["apns-push-type": "voip", "apns-topic": "com.example.mail.voip"])]),
    RuleCase(.noExpiration, [request(without: ["apns-expiration"])], fine: [request()]),
    RuleCase(
      .expired, [request(["apns-expiration": "1767225599"])], fine: [request(["apns-expiration": "1767225600"])]),
    RuleCase(
      .expired, [request(["apns-expiration": "1767225599"])],
      // The handset's clock is behind the machine's.
      fine: [request(["apns-expiration": "1767225599"]).withWallTime(at: -second)]),
    RuleCase(
      .milliseconds, [request(["apns-expiration": "1767225600000"])],
      fine: [request(["apns-expiration": "99999999999"])]),
    RuleCase(.noUUID, [request(["apns-id": "mail-7"])], fine: [request()]),
    RuleCase(.noUUID, [request(["apns-id": "123e4567-e89b-12d3-a456-42665544000g"])], fine: [request()]),
    RuleCase(
      .upperCaseUUID, [request(["apns-id": "123E4567-e89b-12d3-a456-426655440000"])],
      fine: [request(["apns-id": "123e4567-e89b-12d3-a456-426655440000"])]),
    RuleCase(.noID, [request(without: ["apns-id"])], fine: [request()]),
    RuleCase(
      .reusedID, [request(1, id: 7), request(2, at: minute, id: 7, payload: #"{"aps":{"badge":2}}"#)],
      fine: [request(1, id: 7), request(2, id: 7)]),
    RuleCase(
      .longCollapseID, [request(["apns-collapse-id": String(repeating: "c", count: 65)])],
      fine: [request(["apns-collapse-id": String(repeating: "c", count: 64)])]),
    RuleCase(
      .collapseIDNotText, [request(["apns-collapse-id": "größe"])], fine: [request(["apns-collapse-id": "a b~"])]),
    RuleCase(
      .uselessCollapseID, [request(["apns-collapse-id": uuid(1)])], fine: [request(["apns-collapse-id": uuid(2)])]),
    RuleCase(
      .noBearer, [request(["authorization": "…0a1b2c3d"])], fine: [request(["authorization": "Bearer …0a1b2c3d"])]),
    RuleCase(
      .malformedRequest, [request().ended("reset", frontEnd: "none")],
      fine: [request().ended("refused", frontEnd: "none")]
    ),
    RuleCase(.tokenNotHexadecimal, [request(device: "%3C0f0f%200f0f%3E")], fine: [request(device: "0f0f0f0f")]),
    RuleCase(.upperCaseToken, [request(device: "0F0f")], fine: [request(device: "0f0f")]),
    RuleCase(.unknownField, [request(["apns-expiry": "0"])], fine: [request(["x-apns-expiry": "0"])]),
  ]

  static let payload = [
    RuleCase(.nearLimit, [large(3_892)], fine: [large(3_891)]),
    RuleCase(.nearLimit, [large(4_864, voip)], fine: [large(4_863, voip)]),
    RuleCase(.noAPS, [request(payload: #"{"mail":7}"#)], fine: [request(payload: #"{"mail":7}"#, voip)]),
    aps(.unknownAPSKey, #""badge":1,"mail":7"#, fine: #""badge":1,"thread-id":"a""#),
    aps(.unknownAlertKey, #""alert":{"title":"A","text":"B"}"#, fine: #""alert":{"title":"A","body":"B"}"#),
    activity(
      .unknownAlertKey, #""alert":{"title":"A","tone":"a.caf"}"#,
      fine: #""alert":{"title":{"loc-key":"K"},"sound":"a.caf"}"#),
    activity(.soundWithoutExtension, #""alert":{"title":"A","sound":"goal"}"#, fine: #""sound":"goal.caf""#),
    activity(.emptyMember, #""alert":{}"#, fine: #""attributes":{},"attributes-type":"Match","relevance-score":100"#),
    aps(.emptyMember, #""badge":1,"attributes":{}"#, fine: #""badge":1,"attributes":{"a":1}"#),
    aps(.wrongForm, #""badge":"1""#, fine: #""badge":1"#),
    aps(.wrongForm, #""badge":1,"thread-id":7"#, fine: #""badge":1,"thread-id":"7""#),
    aps(.wrongForm, #""alert":{"loc-key":"K","loc-args":[1]}"#, fine: #""alert":{"loc-key":"K","loc-args":["1"]}"#),
    RuleCase(.wrongForm, [request(payload: #"{"aps":[]}"#)], fine: [badge("1")]),
    aps(.flagNotOne, #""badge":1,"content-available":0"#, fine: #""badge":1,"content-available":1"#),
    aps(
      .flagNotOne, #""badge":1,"content-available":true"#, others: ["L205"], fine: #""badge":1,"content-available":1"#),
    aps(
      .flagNotOne, #""badge":1,"sound":{"critical":2,"name":"default"}"#,
      fine: #""badge":1,"sound":{"critical":1,"name":"default"}"#),
    RuleCase(.badBadge, [badge("-1")], fine: [badge("0")]),
    RuleCase(.badBadge, [badge("1.5")], fine: [badge("1.0")]),
    aps(.argumentsWithoutKey, #""alert":{"body":"B","loc-args":[]}"#, fine: #""alert":{"loc-key":"K","loc-args":[]}"#),
    aps(
      .argumentsWithoutKey, #""alert":{"loc-key":"K","title-loc-args":["1"]}"#,
      fine: #""alert":{"loc-key":"K","title-loc-key":"T","title-loc-args":["1"]}"#),
    aps(.soundWithoutExtension, #""sound":"parcel""#, fine: #""sound":"parcel.caf""#),
    aps(
      .unknownLevel, #""badge":1,"interruption-level":"urgent""#, fine: #""badge":1,"interruption-level":"critical""#),
    aps(.relevance, #""badge":1,"relevance-score":1.01"#, fine: #""badge":1,"relevance-score":1"#),
    aps(
      .relevance, #""sound":{"critical":1,"name":"a.caf","volume":2}"#,
      fine: #""sound":{"critical":1,"name":"a.caf","volume":0.5}"#),
    aps(.emptyMember, #""badge":1,"category":"""#, fine: #""badge":1,"category":"a""#),
    aps(.emptyMember, #""badge":1,"":"a""#, fine: #""badge":1"#),
    aps(.mutableWithoutAlert, #""badge":1,"mutable-content":1"#, fine: #""alert":"A","mutable-content":1"#),
  ]

  private static let voip = ["apns-push-type": "voip", "apns-topic": "com.example.mail.voip"]

  private static func badge(_ number: String) -> LintedRequest { request(payload: #"{"aps":{"badge":\#(number)}}"#) }

  /// Returns a case of a Live Activity's updates, whose states are empty.
  private static func activity(_ rule: LintRule, _ faulty: String, fine: String) -> RuleCase {
    func update(_ members: String) -> LintedRequest {
      request(
        payload: #"{"aps":{"event":"update","timestamp":1767225600,"content-state":{},\#(members)}}"#,
        ["apns-push-type": "liveactivity", "apns-topic": "com.example.mail.push-type.liveactivity"])
    }
    return RuleCase(rule, [update(faulty)], fine: [update(fine)])
  }

  private static func aps(_ rule: LintRule, _ faulty: String, others: Set<String> = [], fine: String) -> RuleCase {
    RuleCase(
      rule, [request(payload: #"{"aps":{\#(faulty)}}"#)], others: others,
      fine: [request(payload: #"{"aps":{\#(fine)}}"#)])
  }
}
