import FoundationEssentials
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite struct CenterRoutesTests {
  @Test(.daemon) func listsNewestFirst() async throws {
    #expect(try await asker.ask("GET", "/v1/center").body == "[]")
    await rig.installMail()
    await rig.installMail("com.example.news")
    for number in 1...3 { await rig.push(UInt64(number)) }
    let ids = try await asker.client.center(of: nil, limit: 50).map(\.id)
    #expect(ids == ids.sorted(by: >) && ids.count == 3)
    #expect(try await asker.client.center(of: mail, limit: 2).map(\.id) == Array(ids.prefix(2)))
    #expect(try await asker.client.center(of: "com.example.news", limit: 2).isEmpty)
  }

  @Test(.daemon) func limitsWhatIsListed() async throws {
    #expect(try await asker.ask("GET", "/v1/center?limit=1000").status == 200)
    try await asker.refuses([
      "GET /v1/center?limit=1001": "400 limit is 1 to 1000, not '1001'",
      "GET /v1/center?limit=0": "400 limit is 1 to 1000, not '0'",
      "GET /v1/center?limit=all": "400 limit is 1 to 1000, not 'all'",
      "GET /v1/center?limt=3": "400 /v1/center has no query parameter 'limt' | did you mean 'limit'?",
    ])
  }

  /// Without a limit the default number is returned, and no more.
  @Test(.daemonWithMail) func listsFiftyUnlessToldOtherwise() async throws {
    for number in 1...51 { await rig.push(UInt64(number)) }
    let answer = try await asker.ask("GET", "/v1/center")
    #expect(try JSONDecoder().decode([NotificationReport].self, from: Data(answer.body.utf8)).count == 50)
  }

  /// Rule N14.
  @Test(.daemonWithMail) func opens() async throws {
    for number in 1...2 { await rig.push(UInt64(number)) }
    let oldest = try #require(try await asker.client.center(of: nil, limit: 2).last)
    try await asker.refuses([
      #"POST /v1/center/\#(oldest.id)/response {"action":"REPLY"}"#: "404 the notification has no action 'REPLY'",
      #"POST /v1/center/\#(oldest.id)/response {"text":"Yes"}"#:
        "400 the action 'com.apple.UNNotificationDefaultActionIdentifier' takes no text",
      "POST /v1/center/9/response {}":
        "404 there is no notification 9 | Run 'deskbell center' to list notification numbers.",
    ])
    #expect(try await asker.client.respond(to: oldest.id).alert == nil)
    #expect(try await asker.client.app(mail).lifecycle == "foreground")
    // The other one stays, as seen (N10).
    #expect(try await asker.client.center(of: nil, limit: 2).map(\.isSeen) == [true])
  }

  @Test("N19: each of a thread has the number of those in the list", .daemonWithMail)
  func threads() async throws {
    for (number, thread) in [(1, "a"), (2, nil), (3, "a"), (4, "b")] as [(UInt64, String?)] {
      var push = Push(
        id: PushID(high: 0, low: number), token: ControlRig.token(1), topic: AppID(mail)!,
        message: Message(body: .literal("Hello")))
      push.threadID = thread
      await rig.apply(.push(push))
    }
    let all = try await asker.client.center(of: nil, limit: 50)
    #expect(all.map(\.threadID) == ["b", "a", nil, "a"])
    #expect(all.map(\.group) == [1, 2, nil, 2])
    #expect(try await asker.client.center(of: nil, limit: 3).map(\.group) == [1, 1, nil])
    #expect(try await asker.client.state().presentation.alert?.group == nil)
  }

  /// Rule N10: the user can remove one, a section or all.
  @Test(.daemonWithMail) func clears() async throws {
    for number in 1...3 { await rig.push(UInt64(number)) }
    let newest = try #require(try await asker.client.center(of: nil, limit: 1).first?.id)
    try await asker.client.clearNotification(newest)
    try await asker.refuses([
      "DELETE /v1/center/\(newest)":
        "404 there is no notification \(newest) | Run 'deskbell center' to list notification numbers.",
      "DELETE /v1/center/first":
        "404 there is no notification 'first' | Run 'deskbell center' to list notification numbers.",
    ])
    #expect(try await asker.client.center(of: nil, limit: 50).count == 2)
    try await asker.client.clearCenter(of: mail)
    #expect(try await asker.client.center(of: nil, limit: 50).isEmpty)
    await rig.push(4)
    try await asker.client.clearCenter(of: nil)
    #expect(try await asker.client.center(of: nil, limit: 50).isEmpty)
    #expect(try await asker.client.state().unseen == 0)
  }

  /// Rules N4, N7: the action button launches the app; the alert below is shown.
  @Test(.daemonWithMail) func pressesButtons() async throws {
    try await asker.refuses([
      #"POST /v1/press {"button":"view"}"#:
        "409 no alert is up | an alert comes with a message for an app whose style is 'alert'",
      #"POST /v1/press {"button":"veiw"}"#: "400 there is no button 'veiw' | did you mean 'view'?",
    ])
    await rig.push(1, action: .none)
    await rig.push(2)
    #expect(try await asker.client.state().presentation.alertsBelow == 1)
    #expect(try await asker.client.press("close").alert?.buttons == ["OK"])
    try await asker.refuses([
      #"POST /v1/press {"button":"view"}"#: "409 the alert has no action button, only OK | press close"
    ])
    #expect(try await asker.client.press("close").alert == nil)
    await rig.push(3)
    _ = try await asker.client.press("view")
    #expect(try await asker.client.app(mail).lifecycle == "foreground")
  }
}
