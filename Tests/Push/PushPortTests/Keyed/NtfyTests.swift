import Foundation
import HTTP
import HandsetCore
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Synchronization
import Testing

@testable import PushPort

@Suite("ntfy", .timeLimit(.minutes(10)))
struct NtfyTests {
  private let port: KeyedPort

  init() async throws { port = try await KeyedPort() }

  @Test("A line of curl: the body is the text, and the answer is ntfy's")
  func plain() async throws {
    let answer = try await port.publish("POST", "/parcels", "A parcel is here\n")
    let push = try #require(port.recorder.pushes.first)
    let id = try #require(push.id.letters)
    #expect(
      answer
        == #"200 {"event":"message","expires":1797840000,"id":"\#(id)","message":"A parcel is here","priority":3,"#
        + #""time":1795248000,"topic":"parcels"}"#)
    #expect(push.text == "A parcel is here")
    #expect(push.title == nil)
    #expect(push.sound == .system)
    #expect(push.level == .active)
    #expect(push.topic == bell)
    #expect(push.token == nil)
    #expect(push.provider == "parcels")
    #expect(push.collapseID == id)
    #expect(push.tags == nil)
    #expect(PushID(letters: id) == push.id)
    #expect(
      push.payloadText
        == #"{"aps":{"alert":{"body":"A parcel is here"},"interruption-level":"active","sound":"default"},"#
        + #""ntfy":{"id":"\#(id)","priority":3,"topic":"parcels"}}"#)
    #expect(port.recorder.handsets.withLock { $0 } == ["hall"])
  }

  @Test(
    "Parameters under all their names, in header fields and in the query",
    arguments: [
      ("X-Title", "Title", "t", "title"), ("X-Priority", "prio", "p", "priority"), ("X-Tags", "Tag", "ta", "tags"),
      ("X-Message", "Message", "m", "message"),
    ])
  func aliases(_ names: (String, String, String, String)) async throws {
    func value(_ name: String) -> String { names.3 == "priority" ? "4" : "by-\(name.lowercased())" }
    for name in [names.0, names.1, names.2] {
      _ = try await port.publish("PUT", "/parcels", "", [name: value(name)])
      _ = try await port.publish("GET", "/parcels/trigger?\(name.lowercased())=\(value(name))")
    }
    for push in port.recorder.pushes {
      switch names.3 {
      case "title": #expect(push.title?.hasPrefix("by-") == true)
      case "priority": #expect(push.level == .timeSensitive)
      case "tags": #expect(push.tags?.count == 1)
      default: #expect(push.text?.hasPrefix("by-") == true)
      }
    }
    #expect(port.recorder.pushes.count == 6)
  }

