import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("LA1: Live Activities over the API") struct ActivityRoutesTests {
  @Test("An app starts one, updates it and ends it; it is in the list and in the state", .daemonWithMail)
  func change() async throws {
    #expect(try await asker.client.activities() == [])
    let started = try await asker.client.changeActivity(
      mail, nil, content: ["score": "0:0"], type: "Match", relevance: 50)
    #expect((started.state, started.contentText, started.relevance) == ("active", #"{"score":"0:0"}"#, 50))
    let updated = try await asker.client.changeActivity(mail, started.id, content: ["score": "1:0"], staleSeconds: 60)
    #expect((updated.state, updated.contentText) == ("active", #"{"score":"1:0"}"#))
    #expect(updated.stale.map { $0 - updated.updated / 1_000_000 * 1_000_000 } == 60_000_000)
    #expect(try await asker.client.state().activities == [updated])
    #expect(try await asker.client.appActivities(mail).activities == [updated])
    let ended = try await asker.client.changeActivity(mail, started.id, isEnd: true, content: nil, dismissalSeconds: 60)
    #expect((ended.state, ended.contentText) == ("ended", "{}"))
    try await asker.client.dismissActivity(started.id)
    #expect(try await asker.client.activities(mail) == [])
  }

  @Test("What cannot be done is refused", .daemonWithMail)
  func refuses() async throws {
    try await asker.refuses([
      "DELETE /v1/activities/x": "404 there is no Live Activity 'x'",
      "DELETE /v1/activities/7": "404 the app has no Live Activity 7 that goes on",
      #"POST /v1/apps/\#(mail)/activities {"content":{"a":1},"channel":""}"#: "400 '' is no channel",
      #"POST /v1/apps/\#(mail)/activities/7/update {}"#: "404 the app has no Live Activity 7 that goes on",
    ])
    for _ in 1...5 { _ = try await asker.client.changeActivity(mail, nil, content: nil) }
    try await asker.refuses([
      "POST /v1/apps/\(mail)/activities {}": "409 '\(mail)' may have 5 Live Activities, and all apps 50"
    ])
  }
}
