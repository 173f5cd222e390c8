import Clocks
import FleetMember
import HandsetCore
import Host
import Logging
import NIOCore
import NIOPosix
import ServiceManager

/// The parts that every other part of the daemon may use.
struct Runtime: Sendable {
  let configuration: Configuration
  let manager: ServiceManager
  let clock: any Clock
  /// The virtual clock that credentials, rates, certificates and the log follow too; nil if they follow the machine's.
  let joinedClock: VirtualClock?
  let alarms: WallAlarms
  let devices: DeviceTable
  let eventLoops: any EventLoopGroup
  let logger: Logger
  /// The logger for lines that outsiders cause.
  let outsideLogger: Logger
  /// Nil in a daemon that is no test bench.
  let bench: Bench?

  init(
    _ configuration: Configuration, manager: ServiceManager, clock: any Clock, alarms: WallAlarms, logger: Logger,
    bench: Bench? = nil
  ) {
    (self.configuration, self.manager, self.clock, self.alarms) = (configuration, manager, clock, alarms)
    devices = DeviceTable { manager.show($0) }
    eventLoops = MultiThreadedEventLoopGroup.singleton
    joinedClock = configuration.joinsClocks ? clock as? VirtualClock : nil
    let logger = joinedClock.map { logger.stamped(by: $0) } ?? logger
    self.logger = logger
    self.bench = bench
    outsideLogger = Logger(label: logger.label) { [eventLoops] _ in LogMeter(logger, eventLoop: eventLoops.next()) }
  }

  /// The wall clock of credentials and certificates; nil for the machine's.
  var joinedWallTime: (@Sendable () -> WallTime)? {
    guard let joinedClock else { return nil }
    return { joinedClock.now().wall }
  }

  /// The clock of retries; nil for the machine's.
  var joinedUptime: (@Sendable () -> Duration)? {
    guard let joinedClock else { return nil }
    return { joinedClock.now().uptime }
  }

  func connect(_ member: FleetSettings.Member, _ settings: FleetSettings) throws -> FleetConnection {
    try FleetConnection(
      member, settings, eventLoop: eventLoops.next(), devices: devices, logger: logger, outsideLogger: outsideLogger,
      version: Daemon.version)
  }
}
