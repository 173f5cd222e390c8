/// What is worth another try, and after how long: Apple's advice [APNs, "Handling notification responses from APNs"]: a server that is busy or leaving is asked again,
/// later each time; a push that is refused for what it is, never.
public struct RetryPolicy: Sendable, Hashable {
  /// Tries of one push, the first included; 1 never tries again.
  public var attempts = 5
  /// Before the second try where the server names no time; each further pause is twice as long.
  public var firstPause: Duration = .seconds(1)
  /// No pause of our own choosing is longer.
  public var longestPause: Duration = .seconds(60)
  /// A server that asks for more patience than this gets none: who waits that long sends again by themselves.
  public var longestRetryAfter: Duration = .seconds(600)

  public init() {}

  /// How a try ended.
  typealias Ending = Result<PushAnswer, ProviderClientError>

  enum Step: Sendable, Hashable {
    /// It stays at that.
    case stop
    /// - Parameter reconnects: whether this connection takes no more pushes.
    case tryAgain(after: Duration, reconnects: Bool)
    /// Sign a new token and try again at once.
    case renewToken
  }

  /// - Parameters:
  ///   - attempt: the number of tries so far.
  ///   - hasRenewedToken: whether a new token was signed for this push before.
  ///   - jitter: 0.5 to 1, so that pushes that were refused together do not come back together.
  func step(after ending: Ending, attempt: Int, hasRenewedToken: Bool, jitter: Double) -> Step {
    switch ending {
    case .success(let answer) where answer.reason == "ExpiredProviderToken":
      // Once: where the server's clock is far off, no token of ours is ever young enough.
      return attempt < attempts && !hasRenewedToken ? .renewToken : .stop
    case .success(let answer):
      guard [429, 500, 503].contains(answer.status), attempt < attempts else { return .stop }
      let asked = answer.retryAfter ?? .zero
      guard asked <= longestRetryAfter else { return .stop }
      return .tryAgain(
        after: max(asked, pause(after: attempt, jitter: jitter)), reconnects: answer.reason == "Shutdown")
    case .failure(.connectionClosed):
      guard attempt < attempts else { return .stop }
      // Servers close connections as a matter of course: the first time, a new one is all it takes.
      return .tryAgain(after: attempt == 1 ? .zero : pause(after: attempt, jitter: jitter), reconnects: true)
    case .failure(.timedOut), .failure(.connectionRefused), .failure(.cannotConnect):
      guard attempt < attempts else { return .stop }
      return .tryAgain(after: pause(after: attempt, jitter: jitter), reconnects: true)
    case .failure: return .stop
    }
  }

  private func pause(after attempt: Int, jitter: Double) -> Duration {
    // 2 to the 30th of the first pause is longer than any limit.
    min(firstPause * (1 << min(attempt - 1, 30)), longestPause) * jitter
  }
}
