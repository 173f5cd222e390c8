import Clocks
import HandsetCore
import Host
import Logging

/// The reports for the devices of one handset. All methods may be called from any thread.
struct DeviceReporter: Sendable {
  let queue: InputQueue
  let handset: HandsetID
  let devices: DeviceTable
  let clock: any Clock
  let logger: Logger
  /// Returns true if somebody follows the events; otherwise they need no commit of their own.
  var isFollowed: @Sendable () -> Bool = { true }

  func emit(_ kind: DriverReport.Kind, push: PushID? = nil, at uptime: Duration, isUrgent: Bool = false) {
    queue.report(.report(DriverReport(kind, push: push, uptime: uptime)), to: handset) { isUrgent || isFollowed() }
  }

  /// Reports that a device works no longer, or never did: once in the log, the device table and the events.
  func lost(_ device: String, _ problem: String) {
    devices.set(device, problem: problem)
    logger.error("\(problem)")
    emit(.deviceLost(problem: problem), at: clock.now().uptime, isUrgent: true)
  }

  func back(_ device: String) {
    devices.set(device, problem: nil)
    logger.notice("\(device): works again")
    emit(.deviceBack(device: device), at: clock.now().uptime, isUrgent: true)
  }

  /// Submits a press at the board. If the button has no function at the moment, it is refused without a report.
  func submit(_ input: Input, _ what: String) {
    let logger = logger
    queue.submit(input, to: .handset(handset)) { outcome in
      guard case .failed(let why) = outcome else { return }
      logger.error("\(what), and that could not be stored, so it did nothing: \(why)")
    }
  }
}
