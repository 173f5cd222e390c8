import FleetLink
import FoundationEssentials
import Host
import Logging
import NATSClient
import NIOCore

/// The connection of a desk or a gateway to the fleet's servers. Its status is in the log and the device table, once for
/// each change.
public final class FleetConnection: Sendable {
  /// The time between two announcements that it is alive.
  public static let pulse = TimeAmount.seconds(30)

  public let name: String
  public let nats: NATSConnection
  public let jetStream: JetStream
  public let eventLoop: any EventLoop
  /// The log for lines that other members of the fleet cause.
  public let logger: Logger
  public let version: String
  private let devices: DeviceTable
  /// The log for the connection's own status.
  private let ownLogger: Logger

  /// The connection's name in the device table: `fleet kitchen`.
  public var device: String { "fleet \(name)" }

  /// - Throws: `FleetError` if the seed or libnats is missing.
  public init(
    _ member: FleetSettings.Member, _ settings: FleetSettings, eventLoop: any EventLoop, devices: DeviceTable,
    logger: Logger, outsideLogger: Logger, version: String
  ) throws(FleetError) {
    (name, self.eventLoop, self.devices) = (member.name, eventLoop, devices)
    (ownLogger, self.logger, self.version) = (logger, outsideLogger, version)
    let servers = try settings.connection(of: member)
    do throws(NATSError) {
      nats = try NATSConnection(servers, eventLoop: eventLoop)
    } catch {
      throw FleetError("fleet: \(error)")
    }
    jetStream = JetStream(nats)
    devices.set(device, problem: "no server has answered yet")
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
    let known = devices.all.first { $0.name == device }?.problem
    guard known != problem else { return }
    if let problem {
      ownLogger.warning("\(device): \(problem)")
    } else {
      ownLogger.notice("\(device): works")
    }
    devices.set(device, problem: problem)
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

  private func take(_ report: NATSReport) {
    switch report {
    case .connected: break
    case .lost(let problem): show(problem)
    case .failed(let problem): logger.warning("\(device): \(problem)")
    }
  }
}
