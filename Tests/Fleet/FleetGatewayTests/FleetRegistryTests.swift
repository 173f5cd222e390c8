import FleetLink
import HandsetCore
import NATSClient
import Testing

@testable import FleetGateway

@Suite struct FleetRegistryTests {
  private let token: DeviceToken
  private let registry = FleetRegistry(environment: "production")

  init() throws {
    token = try #require(DeviceToken(bytes: [1, 2, 3]))
  }

  private func take(_ value: String, of desk: String = "kitchen", _ operation: String? = nil) -> String? {
    registry.take(
      NATSMessage(
        subject: FleetNames.token(TokenKey(token), of: desk),
        fields: operation.map { ["KV-Operation": $0] } ?? [:], payload: Array(value.utf8)))
  }

  private static let known =
    #"{"app":"com.example.mailroom","handset":"2","environment":"production","since":1}"#

  @Test func aTokenIsItsDesksUntilItIsGone() {
    #expect(registry.target(of: token) == nil)
    #expect(take(Self.known) == nil)
    let found = registry.target(of: token)
    #expect(found?.app == "com.example.mailroom")
    #expect(found?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
    #expect(take(Self.gone) == nil)
    #expect(registry.target(of: token)?.target == .gone(since: WallTime(microseconds: 5_000_000), .expired))
    #expect(take("", "DEL") == nil)
    #expect(registry.target(of: token) == nil)
    #expect(registry.count == 0)
  }

