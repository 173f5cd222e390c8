// Scheduling, listing and cancelling local notifications, and the presentation that an app asks for (L1, L2, N2).

import FoundationEssentials
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite struct LocalRoutesTests {
  private let tea = #"{"title":"Tea","body":"It is ready","badge":1,"sound":"default","afterSeconds":600}"#

  @Test("L1: an app schedules, lists and cancels", .daemonWithMail)
  func schedules() async throws {
    #expect(try await asker.ask("GET", "/v1/local").body == "[]")
    #expect(try await asker.ask("PUT", "/v1/apps/\(mail)/local/tea", tea).status == 200)
    let round = LocalNotificationRequest(
      title: "Round", subtitle: "Early", body: "Go", actionTitle: "Start", badge: 2, sound: "bell",
      level: "time-sensitive", threadID: "t",
      calendar: CalendarTime(year: 2030, month: 2, day: 3, weekday: 7, hour: 7, minute: 30, second: 15),
      repeats: true)
    let scheduled = try await asker.client.schedule("a round/ü", of: mail, round)
    #expect(scheduled.request == round)
    // 2030-02-03, a Sunday, in UTC.
    #expect(scheduled.dueWallMicroseconds == 1_896_334_215_000_000)
    #expect(PushID(scheduled.push) != nil)
    let all = try await asker.client.scheduled(of: nil)
    #expect(all.map(\.identifier) == ["tea", "a round/ü"])
    #expect(all[0].app == mail)
    #expect(all[0].dueWallMicroseconds == 1_700_000_600_000_000)
    #expect(
      all[0].request
        == LocalNotificationRequest(
          title: "Tea", body: "It is ready", badge: 1, sound: "default", level: "active", afterSeconds: 600,
          repeats: false))
    #expect(try await asker.client.scheduled(of: mail) == all)

    // The single button OK.
    let silent = LocalNotificationRequest(
      title: "Tea", actionTitle: "", level: "active", afterSeconds: 60, repeats: false)
    #expect(try await asker.client.schedule("ok", of: mail, silent).request == silent)
    try await asker.client.cancel("ok", of: mail)
    // Another one with the name replaces it.
    #expect(try await asker.client.schedule("tea", of: mail, .init(badge: 3, afterSeconds: 60)).request.badge == 3)
    #expect(try await asker.client.scheduled(of: mail).count == 2)
    try await asker.client.cancel("a round/ü", of: mail)
    #expect(try await asker.client.scheduled(of: mail).map(\.identifier) == ["tea"])
    try await asker.client.cancel(nil, of: mail)
    #expect(try await asker.client.scheduled(of: nil).isEmpty)
    #expect(try await asker.ask("DELETE", "/v1/apps/\(mail)/local").status == 204)
  }

  @Test("The app gets what a provider's push would have in it (N2)")
  func payload() throws {
    func payload(_ request: LocalNotificationRequest) throws -> String {
      let notification = try request.notification(
        of: #require(AppID(mail)), named: "tea", push: PushID(high: 0, low: 1))
      return String(decoding: notification.payload, as: UTF8.self)
    }
    #expect(
      try payload(LocalNotificationRequest(badge: 3, afterSeconds: 1))
        == #"{"aps":{"badge":3},"local-notification":"tea"}"#)
    #expect(
      try payload(LocalNotificationRequest(title: "A", actionTitle: "Go", afterSeconds: 1))
        == #"{"aps":{"alert":{"action-loc-key":"Go","title":"A"}},"local-notification":"tea"}"#)
    #expect(
      try payload(LocalNotificationRequest(title: "A", actionTitle: "", afterSeconds: 1))
        == #"{"aps":{"alert":{"action-loc-key":null,"title":"A"}},"local-notification":"tea"}"#)
    #expect(
      try payload(
        LocalNotificationRequest(
          title: "A/B \"c\"", subtitle: "S", body: "ü", sound: "default", level: "critical", threadID: "x",
          calendar: CalendarTime(hour: 7)))
        == #"{"aps":{"alert":{"body":"ü","subtitle":"S","title":"A/B \"c\""},"interruption-level":"critical","#
        + #""sound":"default","thread-id":"x"},"local-notification":"tea"}"#)
  }

  @Test(
    "What is wrong with it is said, and nothing is scheduled", .daemonWithMail,
    arguments: [
      #"{"title":"Tea"}"#: "400 when is it due? | give afterSeconds or calendar, one of them",
      #"{"title":"Tea","afterSeconds":1,"calendar":{"hour":7}}"#:
        "400 when is it due? | give afterSeconds or calendar, one of them",
      #"{"title":"Tea","afterSeconds":1,"level":"pasive"}"#:
        "400 there is no interruption level 'pasive' | did you mean 'passive'?",
      #"{"afterSeconds":1}"#:
        "400 the notification was not scheduled: it has a message, a badge or a sound, or there is nothing to present",
      #"{"badge":-1,"afterSeconds":1}"#: "400 the notification was not scheduled: its badge is 0 or more",
      #"{"title":"Tea","calendar":{"year":2020,"hour":7}}"#:
        "400 the notification was not scheduled: its calendar time never comes, or not again",
      #"{"title":"Tea","afterSeconds":59,"repeats":true}"#:
        "400 the notification was not scheduled: its interval is longer than 0 s, 60 s or longer where it repeats, and "
        + "3660 days at most",
      #"{"title":"Tea","calendar":{"hour":24}}"#:
        "400 the notification was not scheduled: its calendar time has a year from 1970 to 9999, a month from 1 to 12, "
        + "a day from 1 to 31, a weekday from 1 (Monday) to 7, an hour from 0 to 23, and minute and second from 0 to 59",
    ])
  func refuses(_ body: String, _ refusal: String) async throws {
    try await asker.refuses(["PUT /v1/apps/\(mail)/local/tea \(body)": refusal])
    #expect(try await asker.client.scheduled(of: nil).isEmpty)
  }

  @Test(.daemon) func namesWhatIsNotThere() async throws {
    try await asker.refuses([
      "PUT /v1/apps/\(mail)/local/tea \(tea)":
        "404 no app 'com.example.mail' is installed | no app is installed yet; install one first"
    ])
    await rig.installMail()
    try await asker.refuses([
      "DELETE /v1/apps/\(mail)/local/tae": "404 the app has no notification 'tae' scheduled | it has none scheduled"
    ])
    _ = try await asker.ask("PUT", "/v1/apps/\(mail)/local/tea", tea)
    try await asker.refuses([
      "DELETE /v1/apps/\(mail)/local/tae": "404 the app has no notification 'tae' scheduled | did you mean 'tea'?",
      "GET /v1/local?ap=x": "400 /v1/local has no query parameter 'ap' | did you mean 'app'?",
    ])
    let long = String(repeating: "x", count: Policy.localIdentifierLimit)
    #expect(try await asker.ask("PUT", "/v1/apps/\(mail)/local/\(long)", tea).status == 200)
    try await asker.refuses([
      "PUT /v1/apps/\(mail)/local/\(long)x \(tea)":
        "400 the notification was not scheduled: its identifier has 1 to 64 bytes"
    ])
  }

  @Test("L2: of 65 the one due last is not kept, new or old; the answer to a new one says so", .daemonWithMail)
  func keepsTheSoonest() async throws {
    func request(_ seconds: Int64) -> LocalNotificationRequest { .init(badge: 1, afterSeconds: seconds) }
    for number in 1...Int64(Policy.localPendingLimit) {
      _ = try await asker.client.schedule("n\(number)", of: mail, request(number * 10))
    }
    try await asker.refuses([
      #"PUT /v1/apps/\#(mail)/local/late {"badge":1,"afterSeconds":9999}"#:
        "409 the app has 64 scheduled that are due sooner, which is the most that are kept | cancel one first"
    ])
    _ = try await asker.client.schedule("soon", of: mail, request(5))
    let all = try await asker.client.scheduled(of: mail).map(\.identifier)
    #expect(all == ["soon"] + (1...63).map { "n\($0)" })
  }

  @Test("N2: a running app says what is presented while it is in the foreground", .daemonWithMail)
  func foreground() async throws {
    try await asker.refuses([
      #"PUT /v1/apps/\#(mail)/foreground {"kinds":["badge"]}"#:
        "409 'com.example.mail' is not running | launch it first"
    ])
    _ = try await asker.client.changeLifecycle(mail, "launch")
    #expect(try await asker.client.app(mail).foregroundPresentation == [])
    let app = try await asker.client.present(mail, inForeground: ["alert", "badge"])
    #expect(app.foregroundPresentation == ["badge", "alert"])
    try await asker.refuses([
      #"PUT /v1/apps/\#(mail)/foreground {"kinds":["alerts"]}"#:
        "400 there is no kind of notification 'alerts' | did you mean 'alert'?"
    ])
    #expect(try await asker.client.app(mail).foregroundPresentation == ["badge", "alert"])
    #expect(try await asker.client.present(mail, inForeground: []).foregroundPresentation == [])
  }
}
