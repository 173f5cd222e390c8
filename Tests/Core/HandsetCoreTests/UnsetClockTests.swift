// The first time that may be right, to the microsecond; and a provider's own time is not taken for the time of an unset
// clock. Tests/Core/Stories/a-clock-that-was-not-set.story shows the rest.

import Testing

@testable import HandsetCore

@Suite struct UnsetClockTests {
  private static let app = AppID("mail")!

  private func at(_ wall: WallTime) -> Moment { Moment(uptime: .seconds(1000), wall: wall) }

  @Test("A stamp of the first plausible microsecond is believed, one before it begins anew (R3)")
  func theFirstPlausibleTime() {
    let (known, unknown) = (Label.token(1), Label.token(2))
    let first = Policy.earliestWallTime
    var contents = Handset.Contents()
    contents.tokens[known] = TokenRecord(app: UnsetClockTests.app, goneSince: first)
    contents.tokens[unknown] = TokenRecord(
      app: UnsetClockTests.app, goneSince: first.advanced(by: .microseconds(-1)))
    var handset = Handset(contents)
    // The clock itself is not set: no age is known, and nothing expires.
    _ = handset.handle(.wake, at: at(first.advanced(by: .microseconds(-1))))
    #expect(handset.tokens == contents.tokens)
    let now = first.advanced(by: Policy.goneTokenLifetime)
    _ = handset.handle(.wake, at: at(now))
    #expect(handset.tokens == [unknown: TokenRecord(app: UnsetClockTests.app, goneSince: now)])
  }

  @Test("A provider may name any time: with a clock that is right, one of 1970 has passed (U9)")
  func anAncientExpiration() {
    var handset = Handset()
    let now = at(HandsetRig.wallStart)
    let manifest = AppManifest(id: UnsetClockTests.app, name: "Mail", receivesBackgroundUpdates: true)
    _ = handset.handle(.install(manifest, token: Label.token(1)), at: now)
    _ = handset.handle(.register(UnsetClockTests.app, .all, token: Label.token(2)), at: now)
    _ = handset.handle(.setCondition(.lowPower, true), at: now)
    let push = Push(
      id: Label.push(1), token: Label.token(1), topic: UnsetClockTests.app, type: .background, contentAvailable: true,
      expiration: .at(WallTime(seconds: 1)), priority: 5, payload: Array("{}".utf8))
    _ = handset.handle(.push(push), at: now)
    let turn = handset.handle(.wake, at: now)
    #expect(turn.events.map(\.kind) == [.discarded(.expired)])
    #expect(handset.held(for: UnsetClockTests.app) == nil)
  }
}
