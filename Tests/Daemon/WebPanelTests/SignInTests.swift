// Tokens, sessions and the pace of guessing, on a clock that the test moves.

import Foundation
import ServerIdentity
import Synchronization
import Testing

@testable import WebPanel

/// A clock that only the test moves.
final class HandClock: Sendable {
  private let time = Mutex(Duration.seconds(1000))

  func pass(_ duration: Duration) { time.withLock { $0 += duration } }

  var now: @Sendable () -> Duration { { self.time.withLock { $0 } } }
}

extension PanelSessions {
  /// Signs a browser in now.
  fileprivate func open() -> Session { open(in: generation)! }
}

@Suite struct PanelSessionsTests {
  let clock = HandClock()
  let sessions: PanelSessions

  init() {
    sessions = PanelSessions(now: clock.now)
  }

  @Test func aTokenIsGoodOnce() {
    let token = sessions.makeToken()
    #expect(token.count == 43)
    #expect(!sessions.redeem(token + "x"))
    #expect(!sessions.redeem(""))
    #expect(sessions.redeem(token))
    #expect(!sessions.redeem(token))
  }

  @Test func aTokenIsGoodForFiveMinutes() {
    let (early, late) = (sessions.makeToken(), sessions.makeToken())
    clock.pass(PanelLimits.tokenLifetime - .nanoseconds(1))
    #expect(sessions.redeem(early))
    clock.pass(.nanoseconds(1))
    #expect(!sessions.redeem(late))
  }

