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
    let port = try await KeyedPort()
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

  @Test("A wrong key, a topic's key, other methods, and what is no JSON")
  func refused() async throws {
    let port = try await KeyedPort()
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

  @Test(
    "A form without a field that a template knows is a text, as it was sent",
    arguments: [
      ("exit=1", "exit=1"), ("Rock & Roll", "Rock & Roll"), ("a+b", "a+b"), ("100%", "100%"),
      ("a=1&b=%20", "a=1&b=%20"),
      ("Rock%20%26%20Roll", "Rock & Roll"), ("message=100%", "100%"), ("message=Rock+%26+Roll", "Rock & Roll"),
      ("badge=3", "triggered"),
    ])
  func forms(_ sent: String, _ text: String) async throws {
    let port = try await KeyedPort()
    let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
    #expect(try await port.send("POST", "/h/\(hookKey)", sent, form).hasPrefix("200 "))
    #expect(port.recorder.pushes.map(\.text) == [text])
    #expect(port.recorder.pushes.map(\.title) == [nil])
  }

  @Test("JSON in a form, and behind a byte order mark")
  func wrapped() async throws {
    let port = try await KeyedPort()
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
    let kuma = try await KeyedPort(template: "uptime-kuma")
    let query = "msg=\(escaped(message))&heartbeat=\(escaped(heartbeat))&monitor=\(escaped(monitor))"
    _ = try await kuma.send("GET", "/h/\(hookKey)?\(query)")
    _ = try await kuma.send(
      "POST", "/h/\(hookKey)",
      form("data", #"{"heartbeat":\#(heartbeat),"monitor":\#(monitor),"msg":"\#(message)"}"#), multipart)
    // A test message has neither heartbeat nor monitor.
    _ = try await kuma.send("GET", "/h/\(hookKey)?msg=Bell%20Testing")
    let pushes = kuma.recorder.pushes
    #expect(pushes.map(\.title) == ["Website", "Website", "Uptime Kuma"])
    #expect(pushes.map(\.text) == ["timeout", "timeout", "Bell Testing"])
    #expect(pushes.map(\.level) == [.timeSensitive, .timeSensitive, .active])
    #expect(pushes.prefix(2).map(\.collapseID) == ["monitor-3", "monitor-3"])

    let healthchecks = try await KeyedPort(template: "healthchecks")
    _ = try await healthchecks.send("GET", "/h/\(hookKey)?check=Nightly%20backup&status=down&code=5b9c")
    let backup = try #require(healthchecks.recorder.pushes.first)
    #expect(
      [backup.title, backup.text, backup.collapseID] == ["Nightly backup", "Nightly backup is down", "check-5b9c"])
    #expect(backup.level == .timeSensitive)

    let discord = try await KeyedPort(template: "discord")
    let grafana = #"{"username":"Grafana","content":"Firing","embeds":[{"title":"[FIRING:1] CPU","color":14037554}]}"#
    _ = try await discord.send("POST", "/h/\(hookKey)", form("payload_json", grafana), multipart)
    let firing = try #require(discord.recorder.pushes.first)
    #expect([firing.title, firing.text] == ["[FIRING:1] CPU", "Firing"])
    #expect(firing.level == .timeSensitive)

    let github = try await KeyedPort(template: "github")
    let event = #"{"zen":"Ring once.","hook_id":1,"repository":{"full_name":"brass/bell"}}"#
    _ = try await github.send(
      "POST", "/h/\(hookKey)", "payload=\(escaped(event))", ["Content-Type": "application/x-www-form-urlencoded"])
    let zen = try #require(github.recorder.pushes.first)
    #expect([zen.title, zen.text] == ["brass/bell", "Ring once."])
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
    let port = try await KeyedPort()
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

  @Test("A group of alerts follows the person's levels where they have its severity")
  func ownLevels() async throws {
    var template = try #require(HookTemplate.ready()["alertmanager"])
    template.levels["page"] = .passive
    let body = #"{"status":"firing","commonLabels":{"severity":"Page"},"commonAnnotations":{"summary":"s"}}"#
    let port = try await KeyedPort(template: "own", templates: ["own": template])
    _ = try await port.send("POST", "/h/\(hookKey)", body, json)
    #expect(port.recorder.pushes.map(\.level) == [.passive])
  }

  @Test("What replaces may be longer than a collapse identifier: the same is the same")
  func longIdentifiers() async throws {
    let port = try await KeyedPort()
    for text in [
      String(repeating: "a", count: 64), String(repeating: "a", count: 65), String(repeating: "a", count: 65),
    ] {
      _ = try await port.send("POST", "/h/\(hookKey)", #"{"message":"m","replaces":"\#(text)"}"#, json)
    }
    let identifiers = port.recorder.pushes.compactMap(\.collapseID)
    #expect(identifiers.map(\.utf8.count) == [64, 32, 32])
    #expect(identifiers[1] == identifiers[2])
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

/// The body's file, whose name begins with the template's, and the expected title, text, level, and identifier that the
/// message replaces.
private typealias Row = (String, String?, String, InterruptionLevel, String?)

private let github: [Row] = [
  ("github-check-run", "brass/bell", "lint: timed_out", .timeSensitive, "check-300"),
  ("github-comment-deleted", "brass/bell", "It is too loud: comment deleted", .active, nil),
  ("github-comment", "brass/bell", "It is too loud: Indeed.", .active, nil),
  ("github-create", "octocat/Hello-World", "branch topic: created", .active, nil),
  ("github-delete", "octocat/Hello-World", "tag simple-tag: deleted", .active, nil),
  ("github-dependabot-fixed", "brass/bell", "The clapper falls off: fixed", .active, nil),
  ("github-dependabot", "brass/bell", "The clapper falls off: created", .timeSensitive, nil),
  ("github-deployment-created", "brass/bell", "production: deployment created", .active, "deployment-88"),
  ("github-deployment-review", "brass/bell", "production: review requested", .active, "run-501"),
  ("github-deployment-success", "brass/bell", "production: success (main)", .active, "deployment-88"),
  ("github-deployment", "brass/bell", "production: failure (main)", .timeSensitive, "deployment-88"),
  ("github-gollum", "brass/bell", "Home: created", .active, nil),
  ("github-import", "brass/bell", "Import: failure", .timeSensitive, nil),
  ("github-issue", "brass/bell", "It is too loud: opened", .active, nil),
  ("github-job-waiting", "brass/bell", "Tests, deploy: waiting (main)", .passive, "job-640"),
  ("github-job", "octocat/Hello-World", "CI, Test workflow: failure (main)", .timeSensitive, "job-2832853555"),
  ("github-milestone", "brass/bell", "1.0: closed", .active, nil),
  ("github-page-build", "brass/bell", "Pages: errored", .timeSensitive, nil),
  ("github-ping", "deskbell/bell", "Keep it logically awesome.", .active, nil),
  ("github-public", "brass/bell", "an event by ada", .active, nil),
  ("github-pull-merged", "brass/bell", "A louder bell: merged", .active, nil),
  ("github-push-delete", "octocat/Hello-World", "refs/heads/topic: deleted", .active, nil),
  ("github-push", "brass/bell", "Ring twice\n\nFor the deaf.", .active, nil),
  ("github-release-deleted", "brass/bell", "1.0: deleted", .active, nil),
  ("github-release", "octocat/Hello-World", "0.0.1: published", .active, nil),
  ("github-review-comment", "brass/bell", "A louder bell: Indeed.", .active, nil),
  ("github-review", "brass/bell", "A louder bell: changes_requested", .active, nil),
  ("github-run-requested", "brass/bell", "Tests: queued (main)", .passive, "run-501"),
  ("github-run-success", "brass/bell", "Tests: success (main)", .active, "run-501"),
  ("github-run", "deskbell/bell", "Tests: failure (main)", .timeSensitive, "run-30433642"),
  (
    "github-status", "octocat/Hello-World", "ci/build: failure (The build failed)", .timeSensitive,
    "status-ci/build-6dcb09b5"
  ),
  ("github-suite-fork", "brass/bell", "hammer: failure", .timeSensitive, "suite-77"),
  ("github-suite", "octocat/Hello-World", "octocoders-linter: failure (changes)", .timeSensitive, "suite-118578147"),
  ("github-workflow-dispatch", "brass/bell", ".github/workflows/tests.yml: dispatched (refs/heads/main)", .active, nil),
]

private let forges: [Row] = [
  ("gitea-approved", "brass/bell", "A louder bell: approved", .active, nil),
  ("gitea-comment-deleted", "brass/bell", "It is too loud: comment deleted", .active, nil),
  ("gitea-create", "brass/bell", "branch louder: created", .active, nil),
  ("gitea-delete", "brass/bell", "branch louder: deleted", .active, nil),
  ("gitea-issue", "brass/bell", "It is too loud: label_updated", .active, nil),
  ("gitea-job", "brass/bell", "build: failure", .timeSensitive, "job-52"),
  ("gitea-merged", "brass/bell", "A louder bell: merged", .active, nil),
  ("gitea-push", "brass/bell", "Ring twice", .active, nil),
  ("gitea-rejected", "brass/bell", "A louder bell: changes requested", .active, nil),
  ("gitea-release", "brass/bell", "First: deleted", .active, nil),
  ("gitea-repository", "brass/bell", "ada: deleted", .active, nil),
  ("gitea-reviewed", "brass/bell", "A louder bell: How loud?", .active, nil),
  ("gitea-run", "brass/bell", "CI: failure (main)", .timeSensitive, "run-33"),
  ("gitea-wiki", "brass/bell", "Home: edited", .active, nil),
  ("forgejo-recover", "brass/bell", "Ring twice: recover (main)", .active, "run-14"),
  ("forgejo-run", "brass/bell", "Ring twice: failure (main)", .timeSensitive, "run-14"),
  ("gitlab-build-allowed", "brass/bell", "lint: failed (main)", .active, "job-1977"),
  ("gitlab-build-created", "brass/bell", "lint: created (main)", .passive, "job-1977"),
  ("gitlab-build", "brass/bell", "lint: failed (main)", .timeSensitive, "job-1977"),
  ("gitlab-deployment", "brass/bell", "staging: failed", .timeSensitive, "deployment-15"),
  ("gitlab-emoji", "brass/bell", "bell: award", .active, nil),
  ("gitlab-flag-off", "brass/bell", "loud: off", .active, nil),
  ("gitlab-flag", "brass/bell", "loud: on", .active, nil),
  ("gitlab-member", "brass", "Bob: user_add_to_group", .active, nil),
  ("gitlab-merge", "brass/bell", "A louder bell: open", .active, nil),
  ("gitlab-milestone", "brass/bell", "1.0: close", .active, nil),
  ("gitlab-note-commit", "brass/bell", "Too loud.", .active, nil),
  ("gitlab-note", "brass/bell", "A louder bell: Too loud.", .active, nil),
  ("gitlab-pipeline-success", "brass/bell", "Nightly: success (main)", .active, "pipeline-31"),
  ("gitlab-pipeline", "brass/bell", "pipeline 3: failed (main)", .timeSensitive, "pipeline-31"),
  ("gitlab-project", "brass/bell", "Bell: project_destroy", .active, nil),
  ("gitlab-push-delete", "brass/bell", "refs/heads/louder: deleted", .active, nil),
  ("gitlab-push", "brass/bell", "Ring twice", .active, nil),
  ("gitlab-release", "brass/bell", "v1.0: delete", .active, nil),
  ("gitlab-subgroup", "brass", "clappers: subgroup_create", .active, nil),
  ("gitlab-tag", "brass/bell", "refs/tags/v1.0: tag_push", .active, nil),
  ("gitlab-token", "brass", "access token deploy expires 2026-12-01", .active, nil),
  ("gitlab-vulnerability", "GitLab", "The clapper falls off: confirmed", .active, nil),
  ("gitlab-wiki", "brass/bell", "Home: create", .active, nil),
  ("gitlab-work-item", "brass/bell", "Oil the clapper: close", .active, nil),
]

private let alerts: [Row] = [
  ("grafana-bare", "HighCPU (firing)", "**Firing**\n\nValue: B=44.2, C=1", .timeSensitive, nil),
  ("grafana-legacy", "[Alerting] Panel alert", "Panel alert: alerting", .timeSensitive, "rule-7"),
  ("grafana-resolved", "HighCPU (resolved)", "CPU above 90 %", .active, nil),
  ("grafana-two", "HighMemory, HighCPU (firing)", "Memory in us-1, CPU in eu-1", .timeSensitive, nil),
  ("grafana", "HighCPU (firing)", "CPU above 90 % on web-1", .timeSensitive, nil),
  ("alertmanager-bare", "DiskFull (firing)", "nas", .timeSensitive, nil),
  ("alertmanager-firing", "DiskFull (firing)", "The disk of nas is full", .timeSensitive, nil),
  ("alertmanager-half", "DiskFull (firing), HostDown (resolved)", "nas; resolved: web was down", .timeSensitive, nil),
  (
    "alertmanager-mixed", "DiskFull (firing), HostDown (resolved)", "nas is full; resolved: web was down",
    .timeSensitive, nil
  ),
  ("alertmanager-page", "HighRequestLatency (firing)", "High request latency", .timeSensitive, nil),
  ("alertmanager-same", "DiskFull (firing)", "A disk is full (firing: nas; resolved: web)", .timeSensitive, nil),
  ("alertmanager-watchdog", "Watchdog (firing)", "This alert always fires.", .timeSensitive, nil),
  ("alertmanager", "DiskFull (resolved)", "The disk of nas is full", .active, nil),
  (
    "uptime-kuma-certificate", "Uptime Kuma",
    "[Website][https://web.local] server certificate web.local will expire in 7 days", .active, nil
  ),
  ("uptime-kuma-ping", "Website", "[Website] [✅ Up]", .active, "monitor-3"),
  ("uptime-kuma-test", "Uptime Kuma", "Bell Testing", .active, nil),
  ("uptime-kuma-up", "Website", "200 - OK", .active, "monitor-3"),
  ("uptime-kuma", "Website", "connect ECONNREFUSED 10.0.0.2:443", .timeSensitive, "monitor-3"),
  ("healthchecks-json", "Nightly \"big\" backup", "Nightly \"big\" backup is down", .timeSensitive, "check-5b9c2d0e"),
  ("healthchecks", "Nightly backup", "Nightly backup is down", .timeSensitive, "check-5b9c"),
  ("proxmox-info", "vzdump backup status (pve1): backup successful", "Details\n=======\nVMID 100 ok", .active, nil),
  ("proxmox-unknown", "Proxmox", "Test notification", .active, nil),
  ("proxmox", "vzdump backup status (pve1): backup failed", "Details\n=======\nVMID 100 failed", .timeSensitive, nil),
]

private let chats: [Row] = [
  ("slack-action", nil, "@here :no_entry: Failed GitHub Actions\n\nbrass/bell, 9c1f", .timeSensitive, nil),
  (
    "slack-alertmanager-resolved", "[RESOLVED] DiskFull nas (warning)",
    "[RESOLVED] DiskFull nas (warning) | http://nas:9093/#/alerts?receiver=bell", .active, nil
  ),
  (
    "slack-alertmanager", "[FIRING:1] DiskFull nas (warning)",
    "[FIRING:1] DiskFull nas (warning) | http://nas:9093/#/alerts?receiver=bell", .timeSensitive, nil
  ),
  ("slack-attachment", "[FIRING:1] DiskFull", "The disk of nas is > 90 % & growing", .timeSensitive, nil),
  ("slack-blocks", "New request", "Paid time off from Ada", .active, nil),
  ("slack-context", "Backup", "nas & web", .active, nil),
  ("slack-fields", nil, "You have a new request:\n*Ada - New device*\n*Type:*\nComputer, *When:*\nToday", .active, nil),
  ("slack-grafana", "[FIRING:1] HighCPU Servers", "@here\n**Firing**\n\nValue: B=44.2", .timeSensitive, nil),
  ("slack-healthchecks", "“Nightly” is DOWN.", "The check \"Nightly\" is DOWN.", .timeSensitive, nil),
  ("slack-jenkins", nil, "bell - #12 Failure after 3 min 2 sec (Open)", .timeSensitive, nil),
  ("slack-kuma-up", "Uptime Kuma Alert", "Uptime Kuma Alert\n[Website] [✅ Up] 200 - OK", .active, nil),
  ("slack-kuma", "Uptime Kuma Alert", "Uptime Kuma Alert\n[Website] [🔴 Down] timeout", .timeSensitive, nil),
  ("slack-list", nil, "nas, web", .active, nil),
  ("slack-notify", "ada", "The release is out", .active, nil),
  ("slack-rich", nil, "The backup is done", .active, nil),
  ("slack-text", "backup", "Deploy finished! :rocket:\nCompleted", .active, nil),
  (
    "discord-alertmanager-resolved", "[RESOLVED] DiskFull nas (warning)",
    "Alerts:\nLabels:\n - alertname = DiskFull", .active, nil
  ),
  (
    "discord-alertmanager", "[FIRING:1] DiskFull nas (warning)", "Alerts:\nLabels:\n - alertname = DiskFull",
    .timeSensitive, nil
  ),
  ("discord-content", nil, "Hello, World!", .active, nil),
  ("discord-embed", "Disk full", "The disk of nas is full", .timeSensitive, nil),
  ("discord-grafana", "[FIRING:1] HighCPU Servers", "**Firing**\n\nValue: B=44.2", .timeSensitive, nil),
  ("discord-kuma-up", "✅ Your service Website is up! ✅", "Website, https://web.local, 12 ms", .active, nil),
  ("discord-kuma", "❌ Your service Website went down. ❌", "timeout", .timeSensitive, nil),
  ("discord-renamed", "The Belfry", "Renamed", .active, nil),
  ("discord-sonarr", "IndexerStatusCheck", "Indexers are unavailable", .timeSensitive, nil),
]

private let media: [Row] = [
  ("sonarr-add", "The Belfry", "SeriesAdd", .active, nil),
  ("sonarr-delete", "The Belfry", "SeriesDelete", .active, nil),
  ("sonarr-download", "The Belfry", "Download: 2x4 Vespers", .active, nil),
  ("sonarr-file-delete", "The Belfry", "EpisodeFileDelete: 2x4 Vespers", .active, nil),
  ("sonarr-grab", "The Belfry", "Grab: 2x4 Vespers", .passive, nil),
  ("sonarr-health-warning", "Sonarr", "Health: Indexers are unavailable", .active, nil),
  ("sonarr-health", "Sonarr", "Health: Indexers are unavailable", .timeSensitive, nil),
  ("sonarr-manual", "The Belfry", "ManualInteractionRequired: 2x4 Vespers", .timeSensitive, nil),
  ("sonarr-rename", "The Belfry", "Rename: Season 02/S02E04.mkv", .passive, nil),
  ("sonarr-restored", "Sonarr", "HealthRestored: Indexers are unavailable", .active, nil),
  ("sonarr-test", "Test Title", "Test: 1x1 Test title", .active, nil),
  ("sonarr-update", "Sonarr", "ApplicationUpdate: Sonarr updated from 4.0.1 to 4.0.2", .active, nil),
  ("radarr-added", "Bells (2021)", "MovieAdded", .active, nil),
  ("radarr-delete", "Bells (2021)", "MovieDelete", .active, nil),
  ("radarr-download", "Bells (2021)", "Download: Bells.2021.1080p", .active, nil),
  ("radarr-file-delete", "Bells (2021)", "MovieFileDelete: Bells.mkv", .active, nil),
  ("radarr-grab", "Bells (2021)", "Grab: Bells.2021.1080p", .passive, nil),
  ("radarr-manual", "Bells (2021)", "ManualInteractionRequired: Bells.2021.1080p", .timeSensitive, nil),
  ("radarr-rename", "Bells (2021)", "Rename: Bells.mkv", .passive, nil),
  ("radarr-test", "Test Title (1970)", "Test: Test Title", .active, nil),
]

@Suite("Ready templates", .timeLimit(.minutes(10)))
struct ReadyTemplateTests {
  @Test("What each service sends", arguments: Array([github, forges, alerts, chats, media].joined()))
  func ready(
    _ file: String, _ title: String?, _ text: String, _ level: InterruptionLevel, _ collapseID: String?
  ) async throws {
    let template = try #require(HookTemplate.ready().keys.filter { file.hasPrefix($0) }.max { $0.count < $1.count })
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bodies/\(file).json")
    let body = try [UInt8](Data(contentsOf: path))
    let port = try await KeyedPort(template: template)
    #expect(
      try await port.send("POST", "/h/\(hookKey)", body, ["Content-Type": "application/json"]).hasPrefix("200 "))
    let push = try #require(port.recorder.pushes.first)
    #expect((push.title, push.text, push.level) == (title, text, level))
    if let collapseID { #expect(push.collapseID == collapseID) }
  }
}
