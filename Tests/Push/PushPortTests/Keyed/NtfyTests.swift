// Tests of ntfy's publishing API: each request's push and its answer.

import Foundation
import HTTP
import HandsetCore
import Synchronization
import Testing

@testable import PushPort

@Suite("ntfy", .timeLimit(.minutes(10)))
struct NtfyTests {
  @Test("A line of curl: the body is the text, and the answer is ntfy's")
  func plain() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test(
    "Parameters under all their names, in header fields and in the query",
    arguments: [
      ("X-Title", "Title", "t", "title"), ("X-Priority", "prio", "p", "priority"), ("X-Tags", "Tag", "ta", "tags"),
      ("X-Message", "Message", "m", "message"),
    ])
  func aliases(_ names: (String, String, String, String)) async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("Priorities are levels; the highest is critical where the person allowed that, else time-sensitive")
  func priorities() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("HTTP's own field Priority hides no other [RFC 9218]")
  func priorityOfHTTP() async throws {
    try await withKeyedPort { port async throws in
      for field in ["u=0, i", "u=3", "i", "i, u=5", "u=1;a=b", "i=?0", "U=2,i"] {
        _ = try await port.publish("POST", "/parcels", "x", ["Priority": field, "prio": "4"])
        _ = try await port.publish("POST", "/parcels?p=high", "x", ["Priority": field])
      }
      #expect(port.recorder.pushes.map(\.level) == Array(repeating: .timeSensitive, count: 14))
    }
  }

  @Test("JSON: the topic in the body, tags and actions as arrays")
  func json() async throws {
    try await withKeyedPort { port async throws in
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
    try await withKeyedPort { port async throws in
      let answer = try await port.publish(row.method, row.path, row.body)
      #expect(answer.hasPrefix("\(row.status) {\"code\":\(row.code),"))
      #expect(port.recorder.inputs.withLock { $0.count } == 0)
      #expect(port.recorder.refusals.withLock { $0.map { "\($0.status)" } } == [row.status])
    }
  }

  @Test("The key: bearer token, password, user, or the query's auth; none, and a wrong one")
  func keys() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("A delayed message is a local notification, by its sequence")
  func delayed() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("What was published is taken back: seen, or removed")
  func takenBack() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("What the handset cannot show is said in an event, and answered 200")
  func unshown() async throws {
    var limits = PortLimits.patient
    limits.messageBytes = 40
    limits.messageTitleBytes = 6
    try await withKeyedPort(limits: limits) { port async throws in
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
  }

  @Test("A listener who does not read is cut off; one who does hears that the connection is alive")
  func listeners() async throws {
    var limits = PortLimits.patient
    limits.subscriptionKeepAlive = .milliseconds(20)
    let auth = Data("Bearer \(topicKey)".utf8).base64EncodedString()
    try await withKeyedPort(limits: limits) { port async throws in
      try await port.client.lines("/parcels/json?auth=\(auth)") { lines async throws in
        while let line = try await lines.next(), !line.contains(#""event":"keepalive""#) {}
      }
    }
    limits.subscriptionKeepAlive = .seconds(3_600)
    limits.subscriptionBytes = 1
    try await withKeyedPort(limits: limits) { port async throws in
      try await port.client.lines("/parcels/json?auth=\(auth)") { lines async throws in
        #expect(try await lines.next()?.contains(#""event":"open""#) == true)
        _ = try await port.publish("POST", "/parcels", "too much")
        #expect(try await lines.next() == nil)
      }
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

  @Test("Who listens hears what is published, and may ask for what was", arguments: ["json", "sse", "raw"])
  func subscribing(_ format: String) async throws {
    var limits = PortLimits.patient
    limits.rememberedMessages = 2
    limits.subscriptions = 1
    try await withKeyedPort(limits: limits) { port async throws in
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
  }

  @Test("What was published since a message, a time or a duration")
  func polling() async throws {
    try await withKeyedPort { port async throws in
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
  }

  @Test("A body that goes on: what waits is taken at once, too much ends it, and the reader hears of it")
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

  @Test("What ntfy tells everybody")
  func services() async throws {
    try await withKeyedPort { port async throws in
      #expect(try await port.send("GET", "/v1/health") == #"200 {"healthy":true}"#)
      #expect(try await port.send("GET", "/v1/account").hasSuffix(#""username":"*"}"#))
      #expect(try await port.publish("GET", "/v1/account").hasSuffix(#""username":"parcels"}"#))
      #expect(try await port.publish("GET", "/v1/version").contains(#""version":"2."#))
      #expect(try await port.publish("GET", "/v1/stats") == #"200 {"messages":0,"messages_rate":0}"#)
      #expect(
        try await port.send("GET", "/a.b/c")
          == "404 no such path; \(PathAdvice.ways). At this port, without TLS, there is no APNs and no 2008 service")
    }
  }

  @Test(
    "What the handset does not take",
    arguments: [
      (Input.Outcome.failed("full"), "503", 50300), (.stored(.refused(.unknownApp(bell))), "404", 40401),
      (.stored(.refused(.goneApp(bell, since: now))), "404", 40401),
      (.stored(.refused(.badLocalNotification(.tooLarge))), "413", 41301),
    ])
  func notTaken(_ outcome: Input.Outcome, _ status: String, _ code: Int) async throws {
    try await withKeyedPort(outcome) { port async throws in
      #expect(try await port.publish("POST", "/parcels", "x").hasPrefix("\(status) {\"code\":\(code),"))
    }
  }

  @Test("Names of topics")
  func names() {
    #expect(["a", "-_", String(repeating: "x", count: 64), "Parcels1"].allSatisfy(NtfyFrontEnd.isTopic))
    for name in ["", "a.b", "a b", "ä", String(repeating: "x", count: 65), "v1", "message", "h", "3"] {
      #expect(!NtfyFrontEnd.isTopic(name))
    }
  }
}
