// Rule P1 to the microsecond, to the last of the remembered pushes, and to the last bit of each.
// Tests/Core/Stories/the-same-push-again.story shows the consequences to a person.

import TestSupport
import Testing

@testable import HandsetCore

@Suite struct RecentPushTests {
  private static let app = AppID("mail")!
  private var handset = Handset()
  private var now = Moment(uptime: .seconds(1000), wall: HandsetRig.wallStart)

  init() {
    _ = handset.handle(.install(AppManifest(id: RecentPushTests.app, name: "Mail"), token: Label.token(1)), at: now)
    _ = handset.handle(.register(RecentPushTests.app, [.badge], token: Label.token(2)), at: now)
  }

  private func push(_ number: Int, payload: Int = 0, isNamed: Bool = true) -> Push {
    var push = Push(
      id: Label.push(number), token: Label.token(1), topic: RecentPushTests.app, badge: .number(1),
      payload: Array("\(payload)".utf8))
    push.hasProviderID = isNamed
    return push
  }

  /// Sends the push. Returns the names of its events.
  @discardableResult
  private mutating func send(_ push: Push) -> [String] {
    let turn = handset.handle(.push(push), at: now)
    #expect(turn.verdict == .accepted)
    return turn.events.map(\.name)
  }

  private mutating func advance(_ duration: Duration) {
    now = Moment(uptime: now.uptime + duration, wall: now.wall.advanced(by: duration))
  }

  @Test("An hour to the microsecond, counted from the first (P1)")
  mutating func window() {
    let new = send(push(1))
    #expect(new.first == "accepted")
    advance(Policy.duplicateWindow - .microseconds(1))
    #expect(send(push(1)) == ["duplicate"])
    advance(.microseconds(1))
    #expect(send(push(1)) == new)
    advance(.seconds(3599))
    #expect(send(push(1)) == ["duplicate"])
    #expect(handset.brokenInvariants() == [])
  }

  @Test("Letter case of the identifier is no difference, and each event has its own (P1)")
  mutating func letterCase() throws {
    var lower = push(1)
    lower.id = try #require(PushID("abcdef00-0000-4000-8000-00000000000a"))
    var upper = lower
    upper.id = try #require(PushID("ABCDEF00-0000-4000-8000-00000000000A"))
    send(lower)
    let again = handset.handle(.push(upper), at: now)
    #expect(again.events.map(\.kind) == [.duplicate()])
    #expect(again.events.map { $0.push?.description } == ["ABCDEF00-0000-4000-8000-00000000000A"])
    #expect(again.effects == [])
    #expect(again.rulings == [])
  }

  @Test("One past 10,000 forgets the oldest, and no push forgets more than two (P1)")
  mutating func limit() {
    for number in 1...Policy.recentPushLimit { send(push(number)) }
    #expect(send(push(1)) == ["duplicate"])
    let turn = handset.handle(.push(push(10_001)), at: now)
    #expect(turn.changes.filter(\.isOfRecentPush).count == 2)
    #expect(handset.recent.count == 10_000)
    #expect(send(push(2)) == ["duplicate"])
    #expect(send(push(1)).first == "accepted")
    #expect(send(push(2)).first == "accepted")
    #expect(handset.brokenInvariants() == [])

    advance(Policy.duplicateWindow)
    let later = handset.handle(.push(push(20_000)), at: now)
    // One new push and two forgotten ones, however many are stored.
    #expect(later.changes.filter(\.isOfRecentPush).count == 3)
    #expect(handset.recent.count == 9_999)
    // A start has time for the rest.
    _ = handset.handle(.start(.daemon), at: now)
    #expect(handset.recent.all.map(\.id) == [Label.push(20_000)])
    #expect(handset.brokenInvariants() == [])
  }

