import Logging

/// The outputs for the host's status: the log, and the store among the devices.
public struct HostStatus: Sendable {
  /// The name of the database in the device table.
  public static let storeDevice = "store"

  let devices: DeviceTable
  let logger: Logger

  public init(devices: DeviceTable, logger: Logger) {
    (self.devices, self.logger) = (devices, logger)
  }

  func storeFails(_ why: String) {
    logger.error("nothing can be stored, pushes are answered with 503 until it can: \(why)")
    devices.set(HostStatus.storeDevice, problem: why)
  }

  func storeWorksAgain() {
    logger.notice("the store works again")
    devices.set(HostStatus.storeDevice, problem: nil)
  }
}
