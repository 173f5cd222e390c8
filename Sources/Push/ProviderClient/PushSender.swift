import FoundationEssentials
import Synchronization

/// A provider that follows Apple's advice, for any number of pushes, from any task: one connection at a time, reopened
/// when it is lost. Temporary failures are retried; a token that is gone is skipped.
public final class PushSender: Sendable {
  public struct Retry: Sendable, Hashable {
    /// `503 ServiceUnavailable`, or the error's text.
    public var problem: String
    public var pause: Duration
    /// The number of the next try.
    public var attempt: Int
  }

  private struct State {
    var connection: Task<ProviderConnection, any Error>?
    /// The answers for tokens, and nodes of the 2008 service, that are gone, by token or path.
    var gone: [String: PushAnswer] = [:]
  }

  private let server: Endpoint
  private let trust: ProviderConnection.Trust
  private let token: ProviderTokenSigner?
  private let limits: ProviderLimits
  private let policy: RetryPolicy
  private let sleep: @Sendable (Duration) async throws -> Void
  private let willRetry: @Sendable (Retry) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - sleep: waits for that time; tests replace it.
  ///   - willRetry: called before each pause, from any task.
  public init(
    to server: Endpoint, trust: ProviderConnection.Trust = .system, token: ProviderTokenSigner?,
    limits: ProviderLimits = ProviderLimits(), policy: RetryPolicy = RetryPolicy(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    willRetry: @escaping @Sendable (Retry) -> Void = { _ in }
  ) {
    self.server = server
    self.trust = trust
    self.token = token
    self.limits = limits
    self.policy = policy
    self.sleep = sleep
    self.willRetry = willRetry
  }

  /// Connects, if that has not been done. Finds faults of the address or the certificate at once.
  /// - Throws: `ProviderClientError`; it is never retried.
  public func connect() async throws {
    let opening = opening()
    do {
      _ = try await opening.value
    } catch {
      forget(opening)
      throw error
    }
  }

  /// Sends a push until the server accepts it, refuses it, or the policy's tries are used up. A push without an `id`
  /// gets one, which is the same in every try, so that a duplicate can be recognised.
  /// - Throws: `ProviderClientError`, `CancellationError`.
  public func send(_ push: PushRequest) async throws -> PushReceipt {
    var push = push
    if push.id == nil { push.id = UUID().uuidString.lowercased() }
    let request = push
    return try await deliver(to: request.deviceToken) { try await $0.send(request, bearer: $1) }
  }

  /// Makes a call to the 2008 service, otherwise as `send(_:)`. Publications have no identifier, so one whose
  /// connection is lost before its answer may be presented twice.
  /// - Throws: `ProviderClientError`, `CancellationError`.
  public func send(_ call: PublishingCall, as user: PublishingUser) async throws -> PushReceipt {
    try await deliver(to: call.path) { connection, _ in try await connection.send(call, as: user) }
  }

  /// - Parameter address: the token or path; once it is gone, nothing more is sent to it.
  private func deliver(
    to address: String, _ send: (ProviderConnection, String?) async throws -> PushAnswer
  ) async throws -> PushReceipt {
    var attempt = 0
    var hasRenewedToken = false
    while true {
      if let answer = state.withLock({ $0.gone[address] }) { return PushReceipt(answer: answer, attempts: attempt) }
      attempt += 1
      let bearer = try token?.bearer()
      let opening = opening()
      var connection: ProviderConnection?
      let ending: RetryPolicy.Ending
      do {
        let open = try await opening.value
        connection = open
        ending = .success(try await send(open, bearer))
      } catch let error as ProviderClientError {
        ending = .failure(error)
      }
      if case .success(let answer) = ending, answer.status == 410 {
        state.withLock { $0.gone[address] = answer }
      }
      let step = policy.step(
        after: ending, attempt: attempt, hasRenewedToken: hasRenewedToken, jitter: .random(in: 0.5...1))
      switch (step, ending) {
      case (.stop, .success(let answer)): return PushReceipt(answer: answer, attempts: attempt)
      case (.stop, .failure(let error)):
        forget(opening)
        throw error
      case (.renewToken, _):
        hasRenewedToken = true
        if let bearer { token?.renew(insteadOf: bearer) }
      case (.tryAgain(let pause, let reconnects), _):
        // One stream may be reset while the connection is still usable for the others.
        if reconnects { await leave(connection, opening, after: ending) }
        willRetry(Retry(problem: PushSender.problem(ending), pause: pause, attempt: attempt + 1))
        if pause > .zero { try await sleep(pause) }
      }
    }
  }

  /// Closes at once; pushes without an answer fail, and may be retried: wait for them first.
  public func close() async {
    let opening = state.withLock { exchange(&$0.connection, with: nil) }
    if let connection = try? await opening?.value { await connection.close() }
  }

  private func opening() -> Task<ProviderConnection, any Error> {
    state.withLock { state in
      if let opening = state.connection { return opening }
      let opening = Task { [server, trust, limits] in
        try await ProviderConnection.connect(to: server, trust: trust, limits: limits)
      }
      state.connection = opening
      return opening
    }
  }

  /// Makes the next push connect anew, unless another has done so already.
  private func forget(_ opening: Task<ProviderConnection, any Error>) {
    state.withLock { if $0.connection == opening { $0.connection = nil } }
  }

  private func leave(
    _ connection: ProviderConnection?, _ opening: Task<ProviderConnection, any Error>, after ending: RetryPolicy.Ending
  ) async {
    guard let connection else { return forget(opening) }
    if case .failure(.connectionClosed) = ending, await connection.takesPushes { return }
    forget(opening)
    await connection.retire()
  }

  private static func problem(_ ending: RetryPolicy.Ending) -> String {
    switch ending {
    case .success(let answer): "\(answer.status)" + (answer.reason.map { " " + $0 } ?? "")
    case .failure(let error): "\(error)"
    }
  }
}

public struct PushReceipt: Sendable, Hashable {
  /// The last answer; for a push that was not sent, the answer that reported its token as gone.
  public var answer: PushAnswer
  /// The number of times that it was sent; 0 if its token was already gone.
  public var attempts: Int
}
