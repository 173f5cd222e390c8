/// The rules of retries, by Apple's advice [APNs, "Handling notification responses from APNs"]: a busy or closing
/// server is asked again, later each time; a push that is rejected for its content is not retried.
public struct RetryPolicy: Sendable, Hashable {
  /// Tries of one push, the first included; 1 never tries again.
  public var attempts = 5
  /// The pause before the second try if the server names no time; each further pause is twice as long.
  public var firstPause: Duration = .seconds(1)
  /// The longest pause that the policy chooses itself.
  public var longestPause: Duration = .seconds(60)
  /// The longest `Retry-After` that is waited for. For longer times the user has to send again.
  public var longestRetryAfter: Duration = .seconds(600)

  public init() {}

  typealias Ending = Result<PushAnswer, ProviderClientError>

  enum Step: Sendable, Hashable {
    case stop
    /// - Parameter reconnects: true if this connection accepts no more pushes.
    case tryAgain(after: Duration, reconnects: Bool)
    case renewToken
  }

  /// - Parameters:
  ///   - attempt: the number of tries so far.
  ///   - hasRenewedToken: true if a new token was signed for this push before.
  ///   - jitter: 0.5 to 1, so that pushes refused together are not retried together.
  func step(after ending: Ending, attempt: Int, hasRenewedToken: Bool, jitter: Double) -> Step {
    guard attempt < attempts else { return .stop }
    switch ending {
    case .success(let answer) where answer.reason == "ExpiredProviderToken":
      // Once: if the server's clock is far off, no token is ever young enough.
      return hasRenewedToken ? .stop : .renewToken
    case .success(let answer):
      guard [429, 500, 503].contains(answer.status) else { return .stop }
      let asked = answer.retryAfter ?? .zero
      guard asked <= longestRetryAfter else { return .stop }
      return .tryAgain(
        after: max(asked, pause(after: attempt, jitter: jitter)), reconnects: answer.reason == "Shutdown")
    case .failure(.connectionClosed):
      // Servers close connections regularly: the first time, a new one is enough.
      return .tryAgain(after: attempt == 1 ? .zero : pause(after: attempt, jitter: jitter), reconnects: true)
    case .failure(.timedOut), .failure(.connectionRefused), .failure(.cannotConnect):
      return .tryAgain(after: pause(after: attempt, jitter: jitter), reconnects: true)
    case .failure: return .stop
    }
  }

  private func pause(after attempt: Int, jitter: Double) -> Duration {
    // The first pause times 2 to the 30th is longer than any limit.
    min(firstPause * (1 << min(attempt - 1, 30)), longestPause) * jitter
  }
}
