// Tests of hooks: services' requests, and the pushes that the templates make of them.

import Foundation
import HTTP
import HandsetCore
import Testing

@testable import PushPort

private let json: HeaderFields = ["Content-Type": "application/json"]

@Suite("Hooks", .timeLimit(.minutes(10)))
struct HookTests {
  @Test("Plain text, a form, JSON, and the query")
  func bodies() async throws {
    try await withKeyedPort { port async throws in
      let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
      // As `curl -d` sends a text.
      #expect(
        try await port.send("POST", "/h/\(hookKey)?title=Backup", "It is done\n", form).hasPrefix(#"200 {"id":""#))
      _ = try await port.send("PUT", "/h/\(hookKey)", "title=Door&message=It+rings", form)
      _ = try await port.send(
        "POST", "/h/\(hookKey)",
        #"{"version":"1.0","title":"T","message":"M","type":"failure","tags":["door","x"],"replaces":"r"}"#, json)
      _ = try await port.send("GET", "/h/\(hookKey)?message=Hello&level=passive")
      _ = try await port.send("POST", "/h/\(hookKey)")
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"nothing":[1,{"known":null}]}"#, json)
      let pushes = port.recorder.pushes
      #expect(pushes.map(\.title) == ["Backup", "Door", "T", nil, nil, nil])
      #expect(
        pushes.map(\.text) == ["It is done", "It rings", "M", "Hello", "triggered", #"{"nothing":[1,{"known":null}]}"#])
      #expect(pushes.map(\.level) == [.active, .active, .timeSensitive, .passive, .active, .active])
      #expect(pushes[2].tags == ["door", "x"])
      #expect(pushes[2].collapseID == "r")
      #expect(pushes.map(\.provider) == Array(repeating: "ci", count: 6))
      #expect(port.recorder.handsets.withLock { $0 } == Array(repeating: nil, count: 6))
    }
  }

  @Test("A wrong key, a topic's key, other methods, and what is no JSON")
  func refused() async throws {
    try await withKeyedPort { port async throws in
      for path in ["/h/no", "/h/\(topicKey)"] {
        #expect(
          try await port.send("POST", path, "x") == #"401 {"error":"no topic or hook has that access key"}"#)
      }
      #expect(try await port.send("DELETE", "/h/\(hookKey)").hasPrefix("405 "))
      #expect(
        try await port.send("POST", "/h/\(hookKey)", "{", json).hasPrefix(
          #"400 {"error":"the body is not JSON: line 1, column 2: expected a name in double quotes or '}', but the"#))
      #expect(try await port.send("POST", "/h/\(hookKey)", [0xFF]).hasPrefix("400 "))
      #expect(port.recorder.pushes.isEmpty)
      for refusal in port.recorder.refusals.withLock({ $0 }) { #expect(!refusal.detail.contains("tk_")) }
    }
  }

  @Test(
    "A form without a field that a template knows is a text, as it was sent",
    arguments: [
      ("exit=1", "exit=1"), ("Rock & Roll", "Rock & Roll"), ("a+b", "a+b"), ("100%", "100%"),
      ("a=1&b=%20", "a=1&b=%20"),
      ("Rock%20%26%20Roll", "Rock & Roll"), ("message=100%", "100%"), ("message=Rock+%26+Roll", "Rock & Roll"),
      ("badge=3", "triggered"),
    ])
  func forms(_ sent: String, _ text: String) async throws {
    try await withKeyedPort { port async throws in
      let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
      #expect(try await port.send("POST", "/h/\(hookKey)", sent, form).hasPrefix("200 "))
      #expect(port.recorder.pushes.map(\.text) == [text])
      #expect(port.recorder.pushes.map(\.title) == [nil])
    }
  }

  @Test("JSON in a form, and behind a byte order mark")
  func wrapped() async throws {
    try await withKeyedPort { port async throws in
      let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
      let object = "%7B%22title%22%3A%22T%22%2C%22message%22%3A%22M%22%7D"
      for body in ["payload=\(object)", "data=\(object)&token=x", object] {
        _ = try await port.send("POST", "/h/\(hookKey)", body, form)
      }
      let part = [
        "--B", "Content-Disposition: form-data; name=\"data\"", "", "{\"title\":\"T\",\"message\":\"M\"}", "--B--", "",
      ]
      _ = try await port.send(
        "POST", "/h/\(hookKey)", part.joined(separator: "\r\n"), ["Content-Type": "multipart/form-data; boundary=B"])
      _ = try await port.send("POST", "/h/\(hookKey)", "\u{FEFF}{\"title\":\"T\",\"message\":\"M\"}", json)
      #expect(port.recorder.pushes.map(\.title) == Array(repeating: "T", count: 5))
      #expect(port.recorder.pushes.map(\.text) == Array(repeating: "M", count: 5))
    }
  }

  @Test("Uptime Kuma's and Healthchecks' GET, Uptime Kuma's form, and Grafana's message for Discord with a picture")
  func fieldsOfServices() async throws {
    func escaped(_ text: String) -> String { RequestTarget.encodedSegment(text) }
    func form(_ name: String, _ value: String) -> [UInt8] {
      let lines = [
        "--B", "Content-Disposition: form-data; name=\"\(name)\"", "", value,
        "--B", "Content-Disposition: form-data; name=\"\"; filename=\"a.png\"", "Content-Type: image/png", "", "PNG",
        "--B--", "",
      ]
      return Array(lines.joined(separator: "\r\n").utf8)
    }
    let multipart: HeaderFields = ["Content-Type": "multipart/form-data; boundary=B"]
    let heartbeat = #"{"monitorID":3,"status":0,"msg":"timeout","important":true}"#
    let monitor = #"{"id":3,"name":"Website","type":"http","tags":[]}"#
    let message = "[Website] [🔴 Down] timeout"
    try await withKeyedPort(template: "uptime-kuma") { port async throws in
      let query = "msg=\(escaped(message))&heartbeat=\(escaped(heartbeat))&monitor=\(escaped(monitor))"
      _ = try await port.send("GET", "/h/\(hookKey)?\(query)")
      _ = try await port.send(
        "POST", "/h/\(hookKey)",
        form("data", #"{"heartbeat":\#(heartbeat),"monitor":\#(monitor),"msg":"\#(message)"}"#), multipart)
      // A test message has neither heartbeat nor monitor.
      _ = try await port.send("GET", "/h/\(hookKey)?msg=Bell%20Testing")
      let pushes = port.recorder.pushes
      #expect(pushes.map(\.title) == ["Website", "Website", "Uptime Kuma"])
      #expect(pushes.map(\.text) == ["timeout", "timeout", "Bell Testing"])
      #expect(pushes.map(\.level) == [.timeSensitive, .timeSensitive, .active])
      #expect(pushes.prefix(2).map(\.collapseID) == ["monitor-3", "monitor-3"])
    }
    try await withKeyedPort(template: "healthchecks") { port async throws in
      _ = try await port.send("GET", "/h/\(hookKey)?check=Nightly%20backup&status=down&code=5b9c")
      let push = try #require(port.recorder.pushes.first)
      #expect([push.title, push.text, push.collapseID] == ["Nightly backup", "Nightly backup is down", "check-5b9c"])
      #expect(push.level == .timeSensitive)
    }
    try await withKeyedPort(template: "discord") { port async throws in
      let message = #"{"username":"Grafana","content":"Firing","embeds":[{"title":"[FIRING:1] CPU","color":14037554}]}"#
      _ = try await port.send("POST", "/h/\(hookKey)", form("payload_json", message), multipart)
      let push = try #require(port.recorder.pushes.first)
      #expect([push.title, push.text] == ["[FIRING:1] CPU", "Firing"])
      #expect(push.level == .timeSensitive)
    }
    try await withKeyedPort(template: "github") { port async throws in
      let event = #"{"zen":"Ring once.","hook_id":1,"repository":{"full_name":"brass/bell"}}"#
      _ = try await port.send(
        "POST", "/h/\(hookKey)", "payload=\(escaped(event))", ["Content-Type": "application/x-www-form-urlencoded"])
      let push = try #require(port.recorder.pushes.first)
      #expect([push.title, push.text] == ["brass/bell", "Ring once."])
    }
  }

  @Test(
    "Red margins are urgent, orange and green ones are not",
    arguments: [
      // Slack, Uptime Kuma, Grafana, GitHub, Bootstrap; Alertmanager, Sonarr, Discord's own.
      ("hex:#e01e5a", true), ("hex:#D63232", true), ("hex:cb2431", true), ("hex:#d9534f", true),
      ("hex:good, #a30200", true), ("rgb:16711680", true), ("rgb:10038562", true), ("rgb:15749200", true),
      ("rgb:65280, 15548997", true), ("hex:#2eb886", false), ("hex:#36a64f", false), ("hex:#daa038", false),
      ("hex:#ffa500", false), ("hex:#F35A00", false), ("hex:#ffc0cb", false), ("hex:#888888", false),
      ("hex:danger", false), ("hex:", false), ("hex:#fffffffff", false), ("rgb:65280", false), ("rgb:3066993", false),
      ("rgb:9807270", false), ("rgb:16753920", false), ("rgb:99999999999999999999", false), ("rgb:0", false),
    ])
  func colors(_ word: String, _ isUrgent: Bool) {
    let level: InterruptionLevel? = isUrgent ? .timeSensitive : nil
    #expect(LevelWords[word] == level)
  }

  @Test(
    "Slack's markup",
    arguments: [
      ("<!here> a", "@here a"), ("<!here|here> a", "@here a"), ("<!channel>", "@channel"), ("<@U1>", "@U1"),
      ("<!date^1764000000^{date}|Monday>", "Monday"), ("<http://nas|nas> &lt;b&gt; &amp;amp;", "nas <b> &amp;"),
      ("<http://nas>", "http://nas"), ("1 < 2", "1 < 2"),
    ])
  func markup(_ text: String, _ plain: String) {
    #expect(Markup.slack.plain(text) == plain)
  }

  @Test("Levels in any case, words that services have, and the address's level and title beside a body")
  func levels() async throws {
    try await withKeyedPort { port async throws in
      for word in ["DOWN", "Failed", "fatal", "ERROR", "Time_Sensitive", "timeSensitive", "P1", "Page", "Timed out"] {
        _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","level":"\#(word)"}"#, json)
      }
      _ = try await port.send("POST", "/h/\(hookKey)?level=PASSIVE&title=T", #"{"message":"m","level":"down"}"#, json)
      _ = try await port.send("POST", "/h/\(hookKey)?level=down&title=T", "m")
      _ = try await port.send(
        "POST", "/h/\(hookKey)?level=P1&title=T", "message=m&level=debug&title=U",
        ["Content-Type": "application/x-www-form-urlencoded"])
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","level":"info","status":"down"}"#, json)
      let pushes = port.recorder.pushes
      #expect(
        pushes.map(\.level)
          == Array(repeating: .timeSensitive, count: 9) + [.passive, .timeSensitive, .timeSensitive, .active])
      #expect(pushes.map(\.title) == Array(repeating: nil, count: 9) + ["T", "T", "T", nil])
      #expect(pushes.map(\.text) == Array(repeating: "m", count: 13))
    }
  }

  @Test("A group of alerts follows the person's levels where they have its severity")
  func ownLevels() async throws {
    var template = try #require(HookTemplate.ready()["alertmanager"])
    template.levels["page"] = .passive
    let body = #"{"status":"firing","commonLabels":{"severity":"Page"},"commonAnnotations":{"summary":"s"}}"#
    try await withKeyedPort(template: "own", templates: ["own": template]) { port async throws in
      _ = try await port.send("POST", "/h/\(hookKey)", body, json)
      #expect(port.recorder.pushes.map(\.level) == [.passive])
    }
  }

  @Test("What replaces may be longer than a collapse identifier: the same is the same")
  func longIdentifiers() async throws {
    try await withKeyedPort { port async throws in
      for text in [
        String(repeating: "a", count: 64), String(repeating: "a", count: 65), String(repeating: "a", count: 65),
      ] {
        _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","replaces":"\#(text)"}"#, json)
      }
      let identifiers = port.recorder.pushes.compactMap(\.collapseID)
      #expect(identifiers.map(\.utf8.count) == [64, 32, 32])
      #expect(identifiers[1] == identifiers[2])
    }
  }

  @Test("A place is looked for among an object's first members, and a text is cut")
  func templateLimits() throws {
    let template = try TemplateText(["{{wanted}}"])
    func filled(behind others: Int, _ text: String) throws -> String? {
      let members = (0..<others).map { #""k\#($0)":0"# } + [#""wanted":"\#(text)""#]
      return try JSONObject.read(Array("{\(members.joined(separator: ","))}".utf8), depth: 2) {
        template.filled(from: .json($0))
      }
    }
    #expect(try filled(behind: TemplateText.memberLimit - 1, "x") == "x")
    #expect(try filled(behind: TemplateText.memberLimit, "x") == nil)
    let most = String(repeating: "x", count: TemplateText.filledBytes)
    #expect(try filled(behind: 0, most) == most)
    #expect(try filled(behind: 0, most + "y") == most)
    #expect(try TemplateText(["{{a}}{{a}}{{a}}"]).filled(from: .fields([("a", most)])) == most)
  }

  @Test("Templates: the first candidate with all its values; paths through arrays")
  func templateTexts() throws {
    let body = #"{"a":{"b":"x","n":2.5,"t":true,"z":null},"l":[{"c":"1"},{"c":"2"},{"c":"1"},{"d":0}]}"#
    func filled(_ texts: String...) throws -> String? {
      let template = try TemplateText(texts)
      return try JSONObject.read(Array(body.utf8), depth: 8) { template.filled(from: .json($0)) }
    }
    #expect(try filled("{{a.b}} and {{ a.n }} and {{a.t}}") == "x and 2.5 and true")
    #expect(try filled("{{a.z}}", "{{a.missing}}", "else") == "else")
    #expect(try filled("{{l.*.c}}") == "1, 2")
    #expect(try filled("{{l.1.c}}{{l.3.d}}") == "20")
    #expect(try filled("{{l}}{{a}}") == nil)
    #expect(try filled("{{l.9.c}}") == nil)
    #expect(try filled("{{l[c=1].c}}") == "1")
    #expect(try filled("{{l[c=].d}}{{a[b=x].n}}") == "02.5")
    #expect(try filled("{{a[b=y].n}}", "{{[a.t=true].a.b}}") == "x")
    #expect(try filled("{{a.z | a.b|a.n}}") == "x")
    #expect(try filled("{{a[b=y].n|l.*.d}} {{a.t}}") == "0 true")
    #expect(try filled("{{a.z|a.missing}}") == nil)
    for text in [
      "{{a", "{{}}", "{{a..b}}", "{{a[b=1}}", "{{a[b].c}}", "{{a[b=1]c}}", "{{a|}}", "{{|a}}",
      String(repeating: "x", count: TemplateText.limits.bytes + 1),
    ] {
      #expect(throws: TemplateError.self) { try TemplateText([text]) }
    }
    #expect(throws: TemplateError.self) { try TemplateText([]) }
    #expect(throws: TemplateError.self) {
      try TemplateText(Array(repeating: "x", count: TemplateText.limits.candidates + 1))
    }
  }
}
