// Sends pushes as Apple advises: over one connection at a time, made again when it is lost; tried again where that
// helps, and never to a token that is gone.

import FoundationEssentials
import Synchronization

/// A provider that retries. For any number of pushes, from any task.
public final class PushSender: Sendable {
  /// A try that did not end well and is followed by another.
  public struct Retry: Sendable, Hashable {
    /// `503 ServiceUnavailable`, or the error's words.
    public var problem: String
    public var pause: Duration
    /// The number of the try to come.
    public var attempt: Int
  }

  private struct State {
    var connection: Task<ProviderConnection, any Error>?
    /// The answers of tokens, and of the 2008 service's nodes, that are gone, by token or path.
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
  ///   - sleep: waits for so long; given by tests, which do not.
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

  /// Connects, if that has not been done. What is wrong with the address or the certificate is found here, at once.
  /// - Throws: `ProviderClientError`, never tried again.
  public func connect() async throws {
    let opening = opening()
    do {
      _ = try await opening.value
    } catch {
      forget(opening)
      throw error
    }
  }

  /// Sends a push until the server takes it, refuses it, or the policy's tries are used up. A push without an `id` is
  /// given one, which is the same in every try, so a duplicate can be recognised.
  /// - Throws: `ProviderClientError`, `CancellationError`.
  public func send(_ push: PushRequest) async throws -> PushReceipt {
    var push = push
    if push.id == nil { push.id = UUID().uuidString }
    let request = push
    return try await deliver(to: request.deviceToken) { try await $0.send(request, bearer: $1) }
  }

  /// Makes a call to the 2008 service, otherwise as `send(_:)`. It has no name for a publication, so one whose connection
  /// is lost before its answer may be presented twice.
  /// - Throws: `ProviderClientError`, `CancellationError`.
  public func send(_ call: PublishingCall, as user: PublishingUser) async throws -> PushReceipt {
    try await deliver(to: call.path) { connection, _ in try await connection.send(call, as: user) }
  }

  /// - Parameters:
  ///   - address: what is sent nothing more once it is gone.
  ///   - send: is given the connection and the bearer token.
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
        // One stream may be reset, and the connection still be good for the others.
        if reconnects { await leave(connection, opening, after: ending) }
        willRetry(Retry(problem: PushSender.problem(ending), pause: pause, attempt: attempt + 1))
        if pause > .zero { try await sleep(pause) }
      }
    }
  }

  /// Closes at once; pushes without an answer fail, and may be tried again: wait for them first.
  public func close() async {
    let opening = state.withLock { state in
      defer { state.connection = nil }
      return state.connection
    }
    if let connection = try? await opening?.value { await connection.close() }
  }

  private func opening() -> Task<ProviderConnection, any Error> {
    state.withLock { state in
      if let opening = state.connection { return opening }
      let opening = Task { [server, trust, limits] in
        try await ProviderConnection.connect(to: server, trust: trust, token: nil, limits: limits)
      }
      state.connection = opening
      return opening
    }
  }

  /// The next push connects anew, unless another has done so already.
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

/// What became of a push.
public struct PushReceipt: Sendable, Hashable {
  /// The last; of a push that was not sent, the one that said that its token is gone.
  public var answer: PushAnswer
  /// Times that it was sent; 0 where it was not, because its token is gone.
  public var attempts: Int
}
