import Crypto
import HandsetCore
import ServerIdentity
import Synchronization

/// The password check of one connection. A password is checked once: the credentials of later requests are compared
/// with the verified one, which is kept as a digest under a random key.
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

  /// - Parameter failures: the number of wrong passwords that closes the connection.
  init(providers: ProviderDirectory, checker: PasswordChecker, pace: GuessPace, address: String, failures: Int) {
    self.providers = providers
    self.checker = checker
    self.pace = pace
    self.address = address
    failureLimit = failures
  }

  /// - Throws: 401 if the credential is wrong, 429 if the address has guessed too often, 503 if too many checks wait.
  func provider(of credential: BasicCredential) async throws(PublishingRefusal) -> Provider {
    while true {
      switch state.withLock({ step(&$0, credential) }) {
      case .known(let provider): return provider
      case .check: return try await check(credential)
      case .closing: throw PasswordSession.tooManyFailures
      case .wait:
        // One check at a time, so that one connection's requests do not delay other connections.
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
      // The provider may have been removed since, or have another password.
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
      let seconds = pause.components.seconds + 1
      throw PublishingRefusal(
        429, "TooManyRequests", "too many wrong passwords; wait \(seconds) s", retrySeconds: seconds)
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
        throw PublishingRefusal(
          503, "ServiceUnavailable", "too many passwords are being checked; try again in a moment")
      }
      if hasFailed { throw PasswordSession.tooManyFailures }
      throw PublishingRefusal(401, "Unauthorized", PasswordSession.wrong)
    }
    pace.succeeded(from: address, as: credential.user)
    end { $0.verified = Verified(digest: credential.digest(key), user: user, hash: known.hash) }
    return known.provider
  }

  private static let wrong = "user or password is wrong; the user is the bundle identifier of an app of the provider's"

  private static let tooManyFailures = PublishingRefusal(401, "Unauthorized", wrong, connection: .drain)

  /// Ends a check, and resumes the requests that wait for it.
  private func end<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiting) = state.withLock { state in
      state.isChecking = false
      return (body(&state), exchange(&state.waiting, with: []))
    }
    for continuation in waiting { continuation.resume() }
    return result
  }
}
