// A member's connection, and its status in the log and the device table, once for each change.

import FleetLink
import HandsetCore
import NATSClient
import NIOCore
import Synchronization

/// The connection of a desk or a gateway to the fleet's servers.
final class FleetConnection: Sendable {
  /// The time between two announcements that it is alive.
  static let pulse = TimeAmount.seconds(30)

  let nats: NATSConnection
  let jetStream: JetStream
  let eventLoop: any EventLoop
  private let name: String
  private let runtime: Runtime

  /// The connection's name in the device table: `fleet kitchen`.
  var device: String { "fleet \(name)" }

  /// - Throws: `DaemonError` if the seed or libnats is missing.
  init(_ member: FleetSettings.Member, _ settings: FleetSettings, runtime: Runtime) throws(DaemonError) {
    let reports = Reports()
    eventLoop = runtime.eventLoops.next()
    (name, self.runtime) = (member.name, runtime)
    let servers = try settings.connection(of: member)
    do throws(NATSError) {
      nats = try NATSConnection(servers, eventLoop: eventLoop) { reports.take($0) }
    } catch {
      throw DaemonError("fleet: \(error)")
    }
    jetStream = JetStream(nats)
    runtime.devices.set(device, problem: "no server has answered yet")
    reports.connect(to: self)
  }

  /// Reports that the connection works, or why it does not.
  func show(_ problem: String?) {
    let known = runtime.devices.all.first { $0.name == device }?.problem
    guard known != problem else { return }
    if let problem {
      runtime.logger.warning("\(device): \(problem)")
    } else {
      runtime.logger.notice("\(device): works")
    }
    runtime.devices.set(device, problem: problem)
  }

  /// Waits for a while, or until the task is cancelled.
  func pause(_ time: TimeAmount) async {
    let timer = eventLoop.scheduleTask(in: time) {}
    await withTaskCancellationHandler {
      try? await timer.futureResult.get()
    } onCancel: {
      timer.cancel()
    }
  }

  private func take(_ report: NATSReport) {
    switch report {
    case .connected: break
    case .lost(let problem): show(problem)
    case .failed(let problem): runtime.outsideLogger.warning("\(device): \(problem)")
    }
  }

  /// A receiver for reports, which come as soon as the connection is made, before its owner exists.
  private final class Reports: Sendable {
    private struct State {
      weak var owner: FleetConnection?
      var early: [NATSReport] = []
    }

    private let state = Mutex(State())

    func take(_ report: NATSReport) {
      let owner = state.withLock { state in
        if state.owner == nil { state.early.append(report) }
        return state.owner
      }
      owner?.take(report)
    }

    func connect(to owner: FleetConnection) {
      let early = state.withLock { state in
        state.owner = owner
        return state.early
      }
      for report in early { owner.take(report) }
    }
  }
}
