import HTTP
import HandsetCore
import HandsetStore
import Host
import NIOCore
import WebPanel

public struct HealthReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The daemon's health."

  public var status: String
  public var problems: [String]

  static let meanings: [String: Meaning] = [
    "status": .words(["ok", "failing"], "With failing the HTTP status is 503."),
    "problems": "The problems; empty if there are none.",
  ]

  init(problems: [String]) {
    status = problems.isEmpty ? "ok" : "failing"
    self.problems = problems
  }
}

public struct MetricsTokenReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A token for the metrics at the panel's port."

  public var token: String
  public var url: String?

  static let meanings: [String: Meaning] = [
    "token": "The token for the field Authorization: Bearer. Only its digest is stored.",
    "url": "The address of the metrics on this machine; absent if there is no panel.",
  ]
}

enum MetricsResource {
  static let routes: [DaemonRoute] = [
    // The path at which Prometheus expects them.
    DaemonRoute(
      "GET", "/metrics", "metrics", in: .daemon, "Get metrics for Prometheus",
      details: "docs/metrics.md lists them. The web panel's port has them too, with the token of POST "
        + "/v1/metrics/token.",
      response: Operation.Answer(
        meaning: "The metrics of all handsets, in Prometheus' text format 0.0.4.", form: .text,
        type: PrometheusText.contentType),
      refusals: [503: "The store cannot be read."]
    ) { daemon, _ in try await daemon.metrics() },
    DaemonRoute(
      "GET", "/v1/health", "health", in: .daemon, "Check that a push would be stored",
      details: "For load balancers and monitors. The web panel's port has it too; without a session the answer "
        + "is the status alone.",
      response: Operation.Answer(
        meaning: "The host's thread and the store answer.", form: HealthReport.form,
        failing: "One of them does not; pushes are answered 503 too.")
    ) { daemon, _ in
      let report = await daemon.health()
      return try .json(report, status: report.problems.isEmpty ? 200 : 503)
    },
    DaemonRoute(
      "POST", "/v1/metrics/token", "makeMetricsToken", in: .daemon,
      "Make a new token for the metrics at the panel's port", answer: "The token, which replaces the previous one."
    ) { daemon, _ in try await daemon.makeMetricsToken() },
    DaemonRoute(
      "DELETE", "/v1/metrics/token", "revokeMetricsToken", in: .daemon, "Revoke the token for the metrics",
      done: "Done; the metrics are on the control socket only.", refusals: [404: "There is no token."]
    ) { daemon, _ in try await daemon.revokeMetricsToken() },
  ]
}

extension ControlParts {
  /// - Throws: `ControlError` 503 if the store cannot be read.
  fileprivate func metrics() async throws(ControlError) -> HTTPResponse {
    var figures = MetricsFigures(counts: counters.counts, process: ProcessFigures(), started: startedWall)
    do {
      let read = try await host.readEach(handsets.all.map(\.id)) { handset, store, id, now in
        MetricsFigures.OfHandset(
          tally: handset.tally, badge: Int(clamping: handset.presentation(at: now).badge),
          conditions: handset.record.conditions.bits, events: try store.eventCount(of: id))
      }
      (figures.handsets, figures.names) = (read.answers, handsets.all.map(\.name))
      figures.failedCommits = read.failedCommits
      // Reports that waited for a reader are among them now.
      figures.counts = counters.counts
      figures.databaseBytes = try await host.write { try $0.size() }
    } catch {
      throw ControlError(failure: error)
    }
    (figures.waitingInputs, figures.waitingBytes) = queue.waiting
    figures.port = port()
    figures.devices = devices.all
    figures.channels = await channels.figures(on: handsets.all.map(\.id))
    return HTTPResponse(contentType: PrometheusText.contentType, bytes: figures.text)
  }

  func health() async -> HealthReport { await host.health(on: eventLoop) }

  /// Makes a new token for `GET /metrics` at the panel's port, which replaces the previous one.
  fileprivate func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport {
    let made = MetricsToken.make()
    // On the host's thread, so that of two changes the later one is stored last and is valid.
    try await host.change { [metricsToken] store in
      try store.setMeta(.metricsToken, made.stored)
      metricsToken.use(stored: made.stored)
    }
    return MetricsTokenReport(token: made.token, url: (try? await panel.report()).map { "\($0.url)metrics" })
  }

  /// - Throws: `ControlError` 404 if there is none.
  fileprivate func revokeMetricsToken() async throws(ControlError) {
    try await host.change { [metricsToken] store in
      guard metricsToken.isSet else {
        throw ControlError(404, "the metrics have no token", hint: "'deskbell metrics token' makes one")
      }
      try store.setMeta(.metricsToken, nil)
      metricsToken.use(stored: nil)
    }
  }
}

extension Host {
  /// Checks the host's thread and, on that thread, the store: the health is good if a new push would be stored. Devices
  /// do not count, since each affects only itself; the metrics and 'deskbell state' have them.
  /// - Parameter patience: the time that the host's thread has to answer. A commit on a slow SD card takes a second.
  nonisolated func health(
    on eventLoop: any EventLoop, within patience: TimeAmount = .seconds(5)
  ) async -> HealthReport {
    let silence = HealthReport(problems: ["the host's thread does not answer"])
    let (answers, answer) = AsyncStream.makeStream(of: HealthReport.self)
    let deadline = eventLoop.scheduleTask(in: patience) { _ = answer.yield(silence) }
    Task(executorPreference: TaskThreads.shared) {
      let problem = await self.storeProblem()
      deadline.cancel()
      answer.yield(HealthReport(problems: problem.map { ["nothing can be stored: \($0)"] } ?? []))
    }
    // The second answer is ignored.
    return await answers.first { _ in true } ?? silence
  }
}

extension Set<Condition> {
  fileprivate var bits: UInt8 {
    isEmpty
      ? 0 : Condition.allCases.enumerated().reduce(0) { contains($1.element) ? $0 | 1 << UInt8($1.offset) : $0 }
  }
}

extension ControlClient {
  public func metrics() async throws -> String {
    String(decoding: try await send("GET", "/metrics").body, as: UTF8.self)
  }

  public func makeMetricsToken() async throws -> MetricsTokenReport { try await send("POST", "/v1/metrics/token") }

  public func revokeMetricsToken() async throws { try await send("DELETE", "/v1/metrics/token") }
}
