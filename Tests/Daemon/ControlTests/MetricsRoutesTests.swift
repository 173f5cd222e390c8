import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct MetricsRoutesTests {
  @Test(.daemon) func printsTheMetrics() async throws {
    let answer = try await asker.ask("GET", "/metrics")
    #expect(answer.status == 200)
    #expect(answer.body.contains("deskbell_badge{handset=\"1\"} 0\n"))
    #expect(try await asker.client.metrics().hasPrefix("# HELP deskbell_pushes_total "))
    #expect(try await asker.ask("GET", "/metrics?name=x").status == 400)
    rig.runSQL("DROP TABLE handset")
    try await asker.refuses(["GET /metrics": "503 …"])
  }

  @Test("Health is a status for programs, and the problems for people", .daemonWithMail)
  func health() async throws {
    let answer = try await asker.ask("GET", "/v1/health")
    #expect(answer.status == 200)
    #expect(answer.body == #"{"problems":[],"status":"ok"}"#)
    rig.breakStore()
    #expect(try await asker.ask("DELETE", "/v1/apps/com.example.mail").status == 503)
    let failing = try await asker.ask("GET", "/v1/health")
    #expect(failing.status == 503)
    #expect(failing.body.hasPrefix(#"{"problems":["nothing can be stored: "#))
    #expect(failing.body.hasSuffix(#""],"status":"failing"}"#))
  }

  @Test(.daemon) func makesAndRevokesTheToken() async throws {
    try await asker.refuses([
      "DELETE /v1/metrics/token": "404 the metrics have no token | 'deskbell metrics token' makes one"
    ])
    let first = try await asker.client.makeMetricsToken()
    let second = try await asker.client.makeMetricsToken()
    #expect(second.token != first.token && second.url == "http://127.0.0.1:2198/metrics")
    try await asker.client.revokeMetricsToken()
    #expect(try await asker.ask("DELETE", "/v1/metrics/token").status == 404)
  }
}
