// Hooks: what services send, and what the templates make of it.

import Foundation
import HTTPRoutes
import HandsetCore
import Testing

@testable import PushGateway

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

  /// What each service sends, in the form of its documentation, and what the person sees.
  @Test(
    "Ready templates",
    arguments: [
      ("github", "github-run", "deskbell/bell", "Tests: failure (main)", .timeSensitive, "run-30433642"),
      ("github", "github-ping", "deskbell/bell", "Keep it logically awesome.", .active, nil),
      ("grafana", "grafana", "HighCPU (firing)", "CPU above 90 % on web-1", .timeSensitive, nil),
      ("alertmanager", "alertmanager", "DiskFull (resolved)", "The disk of nas is full", .active, nil),
      ("alertmanager", "alertmanager-firing", "DiskFull (firing)", "The disk of nas is full", .timeSensitive, nil),
      ("uptime-kuma", "uptime-kuma", "Website", "connect ECONNREFUSED 10.0.0.2:443", .timeSensitive, "monitor-3"),
      ("uptime-kuma", "uptime-kuma-test", "Uptime Kuma", "Bell Testing", .active, nil),
      ("alertmanager", "alertmanager-page", "HighRequestLatency (firing)", "High request latency", .timeSensitive, nil),
      (
        "alertmanager", "alertmanager-mixed", "DiskFull (firing), HostDown (resolved)",
        "nas is full; resolved: web was down", .timeSensitive, nil
      ),
      (
        "github", "github-job", "octocat/Hello-World", "CI, Test workflow: failure (main)", .timeSensitive,
        "job-2832853555"
      ),
      (
        "github", "github-suite", "octocat/Hello-World", "octocoders-linter: failure (changes)", .timeSensitive,
        "suite-118578147"
      ),
      (
        "github", "github-deployment", "octocat/Hello-World", "production: failure (main)", .timeSensitive,
        "deployment-87972451"
      ),
      ("github", "github-status", "octocat/Hello-World", "ci/build: failure (The build failed)", .timeSensitive, nil),
      ("github", "github-release", "octocat/Hello-World", "0.0.1: published", .active, nil),
      ("github", "github-delete", "octocat/Hello-World", "tag simple-tag: deleted", .active, nil),
      ("github", "github-create", "octocat/Hello-World", "branch topic: created", .active, nil),
      ("github", "github-push-delete", "octocat/Hello-World", "refs/heads/topic: deleted", .active, nil),
      ("gitea", "gitea-push", "gitea/webhooks", "Webhooks Yay!", .active, nil),
      ("gitea", "gitea-delete", "gitea/webhooks", "branch feature: deleted", .active, nil),
      ("forgejo", "forgejo-run", "me/app", "Add tests: failure (main)", .timeSensitive, "run-14"),
      (
        "gitlab", "gitlab-pipeline", "gitlab-org/gitlab-test", "pipeline 3: failed (master)", .timeSensitive,
        "pipeline-31"
      ),
      (
        "gitlab", "gitlab-build", "gitlab-org/gitlab-test", "test: failed (gitlab-script-trigger)", .timeSensitive,
        "job-1977"
      ),
      ("gitlab", "gitlab-merge", "gitlab-org/gitlab-test", "MS-Viewport: open", .active, nil),
      ("gitlab", "gitlab-note", "gitlab-org/gitlab-test", "Tempora et eos debitis: This MR needs work.", .active, nil),
      ("gitlab", "gitlab-push", "gitlab-org/gitlab-test", "Update Catalan translation to e38cb41.", .active, nil),
      ("sonarr", "sonarr-download", "The Expanse", "Download: 2x4 Godspeed", .active, nil),
      ("sonarr", "sonarr-test", "Test Title", "Test: 1x1 Test title", .active, nil),
      (
        "sonarr", "sonarr-health", "Sonarr", "Health: All indexers are unavailable due to failures", .timeSensitive, nil
      ),
      ("radarr", "radarr-grab", "Dune (2021)", "Grab: Dune.2021.1080p", .passive, nil),
      ("slack", "slack-attachment", "[FIRING:1] DiskFull", "The disk of nas is > 90 % & growing", .timeSensitive, nil),
      ("slack", "slack-blocks", "New request", "Paid time off from Ada", .active, nil),
      ("discord", "discord-embed", "Disk full", "The disk of nas is full", .active, nil),
      ("discord", "discord-content", nil, "Hello, World!", .active, nil),
      (
        "proxmox", "proxmox", "vzdump backup status (pve1): backup failed", "Details\n=======\nVMID 100 failed",
        .timeSensitive, nil
      ),
      ("healthchecks", "healthchecks", "Nightly backup", "Nightly backup is down", .timeSensitive, "check-5b9c"),
    ] as [(String, String, String?, String, InterruptionLevel, String?)])
  func ready(
    _ template: String, _ file: String, _ title: String?, _ text: String, _ level: InterruptionLevel,
    _ collapseID: String?
  ) async throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bodies/\(file).json")
    let body = try [UInt8](Data(contentsOf: path))
    try await withKeyedPort(template: template) { port async throws in
      #expect(try await port.send("POST", "/h/\(hookKey)", body, json).hasPrefix("200 "))
      let push = try #require(port.recorder.pushes.first)
      #expect((push.title, push.text, push.level) == (title, text, level))
      if let collapseID { #expect(push.collapseID == collapseID) }
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

  @Test("Levels in any case, words that services have, and the address's level and title beside a body")
  func levels() async throws {
    try await withKeyedPort { port async throws in
      for word in ["DOWN", "Failed", "fatal", "ERROR", "Time_Sensitive", "timeSensitive"] {
        _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","level":"\#(word)"}"#, json)
      }
      _ = try await port.send("POST", "/h/\(hookKey)?level=PASSIVE&title=T", #"{"message":"m","level":"down"}"#, json)
      _ = try await port.send("POST", "/h/\(hookKey)?level=down&title=T", "m")
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","level":"info","status":"down"}"#, json)
      let pushes = port.recorder.pushes
      #expect(pushes.map(\.level) == Array(repeating: .timeSensitive, count: 6) + [.passive, .timeSensitive, .active])
      #expect(pushes.map(\.title) == Array(repeating: nil, count: 6) + ["T", "T", nil])
      #expect(pushes.map(\.text) == Array(repeating: "m", count: 9))
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
    for text in [
      "{{a", "{{}}", "{{a..b}}", "{{a[b=1}}", "{{a[b].c}}", "{{a[b=1]c}}",
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
