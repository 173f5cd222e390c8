import HTTP
import HandsetCore
import Testing

@testable import PushPort

private func payload(_ aps: String) throws -> APNsPayload {
  try APNsPayload(Array("{\"aps\":\(aps)}".utf8), limits: .standard)
}

private func fault(_ aps: String) throws -> String? {
  try payload(aps).faults.first.map { "\($0.path): \($0.problem)" }
}

private func reason(_ body: [UInt8]) -> String? {
  do {
    _ = try APNsPayload(body, limits: .standard)
    return nil
  } catch {
    return error.reason.rawValue
  }
}

@Suite("Payloads")
struct APNsPayloadTests {
  @Test("All at once")
  func everything() throws {
    let taken = try payload(
      """
      {"alert":{"title":"Door","subtitle":"Front","body":"It rings","action-loc-key":"OPEN","launch-image":"l.png"},
      "badge":12,"sound":"chime","thread-id":"door","category":"RING","content-available":1,"mutable-content":1,
      "target-content-id":"w","interruption-level":"time-sensitive","relevance-score":0.5,"filter-criteria":"f",
      "timestamp":1,"event":"update","content-state":{"a":1},"stale-date":2,"dismissal-date":3,
      "attributes-type":"T","attributes":{}}
      """)
    #expect(
      taken.message
        == Message(
          title: .literal("Door"), subtitle: .literal("Front"), body: .literal("It rings"),
          actionTitle: .localized(key: "OPEN")))
    #expect(taken.badge == .number(12))
    #expect(taken.sound == .named("chime"))
    #expect(taken.threadID == "door")
    #expect(taken.targetContentID == "w")
    #expect(taken.category == "RING")
    #expect(taken.launchImage == "l")
    #expect(taken.contentAvailable == true)
    #expect(taken.level == .timeSensitive)
    #expect(taken.relevance == 0.5)
    #expect(taken.filterCriteria == "f")
    #expect(taken.faults == [])
    #expect(taken.isBackgroundUpdate == false)
  }

  @Test("N14: what a notification is about has a limit; beyond it, or of another type, it is ignored")
  func target() throws {
    let longest = String(repeating: "x", count: Policy.targetContentIDLimit)
    #expect(try payload(#"{"target-content-id":"\#(longest)"}"#).targetContentID == longest)
    let longer = #"{"target-content-id":"\#(longest)x"}"#
    #expect(try payload(longer).targetContentID == nil)
    #expect(try fault(longer) == "aps.target-content-id: 1025 bytes; expected at most 1024")
    #expect(try fault(#"{"target-content-id":7}"#) == "aps.target-content-id: expected a string, got a number")
    #expect(try payload(#"{"target-content-id":""}"#).targetContentID == nil)
  }

  @Test("Q3: filter-criteria of 256 bytes are used, one more is not")
  func filterCriteriaLimit() throws {
    let longest = String(repeating: "a", count: 256)
    #expect(try payload(#"{"alert":"A","filter-criteria":"\#(longest)"}"#).filterCriteria == longest)
    let longer = try payload(#"{"alert":"A","filter-criteria":"\#(longest)a"}"#)
    #expect(longer.filterCriteria == nil)
    #expect(
      longer.faults == [PayloadFault(path: "aps.filter-criteria", problem: "it has more than 256 bytes")])
  }

  @Test(
    "N11: Deskbell's own key repeats the sound; wrong values in it are ignored, the others apply",
    arguments: [
      (#"{"repeat":{"every":60,"times":30}}"#, RepeatRequest(every: .seconds(60), times: 30), nil),
      (#"{"repeat":{}}"#, RepeatRequest(), nil), (#"{"repeat":null}"#, nil, nil), ("null", nil, nil), ("{}", nil, nil),
      (#"{"repeat":{"every":10}}"#, RepeatRequest(every: .seconds(10)), nil),
      (#"{"repeat":{"every":3600,"times":100}}"#, RepeatRequest(every: .seconds(3600), times: 100), nil),
      (
        #"{"repeat":{"every":9,"times":1}}"#, RepeatRequest(times: 1),
        "deskbell.repeat.every: expected a whole number from 10 to 3600, got 9"
      ),
      (
        #"{"repeat":{"every":3601}}"#, RepeatRequest(),
        "deskbell.repeat.every: expected a whole number from 10 to 3600, got 3601"
      ),
      (
        #"{"repeat":{"every":"60s","times":2}}"#, RepeatRequest(times: 2),
        "deskbell.repeat.every: expected a whole number from 10 to 3600, got '60s'"
      ),
      (
        #"{"repeat":{"times":0}}"#, RepeatRequest(),
        "deskbell.repeat.times: expected a whole number from 1 to 100, got 0"
      ),
      (
        #"{"repeat":{"times":101}}"#, RepeatRequest(),
        "deskbell.repeat.times: expected a whole number from 1 to 100, got 101"
      ),
      (#"{"repeat":true}"#, nil, "deskbell.repeat: expected an object, got true"),
      (#"{"repaet":{}}"#, nil, "deskbell.repaet: no such key; expected repeat"),
      (#"{"repeat":{"evry":60}}"#, RepeatRequest(), "deskbell.repeat.evry: no such key; expected every or times"),
      ("[]", nil, "deskbell: expected an object, got an array"),
    ] as [(String, RepeatRequest?, String?)])
  func repetition(own: String, request: RepeatRequest?, fault: String?) throws {
    let taken = try APNsPayload(
      Array(#"{"aps":{"alert":"x","sound":"default"},"deskbell":\#(own)}"#.utf8), limits: .standard)
    #expect(taken.repetition == request)
    #expect(taken.faults.map { "\($0.path): \($0.problem)" } == (fault.map { [$0] } ?? []))
    #expect(taken.message == Message(body: .literal("x")))
  }

  @Test("An empty aps has no effect; null counts as absent")
  func empty() throws {
    for aps in ["{}", #"{"alert":null,"badge":null,"sound":null,"content-available":null}"#] {
      let taken = try payload(aps)
      #expect(taken.message == nil)
      #expect(taken.badge == .absent)
      #expect(taken.sound == .none)
      #expect(taken.contentAvailable == false)
      #expect(taken.level == .active)
      #expect(taken.faults == [])
    }
  }

  @Test(
    "Badges are whole and not negative (B2); null and absent are none (B4)",
    arguments: [
      ("0", BadgeRequest.number(0)), ("1", .number(1)), ("9223372036854775807", .number(.max)),
      ("3.0", .number(3)), ("1e3", .number(1_000)), ("-0", .number(0)), ("1e400", .bad("1e400")),
      ("1" + String(repeating: "0", count: 60), .bad("1" + String(repeating: "0", count: 39) + "…")),
      ("-1", .bad("-1")), ("1.5", .bad("1.5")), ("\"3\"", .bad("'3'")), ("true", .bad("true")),
      ("9223372036854775808", .bad("9223372036854775808")), ("[1]", .bad("an array")), ("{}", .bad("an object")),
    ])
  func badge(_ json: String, _ expected: BadgeRequest) throws {
    let taken = try payload("{\"badge\":\(json),\"alert\":\"still\"}")
    #expect(taken.badge == expected)
    #expect(taken.message?.body == .literal("still"))
    // A bad badge has an event of its own, so it is not a fault too.
    #expect(taken.faults == [])
  }

  @Test("Texts are literal, or keys of the app's strings with arguments")
  func localized() throws {
    let message = try payload(
      """
      {"alert":{"title-loc-key":"T","subtitle-loc-key":"S","subtitle-loc-args":["a"],"body":"x","loc-key":"B",
      "loc-args":["one","two"],"action-loc-key":null}}
      """
    ).message
    #expect(
      message
        == Message(
          title: .localized(key: "T", arguments: []), subtitle: .localized(key: "S", arguments: ["a"]),
          body: .localized(key: "B", arguments: ["one", "two"]), actionTitle: .none))
    #expect(try payload(#"{"alert":{"body":"x"}}"#).message?.actionTitle == .standard)
  }

  @Test("Arguments beyond the limit are ignored; a value that is no string keeps its place")
  func arguments() throws {
    let many = (0...32).map { "\"\($0)\"" }.joined(separator: ",")
    let cut = try payload(#"{"alert":{"loc-key":"K","loc-args":[\#(many)]}}"#)
    #expect(cut.message?.body == .localized(key: "K", arguments: (0..<32).map(String.init)))
    #expect(cut.faults == [PayloadFault(path: "aps.alert.loc-args", problem: "33 arguments; the first 32 are used")])
    let mixed = try payload(#"{"alert":{"loc-key":"K","loc-args":["a",2,"c"]}}"#)
    #expect(mixed.message?.body == .localized(key: "K", arguments: ["a", "", "c"]))
    #expect(mixed.faults.map(\.path) == ["aps.alert.loc-args[1]"])
  }

  @Test("Sounds: a name, default, or a critical one")
  func sound() throws {
    #expect(try payload(#"{"sound":"default"}"#).sound == .system)
    #expect(try payload(#"{"sound":"chime.wav"}"#).sound == .named("chime.wav"))
    #expect(try payload(#"{"sound":""}"#).sound == .none)
    let critical = try payload(#"{"sound":{"critical":1,"name":"siren","volume":0.7}}"#)
    #expect(critical.sound == .critical(name: "siren", volume: 0.7))
    #expect(try payload(#"{"sound":{"critical":1}}"#).sound == .critical(name: nil, volume: 1))
    #expect(
      try payload(#"{"sound":{"critical":1,"name":"default","volume":0}}"#).sound == .critical(name: nil, volume: 0))
    #expect(try payload(#"{"sound":{"critical":1,"volume":2}}"#).sound == .critical(name: nil, volume: 1))
    #expect(try payload(#"{"sound":{"critical":1,"name":""}}"#).sound == .none)
    #expect(try payload(#"{"sound":{"critical":0,"name":"siren","volume":0.7}}"#).sound == .named("siren"))
    #expect(critical.level == .critical)
    #expect(critical.faults == [])
    #expect(try payload(#"{"sound":{"critical":1},"interruption-level":"passive"}"#).level == .passive)
    #expect(try payload(#"{"sound":{"name":"siren","volume":1}}"#).level == .active)
  }

  @Test(
    "Wrong values are ignored and recorded as faults",
    arguments: [
      (#"{"alert":7}"#, "aps.alert: expected a string or an object, got a number"),
      (#"{"alert":{"title":7}}"#, "aps.alert.title: expected a string, got a number"),
      (#"{"alert":{"titel":"x"}}"#, "aps.alert.titel: no such key; an app's own keys belong outside aps"),
      (#"{"alert":{"launch-image":7}}"#, "aps.alert.launch-image: expected a string, got a number"),
      (
        #"{"alert":{"launch-image":".png"}}"#,
        "aps.alert.launch-image: expected a name of 1 to 64 bytes, got '.png'"
      ),
      (#"{"alert":{"loc-args":["x"]}}"#, "aps.alert.loc-args: there is no loc-key to use them"),
      (#"{"alert":{"action-loc-key":false}}"#, "aps.alert.action-loc-key: expected a string or null, got false"),
      (#"{"sound":1}"#, "aps.sound: expected a string or an object, got a number"),
      (#"{"sound":{"volume":1.1}}"#, "aps.sound.volume: expected a number from 0 to 1, got 1.1"),
      (#"{"content-available":true}"#, "aps.content-available: expected 1, got true"),
      (#"{"content-available":"1"}"#, "aps.content-available: expected 1, got '1'"),
      (#"{"mutable-content":2}"#, "aps.mutable-content: expected 1, got 2"),
      (
        #"{"interruption-level":"urgent"}"#,
        "aps.interruption-level: 'urgent' is none of passive, active, time-sensitive, critical"
      ),
      (#"{"thread-id":1}"#, "aps.thread-id: expected a string, got a number"),
      (#"{"category":[]}"#, "aps.category: expected a string, got an array"),
      (#"{"relevance-score":"1"}"#, "aps.relevance-score: expected a number, got a string"),
      (#"{"badges":1}"#, "aps.badges: no such key; an app's own keys belong outside aps"),
    ])
  func faults(_ aps: String, _ expected: String) throws {
    #expect(try fault(aps) == expected)
  }

  @Test("Faults beyond the limit are only counted")
  func faultLimit() throws {
    func many(_ count: Int) -> String {
      "{" + (0..<count).map { "\"k\(100 + $0)\":1" }.joined(separator: ",") + "}"
    }
    #expect(try payload(many(16)).faults.count == 16)
    let over = try payload(many(18)).faults
    #expect(over.count == 17)
    #expect(over.last == PayloadFault(path: "aps", problem: "more faults, not listed"))
  }

  @Test(
    "Empty, no JSON, no object, no aps: PayloadEmpty",
    arguments: [
      "", " ", "x", "[]", "\"aps\"", "1", "null", "{}", #"{"aps":1}"#, #"{"aps":null}"#, #"{"aps":[]}"#,
      #"{"aps":{}"#, #"{"aps":{}} x"#, "{'aps':{}}", #"{"aps":{},"x":01}"#, #"{"aps":{},"x":"\q"}"#,
      #"{"aps":{},"x":"\ud800"}"#, #"{"aps":{},"x":NaN}"#,
    ])
  func notAPayload(_ body: String) {
    #expect(reason(Array(body.utf8)) == "PayloadEmpty")
  }

  @Test(
    "A refusal has the line and column of the error in the JSON",
    arguments: [
      (
        "{\n  \"aps\": {\n    \"alert\": \"Grüße\", \"badge\": 1,,\n  }\n}",
        "the body is not JSON: line 3, column 34: expected a name in double quotes, found ','"
      ),
      (
        "{\"aps\": {\n\"alert\": \"x\",\n}}",
        "the body is not JSON: line 3, column 1: expected a name in double quotes, found '}'"
      ),
      ("{\"aps\":", "the body is not JSON: line 1, column 8: expected a value, but the text ends"),
    ])
  func place(_ body: String, _ detail: String) {
    #expect(throws: APNsRefusal(.payloadEmpty, detail)) {
      _ = try APNsPayload(Array(body.utf8), limits: PortLimits())
    }
  }

  @Test("A launch image has a name of at most 64 bytes, with or without extension; an empty one is none")
  func launchImage() throws {
    func image(_ name: String) throws -> String? { try payload(#"{"alert":{"launch-image":"\#(name)"}}"#).launchImage }
    let longest = String(repeating: "x", count: Policy.launchImageNameLimit)
    #expect(try image("Sorting") == "Sorting")
    #expect(try image("Sorting.png") == "Sorting")
    #expect(try image("Sorting.jpg") == "Sorting.jpg")
    #expect(try image(longest + ".png") == longest)
    #expect(try image(longest + "x") == nil)
    #expect(try image("") == nil)
  }

  @Test("Faults of many keys are recorded up to the limit, known keys first")
  func faultOrder() throws {
    let unknown = (0..<400).map { "\"k\(999 - $0)\":1" }.joined(separator: ",")
    let faults = try payload("{\(unknown),\"sound\":1,\"category\":2}").faults
    #expect(
      faults.map(\.path)
        == ["aps.category", "aps.sound"] + (0..<14).map { "aps.k\(999 - $0)" } + ["aps"])
  }

  private func refusal(_ body: String, type: PushType?) -> String? {
    do {
      _ = try APNsPayload(Array(body.utf8), type: type, limits: .standard)
      return nil
    } catch {
      return error.detail
    }
  }

  @Test("Types with keys of their own need no aps; an aps that is no object is a fault there")
  func withoutAPS() throws {
    let needing: Set<PushType> = [.alert, .background, .complication, .controls, .liveactivity, .widgets]
    for type in PushType.allCases {
      let absent = needing.contains(type) ? "'aps' is absent; expected an object" : nil
      #expect(refusal(#"{"acme":1}"#, type: type) == absent, "\(type)")
      #expect(refusal("{}", type: type) == absent, "\(type)")
      let wrong = needing.contains(type) ? "'aps' is a number; expected an object" : nil
      #expect(refusal(#"{"aps":7}"#, type: type) == wrong, "\(type)")
      #expect(refusal("", type: type) == "the body is empty")
      #expect(refusal("[]", type: type) == "the body is no object; expected a JSON object with an object 'aps'")
    }
    #expect(refusal("{}", type: nil) == "'aps' is absent; expected an object")
    let faults = try APNsPayload(Array(#"{"aps":7}"#.utf8), type: .voip, limits: .standard).faults
    #expect(faults == [PayloadFault(path: "aps", problem: "expected an object, got a number")])
  }

  @Test("The payload of device management needs no aps, whatever the request's type")
  func deviceManagement() throws {
    let body = Array(#"{"mdm":"B0B5-MAGIC"}"#.utf8)
    let head = APNsPushHead.fixture()
    let push = try Push(head, APNsPayload(body, limits: .standard), body: body)
    #expect(push.type == .mdm)
    #expect(push.faults == [])
    #expect(try APNsPayload(body, type: .mdm, limits: .standard).faults == [])
    #expect(
      try APNsPayload(body, type: .alert, limits: .standard).faults == [
        PayloadFault(
          path: "apns-push-type",
          problem: "Apple's service wants mdm of a payload for device management, not alert")
      ])
    #expect(refusal(#"{"mdm":1}"#, type: nil) == "'aps' is absent; expected an object")
    #expect(refusal(#"{"aps":1,"mdm":"x"}"#, type: nil) == "'aps' is a number; expected an object")
    #expect(refusal(#"{"aps":{},"mdm":"x"}"#, type: nil) == nil)
  }
}

@Suite("From request and payload to a push")
struct PushDecodingTests {
  private func push(_ aps: String, type: PushType? = nil, priority: Int? = nil) throws -> Push {
    let head = APNsPushHead.fixture(type: type, priority: priority)
    let body = Array("{\"aps\":\(aps)}".utf8)
    return try Push(head, APNsPayload(body, limits: .standard), body: body)
  }

  @Test("An absent type is inferred; only an update without anything to present is background (U2)")
  func inferred() throws {
    #expect(try push(#"{"content-available":1}"#).type == .background)
    #expect(try push(#"{"content-available":1}"#).priority == 5)
    #expect(try push(#"{"content-available":1,"badge":0}"#).type == .alert)
    #expect(try push(#"{"content-available":1,"alert":"x"}"#).type == .alert)
    #expect(try push(#"{"content-available":1,"sound":"default"}"#).type == .alert)
    #expect(try push(#"{"content-available":1,"badge":-1}"#).type == .background)
    #expect(try push("{}").type == .alert)
    #expect(try push("{}").priority == 10)
    #expect(try push(#"{"content-available":1}"#, type: .alert).type == .alert)
  }

  @Test("A background push without a priority has priority 5 and a fault; an explicit 10 is refused (U3)")
  func priority() throws {
    let fault = PayloadFault(path: "apns-priority", problem: "absent; a background push is taken as priority 5")
    #expect(try push(#"{"content-available":1}"#, type: .background).faults == [fault])
    #expect(try push(#"{"content-available":1}"#, type: .background, priority: 5).faults == [])
    #expect(try push(#"{"content-available":1}"#, priority: 1).priority == 1)
    let error = #expect(throws: APNsRefusal.self) { try push(#"{"content-available":1}"#, priority: 10) }
    #expect(error?.reason == .badPriority)
  }

  @Test("The app gets the payload's bytes unchanged")
  func bytes() throws {
    #expect(try push(#"{ "x":[1 , 2]}"#).payload == Array(#"{"aps":{ "x":[1 , 2]}}"#.utf8))
  }
}

extension APNsPushHead {
  static func fixture(type: PushType? = nil, priority: Int? = nil) -> APNsPushHead {
    let provider = TestProvider().provider()
    var changes: [String: String?] = [:]
    if let type { changes["apns-push-type"] = type.rawValue }
    var head = try! APNsPushHead(
      APNsRequest(RequestHead(fields(changes, authorization: "bearer x")), madeID: .random()), now: now,
      limits: .standard,
      authenticate: { (_) throws(APNsRefusal) -> Provider in provider })
    head.priority = priority
    return head
  }
}
