// A member's connection, and its status in the log and the device table, once for each change.

import FleetLink
import FoundationEssentials
import Host
import Logging
import NATSClient
import NIOCore

/// The connection of a desk or a gateway to the fleet's servers.
public final class FleetConnection: Sendable {
  /// The time between two announcements that it is alive.
  public static let pulse = TimeAmount.seconds(30)

  /// The parts of the daemon that a connection reports to.
  public struct Surroundings: Sendable {
    let eventLoop: any EventLoop
    let devices: DeviceTable
    let logger: Logger
    let outsideLogger: Logger
    let version: String

    /// - Parameters:
    ///   - logger: for the connection's own status.
    ///   - outsideLogger: for lines that other members of the fleet cause.
    ///   - version: the program's, for the roll.
    public init(
      eventLoop: any EventLoop, devices: DeviceTable, logger: Logger, outsideLogger: Logger, version: String
    ) {
      (self.eventLoop, self.devices, self.logger) = (eventLoop, devices, logger)
      (self.outsideLogger, self.version) = (outsideLogger, version)
    }
  }

  /// The member's name.
  public let name: String
  public let nats: NATSConnection
  public let jetStream: JetStream
  private let surroundings: Surroundings

  public var eventLoop: any EventLoop { surroundings.eventLoop }
  /// The log for lines that other members of the fleet cause.
  public var logger: Logger { surroundings.outsideLogger }
  /// The version of this program.
  public var version: String { surroundings.version }
  /// The connection's name in the device table: `fleet kitchen`.
  public var device: String { "fleet \(name)" }

  /// - Throws: `FleetError` if the seed or libnats is missing.
  public init(
    _ member: FleetSettings.Member, _ settings: FleetSettings, in surroundings: Surroundings
  ) throws(FleetError) {
    (name, self.surroundings) = (member.name, surroundings)
    let servers = try settings.connection(of: member)
    do throws(NATSError) {
      nats = try NATSConnection(servers, eventLoop: surroundings.eventLoop)
    } catch {
      throw FleetError("fleet: \(error)")
    }
    jetStream = JetStream(nats)
    surroundings.devices.set(device, problem: "no server has answered yet")
    nats.start { [weak self] in self?.take($0) }
  }

  /// Publishes that the member is connected.
  /// - Returns: the record as it was published.
  @discardableResult
  public func answerRoll(_ record: AliveRecord) -> [UInt8]? {
    guard let payload = (try? JSONEncoder().encode(record)).map({ [UInt8]($0) }) else { return nil }
    nats.publish(NATSMessage(subject: FleetNames.alive(name), payload: payload))
    return payload
  }

  /// Reports that the connection works, or why it does not.
  public func show(_ problem: String?) {
    let known = surroundings.devices.all.first { $0.name == device }?.problem
    guard known != problem else { return }
    if let problem {
      surroundings.logger.warning("\(device): \(problem)")
    } else {
      surroundings.logger.notice("\(device): works")
    }
    surroundings.devices.set(device, problem: problem)
  }

  /// Waits for a while, or until the task is cancelled.
  public func pause(_ time: TimeAmount) async {
    let timer = eventLoop.scheduleTask(in: time) {}
    await withTaskCancellationHandler {
      try? await timer.futureResult.get()
    } onCancel: {
      timer.cancel()
    }
  }

  /// Closes the connection for good.
  public func end() { nats.end() }

  private func take(_ report: NATSReport) {
    switch report {
    case .connected: break
    case .lost(let problem): show(problem)
    case .failed(let problem): logger.warning("\(device): \(problem)")
    }
  }
}
