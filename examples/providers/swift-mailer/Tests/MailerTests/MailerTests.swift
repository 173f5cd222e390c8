import DeskbellTesting
import Mailer
import Testing

@Suite(.deskbell(app: "mail"))
struct MailerTests {
  let bell = Deskbell.current

  /// A mailer that waits on the bench's clock, so that no test takes the time.
  private var mailer: Mailer {
    Mailer(
      PushService(
        url: bell.url, ca: bell.ca, topic: bell.app,
        token: ProviderToken(key: bell.key, keyID: bell.keyID, teamID: bell.teamID) { [bell] in try await bell.now }),
      tokens: [bell.token], pause: { [bell] in try await bell.advance(by: $0) })
  }

  @Test func temporaryFailuresAreSentAgain() async throws {
    let busy = try await bell.fault(.answer(503, retryAfter: .seconds(3)), pushes: 1...2)
    try await mailer.send("Hello")
    let end = try await bell.settled()
    #expect(end.requests.statuses == [503, 503, 200])
    #expect(end.requests.gaps.allSatisfy { $0 >= .seconds(3) })
    #expect(end.requests.same("apns-id", "payload"))
    #expect(end.presented.count == 1 && end.presented.allSatisfy(\.rang), "\(end.why)")
    let board = try await bell.board
    #expect(board.digits == "   1" && board.lamp == "blink")
    #expect(try await busy.hits == 2)
  }

  @Test func tokenThatIsGoneIsForgotten() async throws {
    try await bell.fault(.answer(410, reason: "Unregistered"), token: bell.token)
    let mailer = mailer
    try await mailer.send("Hello")
    try await mailer.send("Again")
    #expect(await mailer.tokens.isEmpty)
    #expect(try await bell.requests().statuses == [410])
  }

  @Test func pushWithoutAnswerRingsOnce() async throws {
    try await bell.fault(.cut(.answer), pushes: 1...1)
    try await mailer.send("Hello")
    let end = try await bell.settled()
    #expect(end.requests.statuses == [0, 200])
    #expect(end.requests.same("apns-id"))
    #expect(end.presented.map(\.presented) == [1], "\(end.why)")
  }
}
