// The API for monitoring: metrics for Prometheus, and the daemon's health.

import HTTP

/// The daemon's metrics and health.
public protocol MetricsBackend: Sendable {
  /// Returns the metrics in Prometheus' text format.
  /// - Throws: `ControlError` 503 if the store cannot be read.
  func metrics() async throws(ControlError) -> HTTPResponse
  func health() async -> HealthReport
  /// Makes a new token for `GET /metrics` at the panel's port, which replaces the previous one.
  func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport
  /// - Throws: `ControlError` 404 if there is none.
  func revokeMetricsToken() async throws(ControlError)
}

/// The answer to `GET /v1/health`.
public struct HealthReport: Codable, Sendable, Equatable {
  /// `ok`, or `failing`: then the HTTP status is 503.
  public var status: String
  /// The problems; empty if there are none.
  public var problems: [String]

  public init(problems: [String]) {
    status = problems.isEmpty ? "ok" : "failing"
    self.problems = problems
  }
}

/// The answer to `POST /v1/metrics/token`.
public struct MetricsTokenReport: Codable, Sendable, Equatable {
  /// The token for the field `Authorization: Bearer`. Only its digest is stored.
  public var token: String
  /// The address of the metrics on this machine; absent if there is no panel.
  public var url: String?

  public init(token: String, url: String?) {
    self.token = token
    self.url = url
  }
}

enum MetricsResource {
  static func routes(_ metrics: any MetricsBackend) -> [Route] {
    [
      // The path at which Prometheus expects them.
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
