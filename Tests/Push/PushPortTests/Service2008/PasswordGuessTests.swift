import HandsetCore
import Synchronization
import Testing

@testable import PushPort
@testable import ServerIdentity

@Suite("Guessing passwords", .timeLimit(.minutes(10)))
struct PasswordGuessTests {
  private let checker = PasswordChecker(
    waiting: PortLimits.standard.waitingPasswordChecks, kept: PortLimits.standard.keptPasswordChecks,
    perAddress: PortLimits.standard.waitingPasswordChecksPerAddress)

  /// Makes one attempt on a new connection.
  private func attempt(
    _ secret: String, from address: String, _ providers: ProviderDirectory, _ pace: GuessPace
  ) async -> PublishingRefusal? {
    let session = PasswordSession(
      providers: providers, checker: checker, pace: pace, address: address,
      failures: PortLimits.standard.failedPasswords)
    do throws(PublishingRefusal) {
      _ = try await session.provider(of: BasicCredential([basic(bell.text, secret)]))
      return nil
    } catch {
      return error
    }
  }

  @Test("One address has 69 guesses in the first hour, in the long run one a minute")
  func pace() async throws {
    let time = Mutex(Duration.zero)
    let pace = GuessPace(now: { time.withLock { $0 } })
    let providers = try ProviderDirectory([passwordProvider])
    var guesses = 0
    while time.withLock({ $0 }) < .seconds(3_600) {
      let refusal = try #require(await attempt("wrong horse", from: "192.0.2.1", providers, pace))
      switch refusal.status {
      case 401: guesses += 1
      default:
        #expect(refusal.status == 429)
        #expect(refusal.response.headers["Retry-After"] == "\(refusal.retrySeconds)")
        // One second early, to be refused again.
        time.withLock { $0 += .seconds(refusal.retrySeconds - 1) }
      }
    }
    #expect(guesses == 69)
  }

  @Test("The right password is accepted while five addresses guess continuously")
  func beside() async throws {
    let pace = GuessPace(now: SystemPace.now)
    let providers = try ProviderDirectory([passwordProvider])
    let end = End()
    await withTaskGroup(of: Void.self) { group in
      for guesser in 1...20 {
        group.addTask {
          while !end.isReached {
            let refusal = await attempt("wrong horse", from: "192.0.2.\(guesser % 5)", providers, pace)
            #expect(refusal != nil)
            // From here on the loop would only spin.
            if refusal?.status == 429 { return }
            await Task.yield()
          }
        }
      }
      for _ in 1...16 { #expect(await attempt(password, from: "198.51.100.1", providers, pace) == nil) }
      end.reach()
    }
  }

  @Test("Guesses from a neighbour's address do not delay a client whose password was right before")
  func neighbour() async throws {
    let pace = GuessPace(now: { .zero })
    let providers = try ProviderDirectory([passwordProvider])
    #expect(await attempt(password, from: "2001:db8::1", providers, pace) == nil)
    for _ in 0..<GuessPace.freeAttempts {
      #expect(await attempt("wrong horse", from: "2001:db8::2", providers, pace)?.status == 401)
    }
    #expect(await attempt(password, from: "2001:db8::3", providers, pace)?.status == 429)
    #expect(await attempt(password, from: "2001:db8::1", providers, pace) == nil)
    // For other accounts, that client counts as any other of its network.
    #expect(pace.begin(from: "2001:db8::1", as: "com.example.other") == .seconds(1))
  }

  @Test("Places are reserved for known clients; a request refused for lack of a place is no guess")
  func kept() async throws {
    let full = PasswordChecker(waiting: 1, kept: 1, perAddress: 1)
    let right = Array(password.utf8)
    #expect(await full.check(right, against: passwordHash, from: "192.0.2.1") == nil)
    #expect(await full.check(right, against: passwordHash, from: "192.0.2.1", isKnown: true) == true)

    let pace = GuessPace(now: { .zero })
    let session = PasswordSession(
      providers: try ProviderDirectory([passwordProvider]), checker: full, pace: pace, address: "192.0.2.1",
      failures: 3)
    for _ in 0...GuessPace.freeAttempts {
      let refusal = await #expect(throws: PublishingRefusal.self) {
        try await session.provider(of: BasicCredential([basic()]))
      }
      #expect(refusal?.status == 503)
    }
  }
}

private final class End: Sendable {
  private let state = Mutex(false)
  var isReached: Bool { state.withLock { $0 } }
  func reach() { state.withLock { $0 = true } }
}

private enum SystemPace {
  static let started = ContinuousClock.now
  static let now: @Sendable () -> Duration = { ContinuousClock.now - started }
}
