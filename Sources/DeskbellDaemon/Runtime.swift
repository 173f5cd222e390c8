import Clocks
import HandsetCore
import Logging
import NIOCore
import PushGateway
import ServiceManager

/// What every part of the daemon may use.
struct Runtime: Sendable {
  let configuration: Configuration
  let manager: ServiceManager
  /// The handsets' clock.
  let clock: any Clock
  /// On the machine's wall clock.
  let alarms: WallAlarms
  let devices: DeviceTable
  let eventLoops: any EventLoopGroup
  let logger: Logger
  /// For lines that outsiders cause.
  let outsideLogger: Logger

  /// Credentials go by the real time, whatever the handsets' clock shows.
  var gatewayClock: GatewayClock {
    var gatewayClock = GatewayClock.system
    gatewayClock.handset = { [clock] in clock.now().wall }
    return gatewayClock
  }
}
