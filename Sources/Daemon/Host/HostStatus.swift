import Logging

/// The outputs for the host's status: the log, and the store among the devices.
struct HostStatus: Sendable {
  /// The name of the database in the device table.
  static let storeDevice = "store"

  let devices: DeviceTable
  let logger: Logger

  func storeFails(_ why: String) {
    logger.error("nothing can be stored, pushes are answered with 503 until it can: \(why)")
    devices.set(HostStatus.storeDevice, problem: why)
  }

  func storeWorksAgain() {
    logger.notice("the store works again")
    devices.set(HostStatus.storeDevice, problem: nil)
  }
}
