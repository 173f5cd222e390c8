// One past each limit of deferred pushes, summaries and Focus modes.

import TestSupport
import Testing

@testable import HandsetCore

@Suite struct DeferralLimitTests {
  private var handset = Handset()
  private let now = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)

  init() { submit(.setCondition(.lowPower, true)) }

  @discardableResult
  private mutating func submit(_ input: Input) -> Turn { handset.handle(input, at: now) }

  private func app(_ number: Int) -> AppID { AppID("app\(number)")! }

  private mutating func addApps(_ count: Int) {
    for number in 1...count {
      submit(.install(AppManifest(id: app(number), name: "App"), token: Label.token(number)))
      submit(.register(app(number), .all, token: Label.token(0)))
    }
  }

  private func push(
    _ number: Int, to app: Int, level: InterruptionLevel = .active, bytes: Int = 0
  ) -> Push {
    Push(
      id: Label.push(number), token: Label.token(app), topic: self.app(app), message: Message(body: .literal("Text")),
      level: level, priority: 5, payload: [UInt8](repeating: 0x61, count: bytes))
  }

  @Test("Q1: of an app the newest 32 wait")
  mutating func ofAnApp() {
    addApps(2)
    submit(.push(push(1, to: 2)))
    for number in 2...33 { submit(.push(push(number, to: 1))) }
    #expect(handset.deferredPushes.count == 33)
    let turn = submit(.push(push(34, to: 1)))
    #expect(turn.events.map(\.kind) == [.accepted(.alert), .deferred(.lowPower), .discarded(.tooManyDeferred)])
    #expect(turn.events.last?.push == Label.push(2))
    #expect(handset.deferredPushes.map(\.push.id) == ([1] + Array(3...34)).map { Label.push($0) })
  }

  @Test("Q1: of all 512 wait; the app that has most loses its oldest")
  mutating func ofAll() {
    addApps(17)
    for number in 1...496 { submit(.push(push(number, to: 1 + (number - 1) / 31))) }
    for number in 497...512 { submit(.push(push(number, to: 17))) }
    #expect(handset.deferredPushes.count == 512)
    let turn = submit(.push(push(513, to: 17)))
    #expect(turn.events.last?.kind == .discarded(.tooManyDeferred))
    #expect(turn.events.last?.push == Label.push(1))
    #expect(handset.deferredPushes.count == 512)
  }

  @Test("Q1: all have 4 MB")
  mutating func bytes() {
    addApps(2)
    let quarter = (1 << 20) / 2 - NotificationContent.overhead / 2
    submit(.push(push(1, to: 2, bytes: quarter)))
    for number in 2...4 { submit(.push(push(number, to: 1, bytes: quarter))) }
    #expect(handset.deferredPushes.count == 4)
    submit(.push(push(5, to: 2)))
    #expect(handset.deferredPushes.map(\.push.id) == [1, 3, 4, 5].map { Label.push($0) })
  }

  @Test("Q2: 12 times, not 13, and no time twice")
  func summaryTimes() {
    let times = (10...21).map { "\($0):00" }
    #expect(SummaryTimes(times.joined(separator: ","))?.minutes.count == 12)
    #expect(SummaryTimes((times + ["22:00"]).joined(separator: ",")) == nil)
    for text in ["", ",", "08:00,", "08:00,08:00", "8:00", "24:00", "08:00, 18:00"] {
      #expect(SummaryTimes(text) == nil, "\(text)")
    }
    #expect(SummaryTimes("18:00,08:00")?.description == "08:00,18:00")
  }

  @Test("Q3: 16 modes, with names of 32 bytes, 64 apps and 16 criteria of 256 bytes; one more is refused")
  mutating func focusModes() {
    var largest = FocusMode(name: "")
    largest.allow = (1...64).map(app)
    largest.filters = Dictionary(
      uniqueKeysWithValues: (1...64).map {
        ("app\($0)", Array(repeating: String(repeating: "a", count: 256), count: 16))
      })
    let name = String(repeating: "n", count: 32)
    #expect(submit(.setFocusMode(name, largest)).verdict == .accepted)
    let before = handset
    var wrong = [largest, largest, largest, largest, largest]
    wrong[0].allow.append(app(65))
    wrong[1].filters["app65"] = []
    wrong[2].filters["app1"] = Array(repeating: "a", count: 17)
    wrong[3].filters["app1"] = [String(repeating: "a", count: 257)]
    wrong[4].filters = ["no app!": []]
    for mode in wrong { #expect(submit(.setFocusMode("work", mode)).verdict == .refused(.badFocusMode)) }
    for name in [name + "n", "", "off", "a b", "ä"] {
      #expect(submit(.setFocusMode(name, largest)).verdict == .refused(.badFocusMode), "\(name)")
    }
    for number in 2...16 { submit(.setFocusMode("mode\(number)", FocusMode(name: ""))) }
    #expect(submit(.setFocusMode("mode17", FocusMode(name: ""))).verdict == .refused(.tooManyFocusModes))
    #expect(submit(.setFocusMode("mode16", largest)).verdict == .accepted)
    #expect(before.focusModes.count == 1 && handset.focusModes.count == 16)
  }

  /// Turns on a mode that allows these apps, of three.
  private mutating func focus(on allowed: [Int]) {
    addApps(3)
    submit(.setCondition(.lowPower, false))
    var mode = FocusMode(name: "work")
    mode.allow = allowed.map(app)
    submit(.setFocusMode("work", mode))
    submit(.setHandsetSetting(.focus, "work"))
  }

  @Test("Q3: of an allowed app, the lamp finds what lies below many newer ones")
  mutating func lampOfAllowedApps() {
    focus(on: [1, 3])
    for (number, app) in [(1, 1), (2, 1), (3, 3)] { submit(.push(push(number, to: app))) }
    #expect(handset.lamp?.push == Label.push(3))
    for number in 4...200 { submit(.push(push(number, to: 2))) }
    #expect(handset.lamp?.push == Label.push(3))
    submit(.lifecycle(app(3), .launch))
    submit(.lifecycle(app(3), .background))
    #expect(handset.lamp?.push == Label.push(2))
    submit(.lifecycle(app(1), .launch))
    submit(.lifecycle(app(1), .background))
    #expect(handset.lamp == nil)
    submit(.setHandsetSetting(.focus, "off"))
    #expect(handset.lamp?.push == Label.push(200))
  }

  @Test("Q3: of other apps, the lamp finds a time-sensitive one among the newest 64")
  mutating func lampOfOtherApps() {
    focus(on: [1])
    submit(.setAppSetting(app(3), .timeSensitive, "off"))
    submit(.push(push(1, to: 2, level: .timeSensitive)))
    for number in 2...64 { submit(.push(push(number, to: 3, level: .timeSensitive))) }
    #expect(handset.lamp?.push == Label.push(1))
    submit(.push(push(65, to: 3, level: .timeSensitive)))
    #expect(handset.lamp == nil)
    submit(.setHandsetSetting(.focus, "off"))
    #expect(handset.lamp != nil)
  }
}
