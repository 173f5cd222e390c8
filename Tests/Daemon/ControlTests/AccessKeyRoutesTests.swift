import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("Routes of topics and hooks", .timeLimit(.minutes(10)))
struct AccessKeyRoutesTests {
  @Test("Added, listed, given a new key, removed", arguments: KeyKind.allCases)
  func life(_ way: KeyKind) async throws {
    try await withServer(ControlRig(["1", "hall"])) { asker, rig async throws in
      await rig.installMail()
      await rig.installMail(on: HandsetID(2))
      let path = "/v1/\(way.rawValue)s"
      #expect(try await asker.ask("GET", path).body == "[]")
      let added = try await asker.client.setKey(way, "ci", KeyRequest(app: mail, handset: "hall"))
      let first = try #require(added.key)
      #expect(first.hasPrefix("tk_") && added.app == mail && added.handset == "hall")
      // The key remains, and is not shown again.
      #expect(
        try await asker.ask("PUT", "\(path)/ci", #"{"app":"com.example.mail"}"#).body
          == (way == .topic
            ? #"{"app":"com.example.mail","name":"ci"}"#
            : #"{"app":"com.example.mail","name":"ci","template":"plain"}"#))
      #expect(try await asker.client.keys(way).map(\.name) == ["ci"])
      let second = try await asker.client.renewKey(way, "ci").key
      #expect(second != nil && second != first)
      try await asker.refuses(["POST \(path)/cd/key": "404 there is no \(way.rawValue) 'cd' | …"])
      #expect(try await asker.ask("DELETE", "\(path)/ci").status == 204)
      try await asker.refuses(["DELETE \(path)/ci": "404 there is no \(way.rawValue) 'ci' | …"])
      #expect(
        try await asker.ask("PUT", "/v1/providers/ci", #"{"apps":["a"],"password":"correct horse"}"#).status == 200)
      try await asker.refuses([#"PUT \#(path)/ci {"app":"com.example.mail"}"#: "409 there is a provider 'ci' already…"])
    }
  }

  @Test("With a certificate a topic and a hook have addresses", .daemonWithMail)
  func addresses() async throws {
    try rig.useCertificate()
    let hook = try await asker.client.setKey(.hook, "ci", KeyRequest(app: mail))
    #expect(hook.url?.hasSuffix("/h/\(hook.key ?? "")") == true)
    #expect(hook.pin?.hasPrefix("sha256//") == true)
    #expect(hook.httpURL?.hasPrefix("http://") == true && hook.httpURL?.contains(":2199/h/") == true)
    #expect(try await asker.client.keys(.hook)[0].url?.hasSuffix("/h/KEY") == true)
  }

  @Test("A hook has a template, a topic has none", .daemonWithMail)
  func templates() async throws {
    let body = #"{"app":"com.example.mail","template":"github"}"#
    #expect(try await asker.ask("PUT", "/v1/hooks/ci", body).status == 200)
    #expect(try await asker.client.keys(.hook).map(\.template) == ["github"])
    try await asker.refuses([
      "PUT /v1/topics/ci \(body)": "400 a topic has no template | deskbell hook add has one",
      #"PUT /v1/hooks/cd {"app":"com.example.mail","template":"gihub"}"#:
        "400 there is no template 'gihub' | did you mean 'github'?",
    ])
    #expect(try await asker.ask("GET", "/v1/hook-templates").body == #"["github","plain"]"#)
  }

  @Test("Names, apps, handsets and keys of the request", .daemon)
  func refusals() async throws {
    let body = #"{"app":"com.example.mail"}"#
    try await asker.refuses([
      "PUT /v1/topics/a%2Fb \(body)": "400 'a/b' is no name for a topic…",
      "PUT /v1/hooks/panel \(body)": "409 the name 'panel' is kept…",
      "PUT /v1/topics/a \(body)": "404 no app 'com.example.mail' is installed…",
      #"PUT /v1/topics/a {"app":"a","handset":"b"}"#: "404 there is no handset 'b' | deskbell handsets lists them",
      #"PUT /v1/topics/a {"app":"a","handsett":"b"}"#: "400 unknown key 'handsett' | did you mean 'handset'?",
    ])
  }
}
