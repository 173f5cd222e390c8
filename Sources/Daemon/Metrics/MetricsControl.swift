// The metrics and the health in the control API. The host's thread only counts; text is made elsewhere.

import Clocks
import ControlAPI
import HTTP
import HandsetCore
import HandsetStore
import Host
import NIOCore
import WebPanel

/// The source of the metrics and the health.
struct MetricsControl: MetricsBackend {
  let host: Host
  let handsets: Handsets
  let sink: MetricsSink
  let queue: InputQueue
  let gateway: PortService
  let devices: DeviceTable
  let panel: PanelAccess
  let token: MetricsToken
  private let healthCheck: HealthCheck
  /// The start time, in seconds since 1970.
  private let started: Double

  init(
    host: Host, handsets: Handsets, sink: MetricsSink, queue: InputQueue, gateway: PortService, devices: DeviceTable,
    panel: PanelAccess, token: MetricsToken, eventLoop: any EventLoop
  ) {
    (self.host, self.handsets, self.sink, self.queue, self.gateway) = (host, handsets, sink, queue, gateway)
    (self.devices, self.panel, self.token) = (devices, panel, token)
    healthCheck = HealthCheck(host: host, eventLoop: eventLoop)
    started = Double(SystemClock.wallTime().microseconds) / 1_000_000
  }

  func metrics() async throws(ControlError) -> HTTPResponse {
    var figures = MetricsFigures(counts: sink.counts, process: ProcessFigures(), started: started)
    do {
      let read = try await host.readEach(handsets.all.map(\.id)) { handset, store, id, now in
        MetricsFigures.OfHandset(
          tally: handset.tally, badge: Int(clamping: handset.presentation(at: now).badge),
          conditions: handset.record.conditions.bits, events: try store.eventCount(of: id))
      }
      (figures.handsets, figures.names) = (read.answers, handsets.all.map(\.name))
      figures.failedCommits = read.failedCommits
      figures.databaseBytes = try await host.write { try $0.size() }
    } catch {
      throw ControlError(failure: error)
    }
    (figures.waitingInputs, figures.waitingBytes) = queue.waiting
    figures.connections = gateway.connections
    figures.connectionLimit = gateway.connectionLimit
    figures.refusedRequests = gateway.refusedRequests
    figures.providers = gateway.providers
    figures.devices = devices.all
    return HTTPResponse(contentType: PrometheusText.contentType, bytes: figures.text)
  }

  func health() async -> HealthReport { await healthCheck.report() }

  func makeMetricsToken() async throws(ControlError) -> MetricsTokenReport {
    let made = MetricsToken.make()
    // On the host's thread, so that of two changes the later one is stored last and is valid.
    try await host.change { [token] store in
      try store.setMeta(.metricsToken, made.stored)
      token.use(stored: made.stored)
    }
    return MetricsTokenReport(token: made.token, url: (try? await panel.report()).map { "\($0.url)metrics" })
  }

  func revokeMetricsToken() async throws(ControlError) {
    try await host.change { [token] store in
      guard token.isSet else {
        throw ControlError(404, "the metrics have no token", hint: "'deskbell metrics token' makes one")
      }
      try store.setMeta(.metricsToken, nil)
      token.use(stored: nil)
    }
  }
}

extension Set<Condition> {
  fileprivate var bits: UInt8 {
    isEmpty
      ? 0 : Condition.allCases.enumerated().reduce(0) { contains($1.element) ? $0 | 1 << UInt8($1.offset) : $0 }
  }
}
