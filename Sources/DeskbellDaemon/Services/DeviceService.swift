import AppLink
import Clocks
import NIOCore
import ServiceLifecycle
import ServiceManager
import Speaker

/// The devices and the apps. They stop after the gateway, and before the host: what they report last is stored.
struct DeviceService: Service {
  let board: BoardSetup
  let speaker: Speaker
  let link: AppLink
  let alarms: WallAlarms
  /// Nil where the time zone stays what it is.
  let zoneWatch: ZoneWatch?
  /// Nil where no service manager watches.
  let watchdog: Watchdog?

  func run() async {
    try? await gracefulShutdown()
    watchdog?.stop()
    await zoneWatch?.stop()
    await link.shutDown()
    speaker.shutdown()
    board.panel?.stop()
    board.screen?.end()
    await alarms.stop()
  }
}

extension Watchdog {
  /// Nil where no service manager watches: then nothing wakes for it either.
  static func started(
    by manager: ServiceManager, asking host: HostExecutor, eventLoops: any EventLoopGroup
  ) -> Watchdog? {
    guard let timeout = manager.watchdogTimeout else { return nil }
    let watchdog = Watchdog(
      eventLoops: Array(eventLoops.makeIterator()), askHost: { host.submit($0) }, alive: manager.alive)
    watchdog.start(timeout: timeout)
    return watchdog
  }
}
