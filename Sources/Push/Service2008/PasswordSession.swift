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

  private let providers: ProviderDirectory
  private let catchAll: CatchAll?
  private let checker: PasswordChecker
  private let pace: GuessPace
  private let address: String
  private let key = SymmetricKey(size: .bits256)
  private let failureLimit: Int
  private let state = Mutex(State())

  /// - Parameter failures: the number of wrong passwords that closes the connection.
  init(
    providers: ProviderDirectory, catchAll: CatchAll? = nil, checker: PasswordChecker, pace: GuessPace,
    address: String, failures: Int
  ) {
    self.providers = providers
    self.catchAll = catchAll
    self.checker = checker
    self.pace = pace
    self.address = address
    failureLimit = failures
  }

  /// - Throws: 401 if the credential is wrong, 429 if the address has guessed too often, 503 if too many checks wait.
  func provider(of credential: BasicCredential) async throws(PublishingRefusal) -> Provider {
    if let known = known(credential) { return known }
    // One check at a time, so that one connection's requests do not delay other connections.
    await beginCheck()
    defer { endCheck() }
    if let known = known(credential) { return known }
    guard state.withLock({ $0.failures < failureLimit }) else { throw PasswordSession.tooManyFailures }
    return try await check(credential)
  }

  private func known(_ credential: BasicCredential) -> Provider? {
    state.withLock { state in
      guard let verified = state.verified, credential.matches(verified.digest, key) else { return nil }
      // The provider may have been removed since, or have another password.
      if let known = providers.user(verified.user), known.hash == verified.hash { return known.provider }
      state.verified = nil
      return nil
    }
  }

  private func beginCheck() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isChecking { state.waiting.append(continuation) }
        return !exchange(&state.isChecking, with: true)
      }
      if isFree { continuation.resume() }
    }
  }

  /// Ends a check; the next request that waits for it has its turn.
  private func endCheck() {
    let next = state.withLock { state in
      state.isChecking = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }

  private func check(_ credential: BasicCredential) async throws(PublishingRefusal) -> Provider {
    let user = AppID(credential.user)
    if let unknown = catchAll?.publisher(credential.user), user.flatMap({ providers.user($0) }) == nil {
      return unknown
    }
    let known = user.flatMap { providers.user($0) }
    if let pause = pace.begin(from: address, as: credential.user) {
      let seconds = pause.components.seconds + 1
      throw PublishingRefusal(
        429, "TooManyRequests", "too many wrong passwords; wait \(seconds) s", retrySeconds: seconds)
    }
    let isRight = await checker.check(
      credential.password, against: known?.hash ?? .unmatchable, from: address,
      isKnown: pace.isKnown(address, as: credential.user))
    guard let isRight else {
      pace.takeBack(from: address, as: credential.user)
      throw PublishingRefusal(503, "ServiceUnavailable", "too many passwords are being checked; try again in a moment")
    }
    guard isRight, let user, let known else {
      let hasFailed = state.withLock { state in
        state.failures += 1
        return state.failures >= failureLimit
      }
      throw hasFailed ? PasswordSession.tooManyFailures : PublishingRefusal(401, "Unauthorized", PasswordSession.wrong)
    }
    pace.succeeded(from: address, as: credential.user)
    state.withLock { $0.verified = Verified(digest: credential.digest(key), user: user, hash: known.hash) }
    return known.provider
  }

  private static let wrong = "user or password is wrong; the user is the bundle identifier of an app of the provider's"

  private static let tooManyFailures = PublishingRefusal(401, "Unauthorized", wrong, connection: .drain)
}
