// A Live Activity's countdown on the wire: what the front's plan shows is sent to the model of the display's chip, which
// draws the digits.

import Testing

@testable import Board
@testable import BoardSimulator
@testable import HandsetCore

@Suite("LA9: a countdown on the digits")
struct CountdownTests {
  /// A tea timer of a minute: a push starts it, and one ends it.
  @Test func everySecondOfAMinuteIsShownWithTwoPushes() throws {
    let tea = try #require(AppID("tea"))
    var handset = Handset()
    var pushes = 0
    var manifest = AppManifest(id: tea, name: "Tea")
    manifest.liveActivity = LiveActivityManifest(countdown: "ready")
    let token = try #require(DeviceToken(bytes: [1]))
    func moment(_ uptime: Duration) -> Moment {
      Moment(uptime: uptime, wall: WallTime(seconds: 1_800_000_000).advanced(by: uptime))
    }
    _ = handset.handle(.install(manifest, token: token), at: moment(.zero))
    _ = handset.handle(.register(tea, .all, token: token), at: moment(.zero))
    func send(_ event: ActivityUpdate.Event, at uptime: Duration) {
      pushes += 1
      var push = Push(id: PushID(high: 0, low: UInt64(pushes), upperCaseDigits: 0), token: nil, topic: tea)
      push.type = .liveactivity
      push.activity = ActivityUpdate(
        event, timestamp: moment(uptime).wall, content: #"{"ready": 1800000062.0, "kind": "green"}"#)
      #expect(handset.handle(.push(push), at: moment(uptime)).verdict == .accepted)
    }

    let bench = try DisplayBench(Wiring.tm1637())
    var plan = FrontPlan(width: bench.display.driver.digits, hasDecimalPoints: bench.display.hasDecimalPoints)
    send(.start, at: .seconds(2))
    plan.show(handset.presentation(at: moment(.seconds(2))), at: .seconds(2))
    var now = Duration.seconds(2)
    var changes = 0
    for left in stride(from: 60, through: 0, by: -1) {
      try bench.play(plan.digits(at: now).segments)
      guard case .digits(let drawn) = bench.wire.model.face else {
        Issue.record("no digits")
        return
      }
      let expected = SegmentText(
        countdown: .seconds(left), width: drawn.count, hasDecimalPoints: bench.display.hasDecimalPoints)
      #expect(drawn == expected.digits, "\(left) s are left")
      guard let next = plan.nextDisplayChange(after: now) else { break }
      #expect(next == .seconds(62 - left + 1))
      (now, changes) = (next, changes + 1)
    }
    #expect(changes == 60)
    #expect(plan.nextDisplayChange(after: now) == nil)
    #expect(handset.wakeAt(after: moment(now))?.uptime == .seconds(2) + Policy.activityLifetime)
    send(.end, at: now)
    plan.show(handset.presentation(at: moment(now)), at: now)
    #expect(plan.digits(at: now).isDark)
    #expect(pushes == 2)
    #expect(bench.rules == [])
  }

  @Test(arguments: [
    (60, 4, true, "1.00"), (59, 4, true, "0.59"), (0, 4, true, "0.00"), (5_999, 4, true, "99.59"),
    (6_000, 4, true, "100"),
    (60, 4, false, "60"), (9_999, 4, false, "9999"), (10_000, 4, false, "166"), (100, 2, true, "1"),
    (99, 2, true, "99"),
  ])
  func theFormFitsTheDisplay(seconds: Int, width: Int, hasPoints: Bool, expected: String) {
    let text = SegmentText(countdown: .seconds(seconds), width: width, hasDecimalPoints: hasPoints).characters
    #expect(text.drop { $0 == " " } == expected)
  }

  @Test(arguments: [
    ("2:1", "2.1"), ("-3", "-3"), ("GOAL", "GOAL"), ("12345", "9.9.9.9."), ("21.50", "21.50"), ("x", " "),
    ("OPEN!", "OPEN"),
  ])
  func textsAreCutToTheDigits(text: String, expected: String) {
    let shown = SegmentText(text: text, width: 4, hasDecimalPoints: true).characters
    #expect(shown.drop { $0 == " " } == expected.drop { $0 == " " })
  }

  @Test(arguments: [("2:1", " 2 1"), ("12:34", "1234"), ("1.5:0", " 150")])
  func withoutPointsThereIsADarkDigitIfThereIsRoom(text: String, expected: String) {
    #expect(SegmentText(text: text, width: 4, hasDecimalPoints: false).characters == expected)
  }

  @Test func aPresentationThatIsRepeatedChangesNothing() {
    var plan = FrontPlan(width: 4, hasDecimalPoints: true)
    var shown = Presentation.dark
    shown.activity = .countdown(until: .seconds(100))
    plan.show(shown, at: .seconds(40))
    let first = plan.digits(at: .milliseconds(40_500))
    plan.show(shown, at: .milliseconds(40_400))
    #expect(plan.digits(at: .milliseconds(40_500)) == first)
    #expect(plan.nextDisplayChange(after: .milliseconds(40_500)) == .seconds(41))
  }
}
