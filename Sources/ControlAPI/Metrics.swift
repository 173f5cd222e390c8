// What monitoring asks for: figures for Prometheus, and whether the daemon works.

import HTTPRoutes

/// The daemon's metrics and health.
public protocol MetricsBackend: Sendable {
  /// The metrics in Prometheus' text format.
  /// - Throws: `ControlError` 503 where the store cannot be read.
  func metrics() async throws(ControlError) -> HTTPResponse
  func health() async -> HealthReport
  /// A new token for `GET /metrics` at the panel's port, in the place of the one before.
  func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport
  /// - Throws: `ControlError` 404 where there is none.
  func revokeMetricsToken() async throws(ControlError)
}

/// What `GET /v1/health` answers.
public struct HealthReport: Codable, Sendable, Equatable {
  /// `ok`, or `failing`: then the HTTP status is 503.
  public var status: String
  /// What does not work; empty where all does.
  public var problems: [String]

  public init(problems: [String]) {
    status = problems.isEmpty ? "ok" : "failing"
    self.problems = problems
  }
}

/// What `POST /v1/metrics/token` answers.
public struct MetricsTokenReport: Codable, Sendable, Equatable {
  /// For the field `Authorization: Bearer`. Only its digest is stored.
  public var token: String
  /// Where the metrics are on this machine; absent where there is no panel.
  public var url: String?

  public init(token: String, url: String?) {
    self.token = token
    self.url = url
  }
}

enum MetricsResource {
  static func routes(_ metrics: any MetricsBackend) -> [Route] {
    [
      // Where Prometheus looks for it.
      .control("GET", "/metrics") { _ in try await metrics.metrics() },
      .control("GET", "/v1/health") { _ in
        let report = await metrics.health()
        return try .json(report, status: report.problems.isEmpty ? 200 : 503)
      },
      .control("POST", "/v1/metrics/token") { _ in try .json(await metrics.makeMetricsToken()) },
      .control("DELETE", "/v1/metrics/token") { _ in
        try await metrics.revokeMetricsToken()
        return .noContent
      },
    ]
  }
}
