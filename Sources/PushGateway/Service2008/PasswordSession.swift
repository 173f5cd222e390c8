// A password is checked once for each connection: later requests' credentials are compared with the verified one, which is
// kept as a digest under a random key.

import Crypto
import HandsetCore
import ServerIdentity
import Synchronization

/// The password of one connection.
final class PasswordSession: Sendable {
  private struct Verified {
    var digest: HMAC<SHA256>.MAC
    var user: AppID
    var hash: PasswordHash
  }

  private struct State {
    var verified: Verified?
    var isChecking = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var failures = 0
  }

  private enum Step {
    case known(Provider)
    case check
    case wait
    case closing
  }

  private let providers: ProviderDirectory
  private let checker: PasswordChecker
  private let pace: GuessPace
  private let address: String
  private let key = SymmetricKey(size: .bits256)
  private let failureLimit: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - address: the client's.
  ///   - failures: wrong passwords until the connection is closed.
  init(providers: ProviderDirectory, checker: PasswordChecker, pace: GuessPace, address: String, failures: Int) {
    self.providers = providers
    self.checker = checker
    self.pace = pace
    self.address = address
    failureLimit = failures
  }

  /// The provider of a credential.
  /// - Throws: 401 where the credential is unknown, 429 where the address has guessed too often, 503 where too many are
  ///   being checked.
  func provider(of credential: BasicCredential) async throws(PublishingRefusal) -> Provider {
    while true {
      switch state.withLock({ step(&$0, credential) }) {
      case .known(let provider): return provider
      case .check: return try await check(credential)
      case .closing: throw PasswordSession.tooManyFailures
      case .wait:
        // One at a time: a connection's requests do not stand in the way of other connections.
        await withCheckedContinuation { continuation in
          let isFree = state.withLock { state in
            if state.isChecking { state.waiting.append(continuation) }
            return !state.isChecking
          }
          if isFree { continuation.resume() }
        }
      }
    }
  }

  private func step(_ state: inout State, _ credential: BasicCredential) -> Step {
    if let verified = state.verified, credential.matches(verified.digest, key) {
      // The provider may have been removed, or given another password, since.
      if let known = providers.user(verified.user), known.hash == verified.hash { return .known(known.provider) }
      state.verified = nil
    }
    if state.failures >= failureLimit { return .closing }
    if state.isChecking { return .wait }
    state.isChecking = true
    return .check
  }

  private func check(_ credential: BasicCredential) async throws(PublishingRefusal) -> Provider {
    let user = AppID(credential.user)
    let known = user.flatMap { providers.user($0) }
    if let pause = pace.begin(from: address, as: credential.user) {
      end { _ in }
      throw PasswordSession.tooSoon(pause)
    }
    let isRight = await checker.check(
      credential.password, against: known?.hash ?? .unmatchable, from: address,
      isKnown: pace.isKnown(address, as: credential.user))
    if isRight == nil { pace.takeBack(from: address, as: credential.user) }
    guard isRight == true, let user, let known else {
      let hasFailed = end { state in
        if isRight != nil { state.failures += 1 }
        return state.failures >= failureLimit
      }
      guard isRight != nil else {
        throw PublishingRefusal(.serviceUnavailable, "too many passwords are being checked; try again in a moment")
      }
      if hasFailed { throw PasswordSession.tooManyFailures }
      throw PublishingRefusal(.unauthorized, PasswordSession.wrong)
    }
    pace.succeeded(from: address, as: credential.user)
    end { $0.verified = Verified(digest: credential.digest(key), user: user, hash: known.hash) }
    return known.provider
  }

  private static let wrong = "user or password is wrong; the user is the bundle identifier of an app of the provider's"

  private static func tooSoon(_ pause: Duration) -> PublishingRefusal {
    let seconds = pause.components.seconds + 1
    var refusal = PublishingRefusal(.tooManyRequests, "too many wrong passwords; wait \(seconds) s")
    refusal.retrySeconds = seconds
    return refusal
  }

  private static var tooManyFailures: PublishingRefusal {
    var refusal = PublishingRefusal(.unauthorized, wrong)
    refusal.connection = .drain
    return refusal
  }

  /// Ends a check, and lets those go on that waited for it.
  private func end<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiting) = state.withLock { state in
      state.isChecking = false
      defer { state.waiting = [] }
      return (body(&state), state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return result
  }
}
