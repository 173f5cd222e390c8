// The routes for monitoring on the control socket.

import HTTPRoutes
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct MetricsRoutesTests {
  @Test func printsTheMetrics() async throws {
    try await withServer { asker, rig async throws in
      let answer = try await asker.ask("GET", "/metrics")
      #expect(answer.status == 200)
      #expect(answer.body == "up 1\n")
      #expect(try await asker.client.metrics() == "up 1\n")
      #expect(try await asker.ask("GET", "/metrics?name=x").status == 400)
      rig.breakStore()
      #expect(try await asker.refusal("GET", "/metrics") == "503 the disk failed")
    }
  }

  @Test("Health is a status for programs, and the problems for people")
  func health() async throws {
    try await withServer { asker, rig async throws in
      let answer = try await asker.ask("GET", "/v1/health")
      #expect(answer.status == 200)
      #expect(answer.body == #"{"problems":[],"status":"ok"}"#)
      rig.breakStore()
      let failing = try await asker.ask("GET", "/v1/health")
      #expect(failing.status == 503)
      #expect(failing.body == #"{"problems":["nothing can be stored: the disk is full"],"status":"failing"}"#)
    }
  }

  @Test func makesAndRevokesTheToken() async throws {
    try await withServer { asker, _ async throws in
      #expect(try await asker.refusal("DELETE", "/v1/metrics/token") == "404 the metrics have no token")
      #expect(try await asker.client.makeMetricsToken().token == "first")
      let second = try await asker.client.makeMetricsToken()
      #expect(second == MetricsTokenReport(token: "second", url: "http://127.0.0.1:2198/metrics"))
      try await asker.client.revokeMetricsToken()
      #expect(try await asker.ask("DELETE", "/v1/metrics/token").status == 404)
    }
  }
}