  @Test func anotherDeskCannotTakeALivingToken() {
    #expect(take(Self.known) == nil)
    #expect(take(Self.known, of: "hall") == "it is kitchen's already")
    #expect(take("", of: "hall", "DEL") == nil)
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
    // A removed desk leaves its token behind as gone; then another desk may have it.
    #expect(take(Self.known.replacing("}", with: #","gone":5000,"as":"unregistered"}"#)) == nil)
    #expect(take(Self.known, of: "hall") == nil)
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "hall", handset: "2")))
  }

  private func claim(by desk: String, _ fields: [String: String] = [:]) -> String? {
    registry.take(
      NATSMessage(
        subject: FleetNames.claim(of: TokenKey(token), by: desk), fields: fields, payload: Array("{}".utf8)))
  }

  private enum Step: CaseIterable {
    case theirClaim, theirRecord, ownRecord
  }

  /// Gateways read the newest message of each subject, and desks send theirs again on each connection. Only the owner's
  /// claim keeps its position.
  @Test func theFirstClaimDecidesWhateverIsSaidInWhateverOrder() throws {
    let kitchen = HandsetAddress(desk: "kitchen", handset: "2")
    for first in Step.allCases {
      for second in Step.allCases where second != first {
        for third in Step.allCases where third != first && third != second {
          let tests = try FleetRegistryTests()
          #expect(tests.claim(by: "kitchen") == nil)
          for step in [first, second, third] {
            switch step {
            case .theirClaim: #expect(tests.claim(by: "hall") == "it is kitchen's already")
            case .theirRecord: #expect(tests.take(Self.known, of: "hall") == "it is kitchen's already")
            case .ownRecord: #expect(tests.take(Self.known) == nil)
            }
          }
          #expect(tests.registry.target(of: token)?.target == .desk(kitchen))
        }
      }
    }
  }

  @Test func aClaimWinsOverARecordOfADeskThatHasNone() {
    #expect(take(Self.known, of: "hall") == nil)
    #expect(registry.count == 1)
    #expect(claim(by: "kitchen") == nil)
    #expect(registry.target(of: token) == nil)
    #expect(registry.count == 0)
    #expect(take(Self.known, of: "hall") == "it is kitchen's already")
    #expect(take(Self.known) == nil)
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
  }

  /// Gateways read the newest message of each subject, so a claim may come behind the record.
  @Test func aClaimBehindItsDesksRecordChangesNothing() {
    #expect(take(Self.known) == nil)
    #expect(claim(by: "kitchen") == nil)
    #expect(claim(by: "kitchen") == nil)
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
    #expect(registry.count == 1)
  }

  @Test func aClaimedTokenThatIsGoneOrForgottenIsNobodyElses() {
    #expect(claim(by: "kitchen") == nil)
    #expect(take(Self.gone) == nil)
    #expect(take(Self.known, of: "hall") == "it is kitchen's already")
    #expect(registry.target(of: token)?.target == .gone(since: WallTime(microseconds: 5_000_000), .expired))
    #expect(take("", "DEL") == nil)
    #expect(registry.count == 0)
    #expect(take(Self.known, of: "hall") == "it is kitchen's already")
    #expect(registry.target(of: token) == nil)
    #expect(take(Self.known) == nil)
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
  }

  @Test func neitherADeletionNorAnAnswerClaims() {
    #expect(claim(by: "kitchen", ["KV-Operation": "DEL"]) == "it is no claim of a token")
    #expect(claim(by: "kitchen", ["Status": "404"]) == "it is no claim of a token")
    #expect(claim(by: "_other") == "it is no claim of a token")
    #expect(claim(by: "hall") == nil)
  }

  @Test func aDeskHas100_000Claims() throws {
    let said = (0..<100_002).map { number in
      registry.take(
        NATSMessage(
          subject: FleetNames.claim(
            of: TokenKey(digest: withUnsafeBytes(of: number, Array.init) + [UInt8](repeating: 0, count: 8)),
            by: "kitchen")))
    }
    #expect(said.compactMap(\.self) == ["desk kitchen has more than 100000 claims"])
    // Another desk has a limit of its own, and tokens without a claim belong to the first desk.
    #expect(claim(by: "hall") == nil)
    #expect(try take(Self.known, number: 1) == nil)
    #expect(try take(Self.known, number: 1, of: "hall") == "it is kitchen's already")
  }

  private func take(_ value: String, number: Int, of desk: String = "kitchen") throws -> String? {
    let token = try #require(DeviceToken(bytes: withUnsafeBytes(of: UInt32(number)) { Array($0) }))
    return registry.take(
      NATSMessage(subject: FleetNames.token(TokenKey(token), of: desk), payload: Array(value.utf8)))
  }

  private static let tooMany = "desk kitchen has more than 20000 tokens, or names of apps and handsets"
  private static let gone = known.replacing("}", with: #","gone":5000,"as":"expired"}"#)

  @Test func aDeskHas20_000TokensAndOneMoreIsSaidOnce() throws {
    let said = try (0..<20_003).map { try take(Self.known, number: $0) }
    #expect(registry.count == 20_000)
    #expect(said.compactMap(\.self) == [Self.tooMany])
    // Another desk has a limit of its own.
    #expect(take(Self.known, of: "hall") == nil)
    #expect(registry.count == 20_001)
    // A token that is gone frees its place for another one, and for another desk.
    #expect(try take(Self.gone, number: 0) == nil)
    #expect(try take(Self.known, number: 0, of: "hall") == nil)
    #expect(try take(Self.known, number: 20_000) == nil)
    #expect(registry.count == 20_002)
    _ = try take(Self.known, number: 20_001)
    #expect(registry.count == 20_002)
  }

  @Test func aDeskHas20_000TokensThatAreGone() throws {
    let said = try (0..<20_001).map { try take(Self.gone, number: $0) }
    #expect(registry.count == 20_000)
    #expect(said.compactMap(\.self) == [Self.tooMany])
    #expect(try take(Self.known, number: 30_000) == nil)
    #expect(registry.count == 20_001)
  }

  /// A desk that names new apps for one token again and again would fill every gateway's memory.
  @Test func aDeskNames20_000AppsAndHandsets() throws {
    for number in 0..<19_999 {
      #expect(take(Self.known.replacing("mailroom", with: "app\(number)")) == nil)
    }
    #expect(take(Self.known.replacing("mailroom", with: "one-more")) == Self.tooMany)
    #expect(registry.target(of: token) == nil)
    // Known names may be repeated, and other desks have names of their own.
    #expect(take(Self.known.replacing("mailroom", with: "app7")) == nil)
    #expect(try take(Self.known.replacing("mailroom", with: "one-more"), number: 1, of: "hall") == nil)
    #expect(registry.count == 2)
  }

  @Test func theOtherEnvironmentsTokensAreUnknown() {
    #expect(take(Self.known.replacing("production", with: "development")) == nil)
    #expect(registry.target(of: token) == nil)
  }

  @Test func aGroupsTokenIsNoDesksAlsoWhenTheGroupIsGone() {
    let group =
      #"{"app":"a.b","group":"doors","desks":[{"desk":"a"}],"environment":"production","since":1}"#
    #expect(claim(by: "_groups") == nil)
    #expect(take(group, of: "_groups") == nil)
    #expect(claim(by: "hall") == "it is _groups's already")
    #expect(take(Self.known, of: "hall") == "it is _groups's already")
    #expect(take(group.replacing(#""since":1"#, with: #""since":1,"gone":2"#), of: "_groups") == nil)
    #expect(registry.target(of: token) == nil)
  }

  @Test func aGroupNamesItsDesks() {
    let group =
      #"{"app":"a.b","group":"doors","desks":[{"desk":"a"},{"desk":"b","handset":"2"}],"environment":"production","since":1}"#
    #expect(take(group, of: "_groups") == nil)
    let desks = [HandsetAddress(desk: "a", handset: nil), HandsetAddress(desk: "b", handset: "2")]
    #expect(registry.target(of: token)?.target == .group("doors", desks))
    #expect(take(group.replacing(#""since":1"#, with: #""since":1,"gone":2"#), of: "_groups") == nil)
    #expect(registry.target(of: token) == nil)
  }

  /// The servers' answers to a desk can be directed here, and a handset's name becomes part of a subject.
  @Test func whatAnotherDeskCouldWriteChangesNothing() {
    #expect(take(Self.known) == nil)
    let status = NATSMessage(
      subject: FleetNames.token(TokenKey(token), of: "kitchen"), fields: ["Status": "404"], payload: [])
    #expect(registry.take(status) == "it is an answer of the servers")
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
    for bad in [#"1 0\r\n\r\nPUB bell.push.hall._.a 0"#, "1.>", "*", ""] {
      #expect(take(Self.known.replacing(#""2""#, with: "\"\(bad)\"")) == "it names no handset")
    }
    let late = Self.known.replacing("}", with: #","gone":9223372036854775807,"as":"expired"}"#)
    #expect(take(late) == "it is no record of a token")
    #expect(registry.target(of: token)?.target == .desk(HandsetAddress(desk: "kitchen", handset: "2")))
  }

  @Test func whatIsNotKnownMayBeNewWhileTheRegistryCannotBeRead() {
    #expect(!registry.isComplete && !registry.isCurrent)
    registry.complete()
    #expect(registry.isComplete && registry.isCurrent)
    registry.lose()
    #expect(registry.isComplete && !registry.isCurrent)
  }

  @Test func whatCannotBeReadIsLeftOut() {
    #expect(take("{") == "it is no record of a token")
    #expect(take(#"{"app":"a","environment":"production","since":1}"#) == "it names no handset")
    #expect(registry.take(NATSMessage(subject: "$KV.BELL_TOKENS.a.xyz", payload: [1])) == "it is no key of a token")
  }
}
