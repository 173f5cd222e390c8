// Lines of the log have no time of their own: the journal stamps them by the machine's clock. A bench compares them with
// events and with a provider's log, which follow the virtual clock.

import Clocks
import HandsetCore
import Logging

extension Logger {
  /// Returns a logger whose lines end with the time of a virtual clock: `time=2026-01-01T00:45:00Z`.
  func stamped(by clock: VirtualClock) -> Logger {
    Logger(label: label) { _ in StampedLog(self, clock) }
  }
}

private struct StampedLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  private let log: Logger
  private let clock: VirtualClock

  init(_ log: Logger, _ clock: VirtualClock) {
    (self.log, self.clock, logLevel) = (log, clock, log.logLevel)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
    fields["time"] = "\(clock.now().wall.utc)"
    log.log(level: event.level, event.message, metadata: fields)
  }
}
