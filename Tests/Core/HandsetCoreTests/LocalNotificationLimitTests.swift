import Testing

@testable import HandsetCore

@Suite struct LocalNotificationLimitTests {
  private static let app = AppID("timer")!

  private func problem(_ change: (inout LocalNotification) -> Void) -> LocalNotificationProblem? {
    var request = LocalNotification(
      app: LocalNotificationLimitTests.app, identifier: "x", push: Label.push(1),
      trigger: .interval(.seconds(60), repeats: false), message: Message(body: .literal("Text")))
    change(&request)
    return request.problem
  }

  @Test("Intervals are more than 0 s, 60 s or more if they repeat, and have a limit (L1)")
  func intervals() {
    func problem(_ interval: Duration, _ repeats: Bool) -> LocalNotificationProblem? {
      self.problem { $0.trigger = .interval(interval, repeats: repeats) }
    }
    #expect(problem(.zero, false) == .badInterval)
    #expect(problem(.microseconds(1), false) == nil)
    #expect(problem(.seconds(60) - .microseconds(1), true) == .badInterval)
    #expect(problem(.seconds(60), true) == nil)
    #expect(problem(Policy.localIntervalLimit, true) == nil)
    #expect(problem(Policy.localIntervalLimit + .microseconds(1), false) == .badInterval)
  }

  @Test func words() {
    #expect(problem { $0.identifier = "" } == .badIdentifier)
    #expect(problem { $0.identifier = String(repeating: "x", count: 64) } == nil)
    #expect(problem { $0.identifier = String(repeating: "é", count: 33) } == .badIdentifier)
    #expect(problem { $0.content.payload = [UInt8](repeating: 0, count: 4_096) } == nil)
    #expect(problem { $0.content.payload = [UInt8](repeating: 0, count: 4_097) } == .tooLarge)
    func words(_ count: Int) -> Message {
      Message(title: .literal("title"), body: .literal(String(repeating: "x", count: count - 5)))
    }
    #expect(problem { $0.content.message = words(4_096) } == nil)
    #expect(problem { $0.content.message = words(4_097) } == .tooLarge)
    #expect(problem { $0.content.message = nil } == .nothingToPresent)
    #expect(problem { $0.content.badge = .number(-1) } == .badBadge)
    #expect(problem { $0.content.badge = .bad("x") } == .badBadge)
  }

  @Test("Identifiers are compared by their bytes: two ways to compose a letter are two notifications (L1, N8)")
  func identifiers() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let app = LocalNotificationLimitTests.app
    var handset = Handset()
    let now = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)
    _ = handset.handle(.install(AppManifest(id: app, name: "Timer"), token: Label.token(1)), at: now)
    for (number, name) in [composed, decomposed].enumerated() {
      let request = LocalNotification(
        app: app, identifier: name, push: Label.push(number),
        trigger: .interval(.seconds(60), repeats: false), badge: .number(1))
      _ = handset.handle(.schedule(request), at: now)
    }
    #expect(handset.contents.pending.count == 2)
    _ = handset.handle(.retract(app, collapseID: decomposed, .removed), at: now)
    #expect(handset.contents.pending.map { Array($0.request.identifier.utf8) } == [Array(composed.utf8)])
  }

  @Test("It wants to be woken for the first that is due on either clock, and for nothing else (L1)")
  func wakeAt() {
    var handset = Handset()
    let now = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)
    func local(_ name: String, _ trigger: LocalNotification.Trigger) -> Input {
      .schedule(
        LocalNotification(
          app: LocalNotificationLimitTests.app, identifier: name, push: Label.push(1), trigger: trigger,
          badge: .number(1)))
    }
    let manifest = AppManifest(id: LocalNotificationLimitTests.app, name: "Timer")
    _ = handset.handle(.install(manifest, token: Label.token(1)), at: now)
    _ = handset.handle(.setHandsetSetting(.quietHours, "22:00-07:00"), at: now)
    #expect(handset.wakeAt(after: now) == nil)
    _ = handset.handle(local("a", .interval(.seconds(90), repeats: true)), at: now)
    _ = handset.handle(local("b", .interval(.seconds(60), repeats: true)), at: now)
    #expect(handset.wakeAt(after: now) == Deadline(uptime: .seconds(1060), wall: nil))
    _ = handset.handle(local("c", .calendar(CalendarTime(hour: 7), repeats: false)), at: now)
    let seven = HandsetRig.wallStart.advanced(by: .seconds(7 * 3600))
    #expect(handset.wakeAt(after: now) == Deadline(uptime: .seconds(1060), wall: seven))
    _ = handset.handle(.cancel(LocalNotificationLimitTests.app, identifier: nil), at: now)
    #expect(handset.wakeAt(after: now) == nil)
  }

  @Test("One that is stored with a time before all others and no interval repeats once more")
  func beforeAllTimes() throws {
    let now = Moment(uptime: .seconds(100), wall: HandsetRig.wallStart)
    let request = LocalNotification(
      app: LocalNotificationLimitTests.app, identifier: "x", push: Label.push(1),
      trigger: .interval(.zero, repeats: true))
    let pending = PendingNotification(
      request: request, due: .uptime(.microseconds(Int64.min), wall: WallTime(microseconds: .min)))
    let next = try #require(pending.following(at: now, in: .utc))
    #expect(next.due == .uptime(.zero, wall: HandsetRig.wallStart.advanced(by: .seconds(-100))))
  }
}
