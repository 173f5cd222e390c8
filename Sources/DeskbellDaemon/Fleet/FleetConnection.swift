// A member's connection, and what becomes of it in the log and the device table, once for each change.

import FleetLink
import HandsetCore
import NATSClient
import NIOCore
import Synchronization

/// The connection of a desk or a gateway to the fleet's servers.
final class FleetConnection: Sendable {
  let nats: NATSConnection
  let jetStream: JetStream
  let eventLoop: any EventLoop
  private let name: String
  private let runtime: Runtime
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// The device that stands for it: `fleet kitchen`.
  var device: String { "fleet \(name)" }

  /// - Throws: `DaemonError` where the seed or libnats is missing.
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

  /// An element when it is connected anew or lost; several that were not taken are one.
  func changes() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners.withLock { $0.append(listener) }
    listener.yield()
    return stream
  }

  /// Says that it works, or why not.
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

  /// Waits for a while.
  func pause(_ time: TimeAmount) async {
    try? await eventLoop.scheduleTask(in: time) {}.futureResult.get()
  }

  private func take(_ report: NATSReport) {
    switch report {
    case .connected: break
    case .lost(let problem): show(problem)
    case .failed(let problem):
      runtime.logger.warning("\(device): \(problem)")
      return
    }
    for listener in listeners.withLock(\.self) { listener.yield() }
  }

  /// Reports come as soon as the connection is made, which is before there is an object to take them.
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
