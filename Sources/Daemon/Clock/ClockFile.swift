// A provider under test often reads its clock from the C library. libfaketime answers these calls by a file, and this is
// that file: FAKETIME_TIMESTAMP_FILE names it, and FAKETIME_NO_CACHE=1 makes the library read it at each call.

import Clocks
import Glibc
import HandsetCore
import HeldFolders
import Logging

/// The file that has the virtual clock's time.
struct ClockFile: Sendable {
  let path: String
  private let clock: VirtualClock
  private let logger: Logger

  /// Writes the time of the start. Nil if the settings name no file, or the clock is the system's.
  /// - Throws: `DaemonError` if the file cannot be written.
  init?(of runtime: Runtime) throws(DaemonError) {
    guard let path = runtime.configuration.clockFile, let clock = runtime.clock as? VirtualClock else { return nil }
    self.init(path: path, clock: clock, logger: runtime.logger)
    do throws(HeldFolder.Fault) {
      try write()
    } catch {
      throw DaemonError("--clock-file \(path) cannot be written: \(error); name a file in a folder of your own")
    }
  }

  init(path: String, clock: VirtualClock, logger: Logger) {
    (self.path, self.clock, self.logger) = (path, clock, logger)
  }

  /// Replaces the file. A reader sees the old time or the new one.
  func write() throws(HeldFolder.Fault) {
    let folder = try HeldFolder(HeldFolder.parent(of: path))
    let name = HeldFolder.name(of: path)
    // The provider may run as another user. After a power cut nobody reads the file, so it is not flushed.
    try folder.make("\(name).new", Array(text.utf8), mode: 0o644, isExact: true, isFlushed: false)
    try folder.rename("\(name).new", to: name)
  }

  func clockMoved() {
    do throws(HeldFolder.Fault) {
      try write()
    } catch {
      logger.error("the clock file \(path) cannot be written, and shows an earlier time: \(error)")
    }
  }

  /// The time in libfaketime's format, in UTC. From such a time on, the library's clock runs until the next one.
  var text: String {
    let parts = clock.now().wall.parts
    return "@\(parts.date) \(parts.time)\n"
  }
}
