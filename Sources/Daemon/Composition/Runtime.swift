import Clocks
import HandsetCore
import Host
import Logging
import NIOCore
import PushPort
import ServiceManager

/// The parts that every other part of the daemon may use.
struct Runtime: Sendable {
  let configuration: Configuration
  let manager: ServiceManager
  /// The handsets' clock.
  let clock: any Clock
  /// The alarms on the machine's wall clock.
  let alarms: WallAlarms
  let devices: DeviceTable
  let eventLoops: any EventLoopGroup
  let logger: Logger
  /// The logger for lines that outsiders cause.
  let outsideLogger: Logger

  /// Credentials are checked by the real time, whatever the handsets' clock shows.
  var gatewayClock: PortClock {
    var gatewayClock = PortClock.system
    gatewayClock.handset = { [clock] in clock.now().wall }
    return gatewayClock
  }
}
