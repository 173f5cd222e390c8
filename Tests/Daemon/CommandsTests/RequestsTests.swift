import HandsetCore
import PushPort
import Testing

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon

@Suite struct RequestsTests {
  private func report(_ number: Int, _ change: (inout RecordedRequest) -> Void = { _ in }) -> RequestReport {
    var request = RecordedRequest(
      connection: 1, stream: 5, frontEnd: "apns", method: "POST", path: "/3/device/a1", headers: [])
    request.number = number
    request.moment = Moment(uptime: .seconds(1), wall: WallTime(microseconds: WordsTests.moment))
    (request.app, request.pushType, request.priority, request.push) = ("com.example.mail", "alert", "10", "8C07")
    change(&request)
    return RequestReport(request)
  }

  @Test func aTableOfRequests() {
    let requests = [
      report(1) { $0.answer = RecordedAnswer(status: 503, reason: "ServiceUnavailable", by: .fault, fault: "busy") },
      report(2) {
        ($0.frontEnd, $0.stream, $0.pushType, $0.priority) = ("hook", nil, nil, nil)
        ($0.end, $0.lint) = ("cut", ["L1", "L3"])
      },
    ]
    #expect(
      RequestWords.table(requests, WordsTests.utc) == """
        NO.  TIME          C  S  APP               TYPE   PRIORITY  PUSH  ANSWER                  BY          LINT
        1    22:13:20.123  1  5  com.example.mail  alert  10        8C07  503 ServiceUnavailable  fault busy  -
        2    22:13:20.123  1  -  com.example.mail  hook   -         8C07  cut                     -           L1,L3
        """)
    #expect(RequestWords.table([], WordsTests.utc) == nil)
  }

  @Test func aLineOfARequest() {
    let answered = report(3) { $0.answer = RecordedAnswer(status: 200, by: .handset) }
    #expect(
      RequestWords.line(answered, WordsTests.utc)
        == "#3 22:13:20.123 c1 s5 com.example.mail alert p10 8C07 200 handset")
    #expect(
      RequestWords.line(report(4), WordsTests.utc)
        == "#4 22:13:20.123 c1 s5 com.example.mail alert p10 8C07 none yet")
  }

  @Test func whatCameOfPushes() {
    let push = SettledPush(
      push: "8C07", app: "com.example.mail", status: 200, rang: true, shown: ["badge 1"], why: "It rang: badge 1.",
      presented: 1, lamp: 60_001_000, digits: 60_002_500)
    #expect(
      EventsCommand.text(SettledReport(settled: true, pushes: [push])) == """
        PUSH  APP               STATUS  PRESENTED  RANG  UPTIME                          WHY
        8C07  com.example.mail  200     1          yes   lamp 60.001 s, digits 60.002 s  It rang: badge 1.
        """)
    #expect(
      EventsCommand.text(SettledReport(settled: true, pushes: []))
        == "Nothing is under way, and there are no pushes.")
  }

  @Test func arguments() throws {
    let requests: RequestsCommand = try parse("requests --since 3 --app a.b --status 503 --connection 2 --json")
    #expect(requests.since == 3 && requests.app == "a.b" && requests.status == 503 && requests.connection == 2)
    #expect(requests.json.isWanted && !requests.follow && requests.last == nil)
    let settled: EventsCommand = try parse("events --settled --app a.b --timeout 500ms")
    #expect(settled.settled && settled.timeout?.duration == .milliseconds(500))
    for line in [
      "requests --last 0", "requests --last 10001", "requests --status 99", "requests --since -1",
      "events --settled --follow", "events --settled --wait event=presented", "events --settled --kind presented",
      "events --timeout 3s",
    ] {
      #expect(end(line) != nil, "\(line)")
    }
    #expect(try parse("requests --last 10000", as: RequestsCommand.self).last == 10_000)
  }
}
