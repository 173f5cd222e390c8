import Clocks
import HandsetCore
import Host
import Logging
import NIOCore

extension ZoneWatch {
  /// Watches while the daemon runs. Nil if the zone cannot change.
  static func started(
    submittingTo queue: InputQueue, eventLoops: any EventLoopGroup, logger: Logger
  ) -> ZoneWatch? {
    if SystemTimeZone.isFixed { return nil }
    do throws(ClockError) {
      return try ZoneWatch(on: SystemTimeZone.path) {
        submit(SystemTimeZone.table(), to: queue, eventLoops.next())
      }
    } catch {
      logger.warning("the time zone is that of the start, restart the daemon when it is set: \(error)")
      return nil
    }
  }

  /// Submits the zone until it is stored, as no second notification comes.
  private static func submit(_ zone: TimeZoneTable, to queue: InputQueue, _ eventLoop: any EventLoop) {
    queue.submit(.setTimeZone(zone), to: .all) { outcome in
      guard case .failed = outcome else { return }
      eventLoop.scheduleTask(in: .seconds(1)) { submit(zone, to: queue, eventLoop) }
    }
  }
}
