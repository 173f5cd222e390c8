import Testing

@testable import Commands
@testable import DeskbellDaemon
@testable import HandsetCore

@Suite("Choosing events")
struct EventFilterTests {
  private let mail = AppID("com.example.mail")!

  private func event(_ kind: Event.Kind, push: PushID? = PushID(high: 0xAB, low: 1, upperCaseDigits: .max))
    -> EventReport
  {
    EventReport(
      Event(
        sequence: 7, moment: Moment(uptime: .zero, wall: WallTime(seconds: 0)), app: mail, push: push, kind: kind))
  }

  @Test(
    "Each word has to be true",
    arguments: [
      ("event=held", true), ("event=presented", false), ("event!=presented", true), ("app=com.example.mail", true),
      ("event=held app=com.example.other", false), ("reason=budget", true), ("reason!=budget", false),
      ("rule=U7 event=held", true), ("push=00000000-0000-00ab-0000-000000000001", true), ("nothing=x", false),
      ("nothing!=x", true), ("text='three updates were delivered in the last 60 minutes'", true),
    ])
  func words(_ text: String, _ isAccepted: Bool) throws {
    #expect(try #require(EventFilter(argument: text)).accepts(event(.held(.budget))) == isAccepted)
  }

  @Test("Numbers, flags and lists")
  func values() throws {
    func accepts(_ text: String, _ kind: Event.Kind) throws -> Bool {
      try #require(EventFilter(argument: text)).accepts(event(kind))
    }
    #expect(try accepts("number=12", .badge(12)))
    #expect(try accepts("lit=yes", .driver(.lamp(lit: true))))
    #expect(try accepts("lit=true", .driver(.lamp(lit: true))))
    #expect(try accepts("kinds=badge", .registered([.badge, .sound])))
    #expect(try !accepts("kinds=alert", .registered([.badge, .sound])))
  }

  @Test("Invalid filters", arguments: ["", "presented", "=x", "!=x", "event=a b"])
  func malformed(_ text: String) {
    #expect(EventFilter(argument: text) == nil)
  }

  @Test("How long to wait")
  func waiting() {
    #expect(WaitingTime(argument: "500ms")?.duration == .milliseconds(500))
    #expect(WaitingTime(argument: "30s")?.duration == .seconds(30))
    #expect(WaitingTime(argument: "5m")?.duration == .seconds(300))
    #expect(WaitingTime(argument: "1h30m")?.duration == .seconds(5_400))
    #expect(WaitingTime(argument: "24h")?.duration == .seconds(86_400))
    for text in ["", "5", "s", "0s", "25h", "2d", "-1s", "123456789s", "-5ms", "ms"] {
      #expect(WaitingTime(argument: text) == nil)
    }
  }

  @Test("The result of a command and its duration")
  func outcomes() {
    #expect(RunCommand.outcome(0, after: .milliseconds(1_240)) == "succeeded after 1.2 s")
    #expect(RunCommand.outcome(2, after: .seconds(59)) == "failed with 2 after 59 s")
    #expect(RunCommand.outcome(143, after: .seconds(123)) == "ended by signal 15 after 2 min 3 s")
    #expect(RunCommand.duration(.seconds(7_260)) == "2 h 1 min")
  }
}
