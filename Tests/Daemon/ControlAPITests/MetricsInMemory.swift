// The metrics of a daemon in memory: one line, and a flag for a failing store.

import HTTP

@testable import ControlAPI

extension BackendInMemory: MetricsBackend {
  func metrics() async throws(ControlError) -> HTTPResponse {
    guard !state.withLock({ $0.storeFails }) else { throw ControlError(503, "the disk failed") }
    return HTTPResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", bytes: Array("up 1\n".utf8))
  }

  func health() async -> HealthReport {
    HealthReport(problems: state.withLock { $0.storeFails } ? ["nothing can be stored: the disk is full"] : [])
  }

  func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport {
    let token = state.withLock { state in
      state.metricsToken = state.metricsToken == nil ? "first" : "second"
      return state.metricsToken ?? ""
    }
    return MetricsTokenReport(token: token, url: "http://127.0.0.1:2198/metrics")
  }

  func revokeMetricsToken() async throws(ControlError) {
    let before = state.withLock { state in
      defer { state.metricsToken = nil }
      return state.metricsToken
    }
    if before == nil { throw ControlError(404, "the metrics have no token") }
  }
}
