// The panel's port for monitors, which do not sign in: metrics with a token of their own, and health in one word.

import Crypto
import Foundation
import HTTP
import ServerIdentity
import Testing

@testable import WebPanel

@Suite(.timeLimit(.minutes(10))) struct MonitoringTests {
  private let panel: PanelRig

  init() async throws { panel = try await PanelRig() }

  /// Makes a token and turns the metrics on.
  private func token(of panel: PanelRig) -> String {
    let made = MetricsToken.make()
    panel.metricsToken.use(stored: made.stored)
    return made.token
  }

  private func metrics(_ panel: PanelRig, _ authorization: String?) async throws -> PanelRig.Answer {
    try await panel.ask("GET /metrics", authorization.map { ["Authorization: \($0)"] } ?? [])
  }

  @Test("Without a token there are no metrics, not even after signing in")
  func off() async throws {
    #expect(try await metrics(panel, nil).status == 404)
    #expect(try await metrics(panel, "Bearer x").status == 404)
    #expect(try await panel.ask("GET /metrics", panel.signedIn()).status == 404)
  }

  @Test func theTokenOpensTheMetricsAndNothingElse() async throws {
    let token = token(of: panel)
    for scheme in ["Bearer", "bearer", "BEARER"] {
      let answer = try await metrics(panel, "\(scheme) \(token)")
      #expect(answer.status == 200)
      #expect(answer.body == "up 1\n")
      #expect(answer.fields["cache-control"] == "no-store")
    }
    #expect(try await panel.ask("GET /v1/state", ["Authorization: Bearer \(token)"]).status == 403)
    let fields = ["Authorization: Bearer \(token)", "Deskbell-Panel: none"]
    #expect(try await panel.ask("GET /v1/state", fields).status == 401)
    #expect(try await panel.ask("POST /v1/metrics/token", panel.signedIn()).status == 404)
    #expect(panel.handled.withLock { $0 } == [])
  }

  @Test("No token, and two fields, are asked for one", arguments: [nil, "Basic eDp5", "Bearer", "Token x", "two"])
  func whatIsNoTokenIsAskedForOne(_ authorization: String?) async throws {
    let field = "Authorization: Bearer \(token(of: panel))"
    for _ in 0..<10 {
      let answer =
        try await authorization == "two"
        ? panel.ask("GET /metrics", [field, field]) : metrics(panel, authorization)
      #expect(answer.status == 401)
      #expect(answer.fields["www-authenticate"] == "Bearer realm=\"deskbell metrics\"")
    }
  }

  @Test("Guesses become slower; the token stays valid, and signing in works")
  func guessing() async throws {
    let token = token(of: panel)
    for _ in 0..<GuessPace.freeAttempts {
      #expect(try await metrics(panel, "Bearer \(token)x").status == 401)
    }
    let late = try await metrics(panel, "Bearer \(token.dropLast())")
    #expect(late.status == 429)
    #expect(late.fields["retry-after"] == "2")
    #expect(try await metrics(panel, "Bearer \(token)").status == 200)
    #expect(try await panel.signIn(#"{"password": "correct horse"}"#).status == 200)
  }

  @Test("A new token replaces the previous one, and an unreadable one counts as none")
  func replaced() async throws {
    let (first, second) = (token(of: panel), token(of: panel))
    #expect(try await metrics(panel, "Bearer \(first)").status == 401)
    #expect(try await metrics(panel, "Bearer \(second)").status == 200)
    for stored in [nil, "", "!", Data("short".utf8).base64EncodedString()] {
      panel.metricsToken.use(stored: stored)
      #expect(try await metrics(panel, "Bearer \(second)").status == 404)
    }
  }

  @Test func theDigestIsStoredAndNotTheToken() {
    let made = MetricsToken.make()
    #expect(made.token.utf8.count == 43)
    #expect(made.stored == Data(SHA256.hash(data: Data(made.token.utf8))).base64EncodedString())
  }

  @Test("An unauthenticated client learns only if the daemon works")
  func health() async throws {
    let answer = try await panel.ask("GET /v1/health", [])
    #expect(answer.status == 200)
    #expect(answer.body == #"{"status":"ok"}"#)
    #expect(try await panel.ask("GET /v1/health", panel.signedIn()).body == #"{"problems":["all"]}"#)
    #expect(try await panel.ask("POST /v1/health", []).status == 403)
    #expect(try await panel.ask("GET /v1/health/x", []).status == 403)
    panel.health.set(false)
    panel.advance(PanelLimits.healthLifetime)
    let failing = try await panel.ask("GET /v1/health", [])
    #expect(failing.status == 503)
    #expect(failing.body == #"{"status":"failing"}"#)
  }

  @Test("The daemon is asked once a second, for any number of requests")
  func sharedHealth() async throws {
    for _ in 0..<3 { #expect(try await panel.ask("GET /v1/health", []).status == 200) }
    #expect(panel.health.asked == 1)
    panel.advance(PanelLimits.healthLifetime - .milliseconds(1))
    _ = try await panel.ask("GET /v1/health", [])
    #expect(panel.health.asked == 1)
    panel.advance(.milliseconds(1))
    _ = try await panel.ask("GET /v1/health", [])
    #expect(panel.health.asked == 2)
  }

  @Test("Another page can read neither, even if the browser has the token")
  func otherPages() async throws {
    let token = token(of: panel)
    for path in ["/metrics", "/v1/health"] {
      let fields = ["Authorization: Bearer \(token)", "Origin: http://evil.example"]
      #expect(try await panel.ask("GET \(path)", fields).status == 403)
      let request = "GET \(path) HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
      #expect(try await panel.raw(request).status == 421)
    }
  }
}
