// The panel's port for monitors that do not sign in: the metrics with a token of their own, and one word about the
// daemon's health. A health check costs the host's thread a moment, so strangers share an answer.

import HTTP
import ServerIdentity
import Synchronization

/// The routes that need no session.
final class PanelMonitoring: Sendable {
  static let metricsPath = "/metrics"
  static let healthPath = "/v1/health"

  private let token: MetricsToken
  /// Separate from the pace of signing in: a monitor with an old token delays no user.
  private let pace: GuessPace
  private let isHealthy: @Sendable () async -> Bool
  private let executor: (any TaskExecutor)?
  private let now: @Sendable () -> Duration
  private let last = Mutex<(asked: Duration, answer: Task<Bool, Never>)?>(nil)

  init(
    token: MetricsToken, health: @escaping @Sendable () async -> Bool, executor: (any TaskExecutor)?,
    now: @escaping @Sendable () -> Duration
  ) {
    (self.token, isHealthy, self.executor, self.now) = (token, health, executor, now)
    pace = GuessPace(now: now)
  }

  /// Returns those of the control API's routes that need no session.
  func routes(of control: [Route], isSignedIn: @escaping @Sendable (HTTPRequest) -> Bool) -> [Route] {
    control.compactMap { route -> Route? in
      switch (route.method, route.pattern) {
      case ("GET", PanelMonitoring.metricsPath):
        return Route("GET", route.pattern, bodyLimit: 0) { [self] request in
          try admit(request)
          return try await route.handler(request)
        }
      case ("GET", PanelMonitoring.healthPath):
        return Route("GET", route.pattern, bodyLimit: 0) { [self] request in
          if isSignedIn(request) { return try await route.handler(request) }
          let isOK = await sharedHealth().value
          return try .json(["status": isOK ? "ok" : "failing"], status: isOK ? 200 : 503)
        }
      default: return nil
      }
    }
  }

  func isKnown(_ request: HTTPRequest) -> Bool {
    request.target.path == PanelMonitoring.metricsPath && token.isShown(by: request)
  }

  private func sharedHealth() -> Task<Bool, Never> {
    let now = now()
    return last.withLock { last in
      if let last, now - last.asked < PanelLimits.healthLifetime { return last.answer }
      let answer = Task(executorPreference: executor, operation: isHealthy)
      last = (now, answer)
      return answer
    }
  }

  private func admit(_ request: HTTPRequest) throws(HTTPError) {
    guard token.isSet else {
      throw HTTPError(
        404, "the metrics have no token", hint: "'deskbell metrics token' makes one, and turns them on here")
    }
    // 256 bits cannot be guessed, so the token is accepted whatever else its network has tried.
    if token.isShown(by: request) { return }
    let challenge: HeaderFields = ["WWW-Authenticate": "Bearer realm=\"deskbell metrics\""]
    guard MetricsToken.shown(by: request) != nil else {
      throw HTTPError(
        401, "the metrics need a token", hint: "send Authorization: Bearer TOKEN; 'deskbell metrics token' makes one",
        headers: challenge)
    }
    try pace.admit(request, or: "too many wrong tokens")
    throw HTTPError(
      401, "the token is wrong", hint: "'deskbell metrics token' makes another, which replaces it", headers: challenge)
  }
}