  @Test func oneTokenMorePutsTheOldestOut() {
    let tokens = (0...PanelLimits.tokens).map { _ in sessions.makeToken() }
    #expect(Set(tokens).count == PanelLimits.tokens + 1)
    #expect(!sessions.redeem(tokens[0]))
    for token in tokens.dropFirst() { #expect(sessions.redeem(token)) }
  }

  @Test func cookieAndKeyOnlyTogether() {
    let (one, other) = (sessions.open(), sessions.open())
    #expect(sessions.isOpen(one))
    #expect(!sessions.isOpen(.init(cookie: one.cookie, key: "")))
    #expect(!sessions.isOpen(.init(cookie: "", key: one.key)))
    #expect(!sessions.isOpen(.init(cookie: one.cookie, key: other.key)))
    #expect(!sessions.isOpen(.init(cookie: one.key, key: one.cookie)))
  }

  @Test func aSessionEnds() {
    let (first, second) = (sessions.open(), sessions.open())
    #expect(sessions.end(first))
    #expect(!sessions.end(first))
    #expect(!sessions.isOpen(first))
    clock.pass(PanelLimits.sessionLifetime - .nanoseconds(1))
    #expect(sessions.isOpen(second))
    clock.pass(.nanoseconds(1))
    #expect(!sessions.isOpen(second))
  }

  @Test func oneSessionMorePutsTheOldestOut() {
    let open = (0...PanelLimits.sessions).map { _ in sessions.open() }
    #expect(!sessions.isOpen(open[0]))
    for session in open.dropFirst() { #expect(sessions.isOpen(session)) }
  }

  @Test func allEndAtOnce() {
    let (token, session) = (sessions.makeToken(), sessions.open())
    let generation = sessions.generation
    sessions.endAll()
    #expect(!sessions.redeem(token))
    #expect(!sessions.isOpen(session))
    // A session cannot be opened with the earlier password either, whose check was under way.
    #expect(sessions.open(in: generation) == nil)
    #expect(sessions.stored == nil)
  }
}

/// The sessions after a restart: the next daemon has another monotonic clock, and the wall clock has gone on.
@Suite struct StoredSessionsTests {
  let clock = HandClock()
  let week = PanelLimits.sessionLifetime.components.seconds

  func sessions(_ stored: String? = nil, wall: Int64) -> PanelSessions {
    PanelSessions(stored: stored, now: clock.now, wall: { wall })
  }

  @Test func aRestartEndsNone() throws {
    let before = sessions(wall: 1_000_000)
    #expect(before.stored == nil)
    let (first, second) = (before.open(), before.open())
    let stored = try #require(before.stored)
    for secret in [first.cookie, first.key, second.cookie, second.key] { #expect(!stored.contains(secret)) }
    clock.pass(.seconds(-500))
    let after = sessions(stored, wall: 1_000_000 + week - 1)
    #expect(after.stored == stored)
    #expect(after.isOpen(first))
    #expect(!after.isOpen(.init(cookie: first.cookie, key: second.key)))
    clock.pass(.seconds(1))
    #expect(!after.isOpen(first))
    #expect(after.stored == nil)
  }

  @Test func whatEndedMeanwhileIsNotThere() throws {
    let before = sessions(wall: 1_000_000)
    let session = before.open()
    let stored = try #require(before.stored)
    let after = sessions(stored, wall: 1_000_000 + week)
    #expect(!after.isOpen(session))
    #expect(after.stored == nil)
  }

  @Test func aClockThatIsSetBackLengthensNone() {
    let before = sessions(wall: 1_000_000)
    let session = before.open()
    let after = sessions(before.stored, wall: 0)
    clock.pass(PanelLimits.sessionLifetime - .nanoseconds(1))
    #expect(after.isOpen(session))
    clock.pass(.nanoseconds(1))
    #expect(!after.isOpen(session))
  }

  @Test func noMoreAreReadThanCanBe() throws {
    let digest = { (byte: Int) in "\"\(String(repeating: "A", count: 41))\(["A", "E"][byte % 2])A=\"" }
    let text = (0...PanelLimits.sessions).map { #"{"digest":\#(digest($0)),"ends":2000}"# }.joined(separator: ",")
    let stored = try #require(sessions("[\(text)]", wall: 1_000).stored)
    #expect(stored.components(separatedBy: "digest").count - 1 == PanelLimits.sessions)
  }

  @Test(arguments: ["", "[", "{}", #"[{"digest":"AAAA","ends":2000}]"#, #"[{"digest":"x","ends":2000}]"#])
  func whatCannotBeReadIsNoSession(_ stored: String) {
    #expect(sessions(stored, wall: 1_000).stored == nil)
  }
}

@Suite struct GuessPaceTests {
  let clock = HandClock()
  let pace: GuessPace

  init() {
    pace = GuessPace(now: clock.now)
  }

  @Test func slowerWithEachAttempt() {
    for _ in 0..<GuessPace.freeAttempts { #expect(pace.begin(from: "192.0.2.1") == nil) }
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
      #expect(pace.begin(from: "192.0.2.1") == .seconds(pause))
      clock.pass(.seconds(pause) - .nanoseconds(1))
      #expect(pace.begin(from: "192.0.2.1") == .nanoseconds(1))
      clock.pass(.nanoseconds(1))
      #expect(pace.begin(from: "192.0.2.1") == nil)
    }
  }

  @Test func othersNeedNotWait() {
    for _ in 0...GuessPace.freeAttempts { _ = pace.begin(from: "192.0.2.1") }
    #expect(pace.begin(from: "192.0.2.1") != nil)
    #expect(pace.begin(from: "192.0.2.2") == nil)
  }

  @Test func aRightOneIsForgiven() {
    for _ in 0..<GuessPace.freeAttempts { _ = pace.begin(from: "192.0.2.1") }
    pace.succeeded(from: "192.0.2.1")
    #expect(pace.begin(from: "192.0.2.1") == nil)
  }

  @Test func aClientThatWasRightIsCountedByItself() {
    #expect(pace.begin(from: "2001:db8::1") == nil)
    pace.succeeded(from: "2001:db8::1")
    for _ in 0..<GuessPace.freeAttempts { _ = pace.begin(from: "2001:db8::2") }
    #expect(pace.begin(from: "2001:db8::3") == .seconds(1))
    for _ in 0..<GuessPace.freeAttempts { #expect(pace.begin(from: "2001:db8::1") == nil) }
    #expect(pace.begin(from: "2001:db8::1") == .seconds(1))
  }

  @Test func remembersSoManyThatWereRight() {
    for number in 0...GuessPace.knownClients {
      clock.pass(.nanoseconds(1))
      pace.succeeded(from: "10.0.\(number / 256).\(number % 256)")
    }
    #expect(!pace.isKnown("10.0.0.0"))
    #expect(pace.isKnown("10.0.0.1"))
  }

  @Test func whoIsQuietIsForgotten() {
    for _ in 0..<GuessPace.freeAttempts { _ = pace.begin(from: "192.0.2.1") }
    clock.pass(GuessPace.attemptsRemembered)
    for _ in 0..<GuessPace.freeAttempts { #expect(pace.begin(from: "192.0.2.1") == nil) }
  }

  @Test func remembersSoManyNetworks() {
    for number in 0...GuessPace.networks {
      clock.pass(.nanoseconds(1))
      _ = pace.begin(from: "10.0.\(number / 256).\(number % 256)")
    }
    #expect(pace.networkCount == GuessPace.networks)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:0:0:0:1"),
    ("::1", "::2"),
  ])
  func isOneNetwork(_ one: String, _ other: String) {
    #expect(GuessPace.network(of: one) == GuessPace.network(of: other))
  }

  @Test func areTwoNetworks() {
    #expect(GuessPace.network(of: "2001:db8:1:2::1") != GuessPace.network(of: "2001:db8:1:3::1"))
    #expect(GuessPace.network(of: "192.0.2.1") != GuessPace.network(of: nil))
  }
}