  @Test("An app to which more is pushed than is remembered displaces its own, and of the others none (P1)")
  mutating func shares() {
    let other = AppID("news")!
    _ = handset.handle(.install(AppManifest(id: other, name: "News"), token: Label.token(3)), at: now)
    func news(_ number: Int) -> Push {
      var push = Push(id: Label.push(number), token: Label.token(3), topic: other)
      push.hasProviderID = true
      return push
    }
    for number in 1...100 { send(news(number)) }
    for number in 101...Policy.recentPushLimit + 200 { send(push(number)) }
    for number in 20_001...20_050 { send(news(number)) }
    for number in [1...100, 20_001...20_050].joined() { #expect(send(news(number)) == ["duplicate"]) }
    #expect(send(push(350)).first == "accepted")
    #expect(send(push(352)) == ["duplicate"])
    #expect(handset.recent.count == Policy.recentPushLimit)
    #expect(handset.brokenInvariants() == [])
  }

  @Test("Of one identifier the newest 32 are remembered (P1)")
  mutating func limitPerID() {
    #expect(send(push(1, payload: 1)).contains("reused-id") == false)
    for payload in 2...Policy.recentPushLimitPerID { #expect(send(push(1, payload: payload)).contains("reused-id")) }
    for payload in 1...32 { #expect(send(push(1, payload: payload)) == ["duplicate"]) }
    #expect(send(push(1, payload: 33)).contains("reused-id"))
    #expect(handset.recent.count == 32)
    #expect(send(push(1, payload: 2)) == ["duplicate"])
    #expect(send(push(1, payload: 1)).contains("reused-id"))
    #expect(handset.brokenInvariants() == [])
  }

  @Test("Of 32 with one identifier one whose hour is over goes first, also where an older one's hour is not (P1)")
  mutating func limitPerIDAfterABoot() {
    send(push(1, payload: 1))
    now.wall = now.wall.advanced(by: .seconds(-50 * 60))
    for payload in 2...Policy.recentPushLimitPerID { send(push(1, payload: payload)) }
    // The clock at the boot shows 10 minutes before the first push and 40 minutes after the others.
    now = Moment(uptime: .seconds(20), wall: now.wall.advanced(by: .seconds(40 * 60)))
    _ = handset.handle(.start(.board), at: now)
    advance(.seconds(30 * 60))
    #expect(send(push(1, payload: 33)).contains("reused-id"))
    #expect(send(push(1, payload: 1)) == ["duplicate"])
    #expect(handset.brokenInvariants() == [])
  }

  @Test("One that was forgotten by the clock and comes again takes its own place (P1)")
  mutating func itsOwnPlace() {
    for number in 1...5 { send(push(number)) }
    advance(Policy.duplicateWindow)
    // The first two are forgotten with it, and it comes after the others.
    send(push(5))
    #expect(handset.recent.all.map(\.id) == [3, 4, 5].map { Label.push($0) })
    #expect(send(push(5)) == ["duplicate"])
    #expect(handset.brokenInvariants() == [])
  }

  @Test("A push of a failed commit is not one that comes again (P1)")
  mutating func undone() {
    send(push(1))
    let before = handset
    let turn = handset.handle(.push(push(2)), at: now)
    handset.undo(turn.changes)
    #expect(handset == before)
    #expect(send(push(2)).first == "accepted")
    #expect(send(push(2)) == ["duplicate"])
  }

  @Test("Neither a made identifier nor a node's push is remembered (P1)")
  mutating func unnamed() {
    send(push(1, isNamed: false))
    #expect(handset.recent.count == 0)
    #expect(send(push(1)).first == "accepted")
    #expect(send(push(1, isNamed: false)).first == "accepted")
    var published = Push(id: Label.push(3), token: nil, topic: RecentPushTests.app)
    published.hasProviderID = true
    #expect(published.remembered(number: 1, at: now) == nil)
  }

  @Test("The clock is set by years, and the hour goes on (P1)", arguments: [-56, -15, 15, 56])
  mutating func clockIsSet(years: Int) {
    send(push(1))
    now = Moment(uptime: now.uptime + .seconds(3599), wall: now.wall.advanced(by: .seconds(years * 31_557_600)))
    #expect(send(push(1)) == ["duplicate"])
    now.uptime += .seconds(1)
    #expect(send(push(1)).first == "accepted")
  }

  @Test("Over a boot the wall clock tells the age where it can, else the hour begins anew (P1)")
  mutating func boots() {
    send(push(1))
    let contents = handset.contents
    func comesAgain(after off: Duration, uptime: Duration) -> Bool {
      var booted = Handset(contents)
      let boot = Moment(uptime: .seconds(20), wall: now.wall.advanced(by: off))
      _ = booted.handle(.start(.board), at: boot)
      let later = Moment(uptime: boot.uptime + uptime, wall: boot.wall.advanced(by: uptime))
      return booted.handle(.push(push(1)), at: later).events.map(\.name) == ["duplicate"]
    }
    #expect(comesAgain(after: .seconds(3000), uptime: .seconds(599)))
    #expect(!comesAgain(after: .seconds(3000), uptime: .seconds(600)))
    #expect(!comesAgain(after: .seconds(3600), uptime: .zero))
    // In 1970, an hour behind, or in another age.
    let unknown: [Duration] = [.seconds(-1_767_225_600), .seconds(-3600), Policy.plausibleOffTime + .seconds(1)]
    for off in unknown {
      #expect(comesAgain(after: off, uptime: .seconds(3599)))
      #expect(!comesAgain(after: off, uptime: .seconds(3600)))
    }
  }

  @Test("What a digest is stays what it is: it is stored")
  func digests() {
    func digest(_ parts: [UInt8]...) -> UInt64 {
      parts.reduce(into: Digest()) { $0.add($1[...]) }.value
    }
    #expect(digest() == 0x243F_6A88_85A3_08D3)
    let texts = ["", "a", "b", "abcdefg", "abcdefgh", "abcdefghi", "ABCDEFGH", "abcdefgh\u{0}", "\u{0}", "\u{0}\u{0}"]
    #expect(Set(texts.map { digest(Array($0.utf8)) }).count == texts.count)
    #expect(digest([1, 2], [3]) != digest([1], [2, 3]))
    #expect(digest([1, 2], []) != digest([], [1, 2]))
    #expect(digest(Array("abcdefgh".utf8)) == 0x0A27_E397_02BB_8337)
    #expect(
      digest(Array(repeating: 0xA5, count: 32), Array(#"{"aps":{"alert":"Hello"}}"#.utf8)) == 0xADB7_D450_3040_E70B)
  }
}

extension Change {
  fileprivate var isOfRecentPush: Bool { if case .recent = self { true } else { false } }
}