  @Test("Priorities are levels; the highest is critical where the person allowed that, else time-sensitive")
  func priorities() async throws {
    for priority in ["1", "min", "2", "low", "3", "default", "4", "high", "5", "max", "urgent", "u=1, i"] {
      #expect(try await port.publish("POST", "/parcels", "x", ["Priority": priority]).hasPrefix("200 "))
    }
    let levels: [InterruptionLevel] = [
      .passive, .passive, .passive, .passive, .active, .active, .timeSensitive, .timeSensitive, .critical, .critical,
      .critical, .active,
    ]
    #expect(port.recorder.pushes.map(\.level) == levels)
    #expect(
      port.recorder.pushes.compactMap(\.levelWhereNotCritical) == [.timeSensitive, .timeSensitive, .timeSensitive])
    #expect(port.recorder.pushes[8].sound == .critical(name: nil, volume: 1))
    #expect(
      try await port.publish("POST", "/parcels", "x", ["Priority": "6"])
        == #"400 {"code":40007,"error":"priority '6' is none of 1 to 5","http":400}"#)
  }

  @Test("HTTP's own field Priority does not hide ntfy's [RFC 9218]")
  func priorityOfHTTP() async throws {
    for field in ["u=0, i", "u=3", "i", "i, u=5", "u=1;a=b", "i=?0", "U=2,i"] {
      _ = try await port.publish("POST", "/parcels", "x", ["Priority": field, "prio": "4"])
      _ = try await port.publish("POST", "/parcels?p=high", "x", ["Priority": field])
    }
    #expect(port.recorder.pushes.map(\.level) == Array(repeating: .timeSensitive, count: 14))
  }

  @Test("JSON: the topic in the body, tags and actions as arrays")
  func json() async throws {
    let body = #"""
      {"topic":"parcels","message":"Wäsche","title":"Fertig","tags":["parcel","x"],"priority":4,"click":"https://x",
       "actions":[{"action":"http","label":"Off","url":"https://iron/off","clear":true}],"sequence_id":"iron",
       "markdown":true,"attach":"https://x/y.jpg","cache":"no","unknown":{"a":1}}
      """#
    let answer = try await port.publish("POST", "/", body)
    let push = try #require(port.recorder.pushes.first)
    let actions = #"[{"action":"http","clear":true,"label":"Off","url":"https://iron/off"}]"#
    #expect(answer.contains(#""actions":\#(actions),"click":"https://x","event":"message","id":"#))
    #expect(answer.contains(#""sequence_id":"iron","tags":["parcel","x"],"#))
    #expect((push.title, push.text) == ("Fertig", "Wäsche"))
    #expect(push.tags == ["parcel", "x"])
    #expect(push.collapseID == "iron")
    #expect(push.expiration == .once)
    #expect(push.payloadText.contains(#""actions":\#(actions)"#))
    #expect(push.faults.map(\.path) == ["attach", "markdown"])
  }

  @Test(
    "Requests that are refused, by ntfy's numbers",
    arguments: [
      ("POST", "/", "{", "400", "40017"), ("POST", "/", "{}", "400", "40009"),
      ("POST", "/", #"{"topic":"other"}"#, "403", "40301"),
      ("POST", "/", #"{"topic":"parcels","tags":1}"#, "400", "40017"),
      ("POST", "/other", "x", "403", "40301"), ("GET", "/other/auth", "", "403", "40301"),
      ("GET", "/parcels", "", "405", "40500"), ("POST", "/parcels?in=soon", "x", "400", "40004"),
      ("POST", "/parcels?in=9s", "x", "400", "40005"), ("POST", "/parcels?in=4d", "x", "400", "40006"),
      ("POST", "/parcels?in=1m&cache=no", "x", "400", "40002"), ("POST", "/parcels?sid=a.b", "x", "400", "40049"),
      ("POST", "/parcels?actions=nothing", "x", "400", "40018"),
      ("POST", "/parcels?actions=view,a,b;view,a,b;view,a,b;view,a,b", "x", "400", "40018"),
      ("GET", "/parcels/nothing", "", "404", "40401"), ("GET", "/v1/nothing", "", "404", "40401"),
    ])
  func refused(_ row: (method: String, path: String, body: String, status: String, code: String)) async throws {
    let answer = try await port.publish(row.method, row.path, row.body)
    #expect(answer.hasPrefix("\(row.status) {\"code\":\(row.code),"))
    #expect(port.recorder.inputs.withLock { $0.count } == 0)
    #expect(port.recorder.refusals.withLock { $0.map { "\($0.status)" } } == [row.status])
  }

  @Test("The key: bearer token, password, user, or the query's auth; none, and a wrong one")
  func keys() async throws {
    func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    for field in [
      "Bearer \(topicKey)", "bearer \(topicKey)", "Basic " + base64(":\(topicKey)"),
      "Basic " + base64("anybody:\(topicKey)"), "Basic " + base64("\(topicKey):"),
    ] {
      #expect(try await port.send("GET", "/parcels/auth", "", ["Authorization": field]) == #"200 {"success":true}"#)
      let auth = base64(field).replacing("+", with: "-").replacing("/", with: "_")
      for text in [auth, auth.replacing("=", with: "")] {
        #expect(try await port.send("GET", "/parcels/auth?auth=\(text)") == #"200 {"success":true}"#)
      }
    }
    #expect(try await port.send("POST", "/parcels", "x").hasPrefix(#"403 {"code":40301,"#))
    for field in ["Bearer tk_other", "Basic !", "Digest x", "Bearer \(hookKey)x"] {
      #expect(
        try await port.send("POST", "/parcels", "x", ["Authorization": field]).hasPrefix(#"401 {"code":40101,"#))
    }
    // A hook's key is not a topic's key.
    #expect(
      try await port.send("POST", "/parcels", "x", ["Authorization": "Bearer \(hookKey)"])
        .hasPrefix(#"403 {"code":40301,"#))
    #expect(port.recorder.inputs.withLock { $0.count } == 0)
    for refusal in port.recorder.refusals.withLock({ $0 }) { #expect(!refusal.detail.contains("tk_")) }
  }

  @Test("A delayed message is a local notification, by its sequence")
  func delayed() async throws {
    for delay in ["30s", "30 min", "1h30m", "in 2 days", "1795248060"] {
      #expect(try await port.publish("POST", "/parcels/tea", "Tea", ["Delay": delay]).hasPrefix("200 "))
    }
    let scheduled = port.recorder.inputs.withLock { $0 }.compactMap { input -> LocalNotification? in
      if case .schedule(let request) = input { request } else { nil }
    }
    #expect(
      scheduled.map(\.trigger)
        == [30, 1_800, 5_400, 172_800, 60].map { .interval(.seconds($0), repeats: false) })
    #expect(Set(scheduled.map(\.identifier)) == ["tea"])
    #expect(scheduled.first?.content.message?.body == .literal("Tea"))
  }

  @Test("A message can be marked as seen, or removed")
  func takenBack() async throws {
    for path in ["/parcels/iron/clear", "/parcels/iron/read"] {
      let answer = try await port.publish("PUT", path)
      #expect(answer.hasPrefix(#"200 {"event":"message_clear","id":""#))
      #expect(answer.hasSuffix(#""sequence_id":"iron","time":1795248000,"topic":"parcels"}"#))
    }
    #expect(try await port.publish("DELETE", "/parcels/iron").hasPrefix(#"200 {"event":"message_delete","id":""#))
    let retractions = port.recorder.inputs.withLock { $0 }.map { input -> String in
      if case .retract(let app, let id, let how) = input { "\(app) \(id) \(how)" } else { "" }
    }
    #expect(retractions == ["\(bell) iron seen", "\(bell) iron seen", "\(bell) iron removed"])
  }

  @Test("Parts that the handset cannot show are recorded as faults, and the answer is 200")
  func unshown() async throws {
    var limits = PortLimits.patient
    limits.messageBytes = 40
    limits.messageTitleBytes = 6
    let port = try await KeyedPort(limits: limits)
    _ = try await port.publish("PUT", "/parcels", String(repeating: "x", count: 38) + "€x", ["Title": "äääää"])
    _ = try await port.publish("PUT", "/parcels", "\u{FF}\u{FE}", ["Filename": "a.jpg"])
    _ = try await port.send(
      "PUT", "/parcels", [0xFF, 0xFE], ["Authorization": "Bearer \(topicKey)"])
    _ = try await port.publish("PUT", "/parcels", "", ["Icon": "https://x/i.png", "Email": "a@b", "tpl": "yes"])
    let pushes = port.recorder.pushes
    #expect(
      pushes.map(\.text) == [
        String(repeating: "x", count: 38), "You received a file: a.jpg", "You received a file: attachment",
        "triggered",
      ])
    #expect(pushes[0].title == "äää")
    #expect(
      pushes.map { $0.faults.map(\.path) }
        == [["body"], ["body"], ["body"], ["icon", "email", "template"]])
    #expect(pushes[0].faults[0].problem == "a text of 42 bytes, of which 40 are shown")
    #expect(pushes[2].faults[0].problem == "a file of 2 bytes, which the handset cannot show")
  }

  @Test("A subscriber that does not read is disconnected; one that reads gets keepalive messages")
  func listeners() async throws {
    var limits = PortLimits.patient
    limits.subscriptionKeepAlive = .milliseconds(20)
    let auth = Data("Bearer \(topicKey)".utf8).base64EncodedString()
    let lively = try await KeyedPort(limits: limits)
    try await lively.client.lines("/parcels/json?auth=\(auth)") { lines async throws in
      while let line = try await lines.next(), !line.contains(#""event":"keepalive""#) {}
    }
    limits.subscriptionKeepAlive = .seconds(3_600)
    limits.subscriptionBytes = 1
    let strict = try await KeyedPort(limits: limits)
    try await strict.client.lines("/parcels/json?auth=\(auth)") { lines async throws in
      #expect(try await lines.next()?.contains(#""event":"open""#) == true)
      _ = try await strict.publish("POST", "/parcels", "too much")
      #expect(try await lines.next() == nil)
    }
  }

  @Test("Actions in their short form: quotes, named parts, maps")
  func actions() {
    func parsed(_ text: String) -> String? {
      NtfyActions.parse(text).map { String(decoding: JSONValue.array($0).bytes, as: UTF8.self) }
    }
    #expect(
      parsed(
        "view, Open portal, https://home; http, 'Off, now', url=https://x, method=PUT, headers.a=b, body='{\"a\":1}'")
        == #"[{"action":"view","label":"Open portal","url":"https://home"},"#
        + #"{"action":"http","body":"{\"a\":1}","headers":{"a":"b"},"label":"Off, now","method":"PUT","url":"https://x"}]"#
    )
    #expect(
      parsed("broadcast, Take a picture, extras.cmd=pic, clear=true")
        == #"[{"action":"broadcast","clear":true,"extras":{"cmd":"pic"},"label":"Take a picture"}]"#)
    #expect(parsed("action=copy, label=Code, value=123") == #"[{"action":"copy","label":"Code","value":"123"}]"#)
    #expect(parsed("VIEW, a, b,; ") == #"[{"action":"view","label":"a","url":"b"}]"#)
    #expect(
      parsed("http, Off, https://x, headers.X-Auth2=abc, Headers.Content-Type = 'a;b', Clear = yes , Method=get")
        == #"[{"action":"http","clear":true,"headers":{"Content-Type":"a;b","X-Auth2":"abc"},"label":"Off","#
        + #""method":"get","url":"https://x"}]"#)
    #expect(
      parsed(##"action = http, label = "a \"b\", c", url = https://x?y=z, body="{\"a\": 1}""##)
        == ##"[{"action":"http","body":"{\"a\": 1}","label":"a \"b\", c","url":"https://x?y=z"}]"##)
    #expect(parsed("view, Oven=on, a=b") == #"[{"action":"view","label":"Oven=on","url":"a=b"}]"#)
    #expect(parsed("label=Oven=on, action=view, url=b") == #"[{"action":"view","label":"Oven=on","url":"b"}]"#)
    #expect(parsed("copy, Code, 123") == #"[{"action":"copy","label":"Code","value":"123"}]"#)
    #expect(parsed("broadcast, 'Don\\'t', intent=x") == #"[{"action":"broadcast","intent":"x","label":"Don't"}]"#)
    for text in [
      "view, a, b, c=d", "view", "fly, a, b", "view, a, b, c", "view, don't, b; fly, a", "view, 'a, b",
      "view, 'a' b, c",
      "view, , b", "http, a, b, clear=maybe", ";", ",",
    ] { #expect(parsed(text) == nil, "\(text)") }
  }

  @Test("A subscriber gets new messages, and earlier ones if it asks for them", arguments: ["json", "sse", "raw"])
  func subscribing(_ format: String) async throws {
    var limits = PortLimits.patient
    limits.rememberedMessages = 2
    limits.subscriptions = 1
    let port = try await KeyedPort(limits: limits)
    for text in ["one", "two", "three"] { _ = try await port.publish("POST", "/parcels", text) }
    let auth = Data("Bearer \(topicKey)".utf8).base64EncodedString()
    let path = "/parcels/\(format)?auth=\(auth)"
    var heard: [String] = []
    try await port.client.lines(path + "&since=all") { lines async throws in
      while let line = try await lines.next() {
        guard !line.isEmpty else { continue }
        heard.append(line.replacing(#/"id":"\w+"/#, with: "").replacing(#/"expires":\d+,/#, with: ""))
        if line.contains("three") {
          #expect(try await port.publish("GET", "/parcels/\(format)").hasPrefix(#"429 {"code":42902,"#))
          _ = try await port.publish("POST", "/parcels", "four")
          _ = try await port.publish("DELETE", "/parcels/x")
        }
        if line.contains(#""message_delete""#) || format == "raw" && line.contains("four") { return }
      }
    }
    func message(_ text: String) -> String {
      #"{"event":"message",,"message":"\#(text)","priority":3,"time":1795248000,"topic":"parcels"}"#
    }
    let open = #"{"event":"open",,"time":1795248000,"topic":"parcels"}"#
    let delete = #"{"event":"message_delete",,"sequence_id":"x","time":1795248000,"topic":"parcels"}"#
    let expected =
      switch format {
      case "json": [open, message("two"), message("three"), message("four"), delete]
      case "sse":
        ["event: open", "data: \(open)"] + ["two", "three", "four"].map { "data: \(message($0))" }
          + ["event: message_delete", "data: \(delete)"]
      default: ["two", "three", "four"]
      }
    #expect(heard == expected)
  }

  @Test("Polling returns the messages since a message, a time or a duration")
  func polling() async throws {
    var ids: [String] = []
    for text in ["one", "two", "three"] {
      _ = try await port.publish("POST", "/parcels", text)
      ids.append(try #require(port.recorder.pushes.last?.id.letters))
    }
    for (since, texts) in [
      ("all", "one\ntwo\nthree"), ("latest", "three"), (ids[0], "two\nthree"), ("none", ""),
      ("10m", "one\ntwo\nthree"),
      ("1795248000", "one\ntwo\nthree"), ("1795248001", ""), ("2000000000000", "400"),
    ] {
      let answer = try await port.publish("GET", "/parcels/raw?poll=1&since=\(since)")
      #expect(answer == "200 \(texts)" || texts == "400" && answer.hasPrefix(#"400 {"code":40008,"#))
    }
    #expect(try await port.publish("GET", "/parcels/raw?poll=1") == "200 one\ntwo\nthree")
  }

  @Test("A stream: waiting bytes are taken at once, too many end it, and its end is reported")
  func streams() async {
    let ends = Mutex(0)
    let stream = ResponseStream(first: Array("abcdef".utf8), limit: 4) { ends.withLock { $0 += 1 } }
    #expect(await stream.next() == Array("abcdef".utf8))
    stream.write([1, 2])
    stream.write([3, 4])
    #expect(await stream.next() == [1, 2, 3, 4])
    async let late = stream.next()
    stream.write([5])
    #expect(await late == [5])
    stream.write([1, 2, 3, 4])
    stream.write([5])
    stream.write([6])
    #expect(await stream.next() == [1, 2, 3, 4])
    #expect(await stream.next() == nil)
    stream.end()
    #expect(ends.withLock { $0 } == 1)
  }

  @Test("Answers that need no key")
  func services() async throws {
    #expect(try await port.send("GET", "/v1/health") == #"200 {"healthy":true}"#)
    #expect(try await port.send("GET", "/v1/account").hasSuffix(#""username":"*"}"#))
    #expect(try await port.publish("GET", "/v1/account").hasSuffix(#""username":"parcels"}"#))
    #expect(try await port.publish("GET", "/v1/version").contains(#""version":"2."#))
    #expect(try await port.publish("GET", "/v1/stats") == #"200 {"messages":0,"messages_rate":0}"#)
    #expect(
      try await port.send("GET", "/a.b/c")
        == "404 no such path; \(PathAdvice.ways). At this port, without TLS, there is no APNs and no 2008 service")
  }

  @Test(
    "Refusals by the handset have ntfy's numbers",
    arguments: [
      (Input.Outcome.failed("full"), "503", 50300), (.stored(.refused(.unknownApp(bell))), "404", 40401),
      (.stored(.refused(.goneApp(bell, since: now))), "404", 40401),
      (.stored(.refused(.badLocalNotification(.tooLarge))), "413", 41301),
    ])
  func notTaken(_ outcome: Input.Outcome, _ status: String, _ code: Int) async throws {
    let port = try await KeyedPort(outcome)
    #expect(try await port.publish("POST", "/parcels", "x").hasPrefix("\(status) {\"code\":\(code),"))
  }

  @Test("Names of topics")
  func names() {
    #expect(["a", "-_", String(repeating: "x", count: 64), "Parcels1"].allSatisfy(NtfyRequest.isTopic))
    for name in ["", "a.b", "a b", "ä", String(repeating: "x", count: 65), "v1", "message", "h", "3"] {
      #expect(!NtfyRequest.isTopic(name))
    }
  }
}

@Suite("ntfy's delays")
struct NtfyDelayTests {
  @Test(
    "Durations",
    arguments: [
      ("1800.0s", 1_800), ("1.5h", 5_400), ("1h30m", 5_400), ("1h30m0.5s", 5_400.5), (".5h", 1_800), ("90.s", 90),
      ("+90s", 90), ("1h 15m", 4_500), ("20000ms", 20), ("30000000us", 30), ("30000000µs", 30), ("10000000000ns", 10),
      ("30S", 30), ("30 min", 1_800), ("2 days", 172_800), ("2Days", 172_800), ("1d12h", 129_600), ("3h", 10_800),
      ("0", 0), ("-5s", -5), ("99999999999999h", 3_162_240_000),
    ] as [(String, Double)])
  func durations(_ row: (text: String, seconds: Double)) {
    #expect(NtfyDelay.parse(row.text.lowercased()) == .seconds(row.seconds))
  }

  @Test("Malformed durations", arguments: ["", "5", ".s", "1..5s", "1x", "h", "1h-5m", "-", "1800.0", "٣s"])
  func noDurations(_ text: String) { #expect(NtfyDelay.parse(text) == nil) }

  /// Berlin is an hour ahead of UTC. Now is Friday, 2021-12-10, 10:17:23, as in ntfy's own tests.
  @Test(
    "Times in words",
    arguments: [
      ("11am", "12-10 11:00:00"), ("9am", "12-11 09:00:00"), ("Monday, 10:30pm", "12-13 22:30:00"),
      ("tomorrow", "12-11 10:17:23"), ("tomorrow, 10am", "12-11 10:00:00"), ("Tomorrow at 10am", "12-11 10:00:00"),
      ("8:30pm", "12-10 20:30:00"), ("20:30", "12-10 20:30:00"), ("08:30", "12-11 08:30:00"),
      ("11.30 p.m.", "12-10 23:30:00"), ("8:30:15 PM", "12-10 20:30:15"), ("12am", "12-11 00:00:00"),
      ("12:30pm", "12-10 12:30:00"), ("5p.", "12-10 17:00:00"), ("today 5pm", "12-10 17:00:00"),
      ("Tuesday, 7am", "12-14 07:00:00"), ("tue 7 am", "12-14 07:00:00"), ("7am on Tuesday", "12-14 07:00:00"),
      ("Friday", "12-17 10:17:23"), ("this Friday, 6pm", "12-10 18:00:00"), ("next sunday at 9:15", "12-12 09:15:00"),
      ("tonight", "12-10 23:00:00"), ("this evening", "12-10 18:00:00"), ("tomorrow morning", "12-11 08:00:00"),
      ("noon", "12-10 12:00:00"), ("in the afternoon", nil), ("tomorrow afternoon", "12-11 15:00:00"),
      ("midnight", "12-11 00:00:00"), ("in half an hour", "12-10 10:47:23"), ("in an hour", "12-10 11:17:23"),
      ("in two hours", "12-10 12:17:23"), ("in a few minutes", "12-10 10:20:23"),
      ("3 days from now", "12-13 10:17:23"), ("within 5 minutes", "12-10 10:22:23"), ("in a week", "12-17 10:17:23"),
      ("December 12", "12-12 10:17:23"), ("12th of december, 8pm", "12-12 20:00:00"),
      ("dec. twelfth 8pm", "12-12 20:00:00"), ("2021-12-12 08:00", "12-12 08:00:00"),
      ("2021-12-12T08:00:00Z", "12-12 09:00:00"), ("2021-12-12T08:00:00+02:00", "12-12 07:00:00"),
      ("soon", nil), ("tomorrow tomorrow", nil), ("10", nil), ("25:00", nil), ("13pm", nil), ("at", nil), ("", nil),
      ("february 30", nil), ("10am, or so", nil), ("next", nil), ("in", nil), ("3 hours from", nil),
      ("10am 11am", nil), ("2021-02-30", nil), ("2021-12-12t", nil),
    ] as [(String, String?)])
  func words(_ row: (text: String, time: String?)) throws {
    let zone = try #require(TimeZoneTable(name: "Europe/Berlin", initialOffset: 3_600, transitions: []))
    let now = WallTime(seconds: 1_639_131_443 - 3_600)
    let time = NtfyTime(row.text.lowercased())?.time(after: now, in: zone)
    let shown = time.map { time in
      let seconds = zone.secondOfDay(at: time)
      let date = CivilDate(dayNumber: Int(zone.localSeconds(at: time)) / 86_400)
      let parts = [date.month, date.day, seconds / 3_600, seconds / 60 % 60, seconds % 60].map {
        $0 < 10 ? "0\($0)" : "\($0)"
      }
      return "\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])"
    }
    #expect(shown == row.time, "\(row.text)")
  }

  @Test("Times in words are local times, also when the clocks go forward")
  func clockChange() throws {
    // Berlin, 2026-03-29: 02:00 becomes 03:00.
    let change: Int64 = 1_774_746_000
    let zone = try #require(
      TimeZoneTable(name: "Europe/Berlin", initialOffset: 3_600, transitions: [.init(time: change, offset: 7_200)]))
    let now = WallTime(seconds: change - 12 * 3_600)
    #expect(NtfyTime("tomorrow, 10am")?.time(after: now, in: zone) == WallTime(seconds: change + 7 * 3_600))
    #expect(NtfyTime("tomorrow, 2:30am")?.time(after: now, in: zone) == WallTime(seconds: change))
  }

  @Test("A delay in words, one too long and one too short")
  func published() async throws {
    let port = try await KeyedPort()
    for delay in ["1800.0s", "in half an hour"] {
      #expect(try await port.publish("POST", "/parcels/tea", "Tea", ["Delay": delay]).hasPrefix("200 "))
    }
    let triggers = port.recorder.inputs.withLock { $0 }.compactMap { input -> LocalNotification.Trigger? in
      if case .schedule(let request) = input { request.trigger } else { nil }
    }
    #expect(triggers == Array(repeating: .interval(.seconds(1_800), repeats: false), count: 2))
    for (delay, code) in [
      ("in a week", "40006"), ("in one second", "40005"), ("2001-01-01", "40005"), ("soon", "40004"),
    ] {
      #expect(try await port.publish("POST", "/parcels", "x", ["In": delay]).hasPrefix("400 {\"code\":\(code),"))
    }
  }
}

@Suite struct NtfyOfferedTests {
  private func offered(_ text: String) throws -> (actions: [NotificationAction], faults: [PayloadFault]) {
    NtfyActions.offered(try #require(NtfyActions.parse(text)))
  }

  @Test func `http is a call, view opens the app, the others reach it in the background`() throws {
    let (actions, faults) = try offered(
      "http, Open the gate, https://gate.example/open, method=put, headers.X-Key=k, body=now, clear=true; "
        + "view, Look, https://camera.example/; broadcast, Tell")
    var gate = NotificationAction(
      id: "1", title: "Open the gate",
      call: WebCall(
        method: "PUT", url: "https://gate.example/open", headers: ["x-key": "k"], body: Array("now".utf8)))
    // The name before an equals sign is in lower case.
    gate.call?.headers = actions.first?.call?.headers.count == 1 ? actions[0].call?.headers ?? [:] : [:]
    var look = NotificationAction(id: "2", title: "Look", opensApp: true)
    (look.url, look.keepsNotification) = ("https://camera.example/", true)
    var tell = NotificationAction(id: "3", title: "Tell")
    tell.keepsNotification = true
    #expect(actions == [gate, look, tell])
    #expect(actions.first?.call?.headers.map { $0.key.lowercased() + "=" + $0.value } == ["x-key=k"])
    #expect(faults == [])
  }

  @Test func `One that cannot be carried out is named, and the others count`() throws {
    let (actions, faults) = try offered("http, Bad, https://a.example/, method=G3T; http, None; view, Look")
    #expect(actions.map(\.id) == ["3"])
    #expect(faults.map(\.path) == ["actions[0]", "actions[1]"])
    #expect(faults.first?.problem == "without a label, or no request that can be made")
  }

  @Test func `All together have so many bytes, and not one more`() throws {
    func actions(_ bytes: Int) throws -> (actions: [NotificationAction], faults: [PayloadFault]) {
      let url = "https://a.example/" + String(repeating: "a", count: bytes - 19)
      return try offered("view, , \(url)".replacing(", ,", with: ", L,"))
    }
    let most = Policy.actionBytesLimit + Policy.actionNameLimit
    #expect(try actions(most - 1).actions.map(\.size) == [most])
    let over = try actions(most)
    #expect(over.actions == [])
    #expect(over.faults == [PayloadFault(path: "actions", problem: "longer than 2048 bytes together")])
  }

  @Test func `A push through APNs names a category`() throws {
    func category(_ text: String) throws -> APNsPayload {
      try APNsPayload(Array(#"{"aps":{"alert":"a","category":\#(text)}}"#.utf8), limits: PortLimits())
    }
    #expect(try category(#""ASK""#).category == "ASK")
    #expect(try category("7").category == nil)
    #expect(try category("7").faults.map(\.path) == ["aps.category"])
  }
}

@Suite("ntfy's server", .timeLimit(.minutes(10)))
struct NtfyServerTests {
  private let port: KeyedPort

  init() async throws { port = try await KeyedPort() }

  @Test(
    "Filters of a subscription, in the query and in fields [ntfy: filter messages]",
    arguments: [
      ("", "one two three"), ("priority=4", "two"), ("p=high,5", "two three"), ("prio=3", "one"), ("title=T", "two"),
      ("t=t", ""), ("tags=a", "two three"), ("ta=a,b", "three"), ("tag=c", ""), ("message=one", "one"), ("m=on", ""),
      ("priority=4&tags=b", ""),
    ])
  func filters(_ row: (query: String, texts: String)) async throws {
    _ = try await port.publish("POST", "/parcels", "one")
    _ = try await port.publish("POST", "/parcels?p=4&title=T&tags=a", "two")
    _ = try await port.publish("POST", "/parcels?p=5&tags=a,b", "three")
    func texts(_ answer: String) -> String {
      answer.dropFirst(4).split(separator: "\n").compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["message"] as? String
      }.joined(separator: " ")
    }
    #expect(texts(try await port.publish("GET", "/parcels/json?poll=1&\(row.query)")) == row.texts)
    let id = try #require(port.recorder.pushes.last?.id.letters)
    #expect(texts(try await port.publish("GET", "/parcels/json?poll=1&id=\(id)")) == "three")
    #expect(texts(try await port.publish("GET", "/parcels/json?poll=1", "", ["X-Title": "T"])) == "two")
    #expect(try await port.publish("GET", "/parcels/json?poll=1&p=9").hasPrefix("400 {\"code\":40007,"))
  }

  @Test("Templates of hooks make a message of a body")
  func templates() async throws {
    let body =
      #"{"status":"firing","groupKey":"g","commonLabels":{"alertname":"Oven"},"commonAnnotations":{"summary":"hot"}}"#
    #expect(try await port.publish("POST", "/parcels?template=grafana", body).hasPrefix("200 "))
    #expect(
      try await port.publish("POST", "/parcels", body, ["X-Template": "grafana", "Priority": "2"]).hasPrefix("200 "))
    let pushes = port.recorder.pushes
    #expect(pushes.map(\.text) == ["hot", "hot"])
    #expect(pushes.map(\.title) == ["Oven (firing)", "Oven (firing)"])
    #expect(pushes.map(\.level) == [.timeSensitive, .passive])
    #expect(pushes.map(\.collapseID) == ["g", "g"])
    _ = try await port.publish("POST", "/parcels?tpl=slack", #"{"text":"nas &amp; <http://web|web>\n"}"#)
    #expect(port.recorder.pushes.last?.text == "nas & web")
    #expect(try await port.publish("POST", "/parcels?tpl=none", body).hasPrefix("400 {\"code\":40047,"))
    #expect(try await port.publish("POST", "/parcels?tpl=github", "text").hasPrefix("400 {\"code\":40042,"))
  }

  @Test("Home Assistant's set-up: the account, and a token, which is the key")
  func token() async throws {
    #expect(
      try await port.publish("POST", "/v1/account/token", #"{"label":"Home Assistant","expires":0}"#)
        == #"200 {"label":"Home Assistant","last_access":1795248000,"last_origin":"127.0.0.1","token":"\#(topicKey)"}"#
    )
    #expect(try await port.send("POST", "/v1/account/token", "{}").hasPrefix("403 "))
    #expect(try await port.publish("GET", "/v1/account/token").hasPrefix("405 "))
  }

  @Test("A text without a length is read up to the larger limit; a larger file is discarded and its message rings")
  func largeBodies() async throws {
    var limits = PortLimits.patient
    limits.skippedBodyBytes = 1_000_000
    limits.skippedBytesPerSecond = 64 * 1_000_000
    let port = try await KeyedPort(limits: limits)
    let head = "PUT /parcels HTTP/1.1\r\nHost: bell\r\nAuthorization: Bearer \(topicKey)\r\nConnection: close\r\n"
    func chunked(_ bytes: Int, _ fields: String = "") async throws -> String {
      let chunk = "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"
      let chunks = String(repeating: chunk, count: bytes / 0x4000)
      return try await port.raw(head + fields + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n")
    }
    #expect(try await chunked(64 * 1024).hasPrefix("HTTP/1.1 200 "))
    #expect(try await chunked(512 * 1024, "X-Message: A picture\r\nFilename: a.jpg\r\n").hasPrefix("HTTP/1.1 200 "))
    #expect(try await chunked(1_100_000).hasPrefix("HTTP/1.1 413 "))
    let picture = [UInt8](repeating: 0xFF, count: 400_000)
    #expect(
      try await port.send("POST", "/parcels?m=Cat&up=0", picture, ["Authorization": "Bearer \(topicKey)"]).hasPrefix(
        "200 "))
    let pushes = port.recorder.pushes
    #expect(pushes.map { $0.text?.utf8.count } == [4_096, 9, 3])
    #expect(pushes.last?.faults.first?.problem == "a file of 400,000 bytes, which the handset cannot show")
  }

  @Test("Text in a request's target and fields may be UTF-8 or Latin-1")
  func notASCII() async throws {
    func send(_ head: [UInt8]) async throws -> String {
      try await port.raw(head + "Host: bell\r\nAuthorization: Bearer \(topicKey)\r\nConnection: close\r\n\r\n".utf8)
    }
    let latin1: [UInt8] = [0x54, 0xFC, 0x72]
    for word in [Array("Tür".utf8), latin1] {
      #expect(
        try await send(Array("GET /parcels/send?m=".utf8) + word + " HTTP/1.1\r\n".utf8).hasPrefix("HTTP/1.1 200 "))
      #expect(
        try await send(Array("GET /parcels/send?m=x HTTP/1.1\r\nTitle: ".utf8) + word + "\r\n".utf8)
          .hasPrefix("HTTP/1.1 200 "))
    }
    #expect(port.recorder.pushes.map(\.text) == ["Tür", "x", "Tür", "x"])
    #expect(port.recorder.pushes.map(\.title) == [nil, "Tür", nil, "Tür"])
  }

  @Test("WebSocket: the key of RFC 6455's example, messages as text, a ping's answer, the close of both sides")
  func webSocket() async throws {
    #expect(try await port.publish("GET", "/parcels/ws").hasPrefix("400 {\"code\":40016,"))
    _ = try await port.publish("POST", "/parcels", "one")
    _ = try await port.publish("POST", "/parcels", "two")
    // A ping "hi", masked with zeros; then a close with 1000.
    let frames: [UInt8] = [0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69, 0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
    let answer = try await port.raw(opening("/parcels/ws?since=all&m=one")) { frames }
    #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
    #expect(answer.lowercased().contains("\r\nconnection: upgrade\r\n"))
    #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    #expect(answer.contains(#""event":"open""#))
    #expect(answer.contains(#""message":"one""#) && !answer.contains(#""message":"two""#))
    #expect(answer.contains("\u{8A}\u{02}hi") && answer.hasSuffix("\u{88}\u{02}\u{03}\u{E8}"))
  }

  @Test("WebSocket: the end of its key closes it")
  func endedKey() async throws {
    let answer = try await port.raw(opening("/parcels/ws")) {
      try port.providers.replace(with: [])
      return []
    }
    #expect(answer.contains(#""event":"open""#) && answer.hasSuffix("\u{88}\u{02}\u{03}\u{F0}"))
  }

  /// Returns a request for a WebSocket, with the key of RFC 6455's example.
  private func opening(_ path: String) -> String {
    [
      "GET \(path) HTTP/1.1", "Host: bell", "Authorization: Bearer \(topicKey)", "Upgrade: websocket",
      "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "", "",
    ].joined(separator: "\r\n")
  }

  @Test("WebSocket: what is not masked, too long, or too much ends it")
  func badFrames() throws {
    let port = try testPort(keyedDirectory())
    for (frames, code) in [
      ([0x81, 0x01, 0x61], .protocolError), ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], .protocolError),
      ([0x09, 0x80, 0, 0, 0, 0], .protocolError),
      ([0x81, 0xFF, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0], .messageTooLarge),
      (Array(repeating: [0x8A, 0x80, 0, 0, 0, 0] as [UInt8], count: 201).flatMap(\.self), .policyViolation),
    ] as [([UInt8], WebSocketErrorCode)] {
      let stream = ResponseStream(limit: 64 * 1024) {}
      let channel = EmbeddedChannel(handlers: WebSocketInput.handlers(stream, port))
      // Reading byte by byte gives the same result.
      for byte in frames { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
      let (bytes, isEnd) = stream.take {}
      #expect(bytes == WebSocketFrame.close(code) && isEnd, "\(code)")
    }
  }
}

extension KeyedPort {
  /// Sends bytes and returns everything received until the port closes, one character per byte.
  /// - Parameter second: called once, after the first bytes have come; returns bytes to send then.
  func raw(
    _ bytes: some Sequence<UInt8> & Sendable, then second: () throws -> [UInt8] = { [] }
  ) async throws -> String {
    let (channel, received) = try await openConnection(to: port)
    channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    var answer = ""
    for await buffer in received {
      if answer.isEmpty { channel.writeAndFlush(ByteBuffer(bytes: try second()), promise: nil) }
      answer.unicodeScalars.append(contentsOf: buffer.readableBytesView.map { Unicode.Scalar($0) })
    }
    try? await channel.close()
    return answer
  }

  func raw(_ text: String, then second: () throws -> [UInt8] = { [] }) async throws -> String {
    try await raw(Array(text.utf8), then: second)
  }
}

@Suite("The raw stream of a topic") struct RawStreamTests {
  @Test("A message is one line of the raw stream, whatever ends its lines")
  func rawLines() async throws {
    let port = try await KeyedPort()
    let ends = ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]
    _ = try await port.publish("POST", "/parcels", "a" + ends.joined(separator: "b") + "\n\nc\u{301}")
    #expect(try await port.publish("GET", "/parcels/raw?poll=1") == "200 a b b b b b b b   c\u{301}")
  }
}
