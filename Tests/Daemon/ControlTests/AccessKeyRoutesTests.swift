import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("Routes of topics and hooks", .timeLimit(.minutes(10)))
struct AccessKeyRoutesTests {
  @Test("Added, listed, given a new key, removed", arguments: KeyedWay.allCases)
  func life(_ way: KeyedWay) async throws {
    try await withServer { asker, _ async throws in
      let path = "/v1/\(way.rawValue)s"
      #expect(try await asker.ask("GET", path).body == "[]")
      #expect(
        try await asker.ask("PUT", "\(path)/ci", #"{"app":"com.example.mail","handset":"hall"}"#).body
          == #"{"app":"com.example.mail","handset":"hall","key":"tk_1","name":"ci"}"#)
      // The key remains, and is not shown again.
      #expect(
        try await asker.ask("PUT", "\(path)/ci", #"{"app":"com.example.mail"}"#).body
          == #"{"app":"com.example.mail","name":"ci"}"#)
      #expect(try await asker.client.keys(way).map(\.name) == ["ci"])
      #expect(try await asker.client.renewKey(way, "ci").key == "tk_2")
      #expect(try await asker.refusal("POST", "\(path)/cd/key") == "404 there is no \(way.rawValue) 'cd'")
      #expect(try await asker.ask("DELETE", "\(path)/ci").status == 204)
      #expect(try await asker.refusal("DELETE", "\(path)/ci") == "404 there is no \(way.rawValue) 'ci'")
    }
  }

  @Test("A hook has a template, a topic has none")
  func templates() async throws {
    try await withServer { asker, _ async throws in
      let body = #"{"app":"com.example.mail","template":"github"}"#
      #expect(try await asker.ask("PUT", "/v1/hooks/ci", body).status == 200)
      #expect(try await asker.client.keys(.hook).map(\.template) == ["github"])
      #expect(
        try await asker.refusal("PUT", "/v1/topics/ci", body)
          == "400 a topic has no template | deskbell hook add has one")
      #expect(try await asker.ask("GET", "/v1/hook-templates").body == #"["github","plain"]"#)
    }
  }

  @Test("Names, and keys of the request")
  func refusals() async throws {
    try await withServer { asker, _ async throws in
      let body = #"{"app":"com.example.mail"}"#
      #expect(try await asker.refusal("PUT", "/v1/topics/a%2Fb", body).hasPrefix("400 'a/b' is no name for a topic"))
      #expect(try await asker.refusal("PUT", "/v1/hooks/panel", body).hasPrefix("409 the name 'panel' is kept"))
      #expect(
        try await asker.refusal("PUT", "/v1/topics/a", #"{"app":"a","handsett":"b"}"#)
          == "400 unknown key 'handsett' | did you mean 'handset'?")
    }
  }
}
