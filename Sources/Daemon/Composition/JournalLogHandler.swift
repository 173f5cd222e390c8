// Logs go to standard error: with the journal's levels if systemd reads it, otherwise in plain text.

import Glibc
import HandsetCore
import Logging
import ServiceManager
import SystemThreads

struct JournalLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .notice
  private let isJournal = ServiceManager.variableOfProcess("JOURNAL_STREAM") != nil

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let prefix = isJournal ? "<\(priorities[event.level] ?? 7)>" : "deskbell: \(event.level): "
    let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
    write(JournalLogHandler.line("\(event.message)", fields, prefix: prefix), to: STDERR_FILENO)
  }

  /// Formats a message as one line, whatever foreign text it contains.
  static func line(_ message: String, _ metadata: Logger.Metadata, prefix: String) -> String {
    let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)".onOneLine }.joined()
    return "\(prefix)\(message.onOneLine)\(fields)\n"
  }
}

/// The numbers of the levels in syslog(3).
private let priorities: [Logger.Level: Int] = [
  .critical: 2, .error: 3, .warning: 4, .notice: 5, .info: 6, .debug: 7, .trace: 7,
]
