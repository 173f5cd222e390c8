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
    let prefix = isJournal ? "<\(event.level.journalPriority)>" : "deskbell: \(event.level): "
    let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
    write(JournalLogHandler.line("\(event.message)", fields, prefix: prefix), to: STDERR_FILENO)
  }

  /// Formats a message as one line, whatever foreign text it contains.
  static func line(_ message: String, _ metadata: Logger.Metadata, prefix: String) -> String {
    let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)".onOneLine }.joined()
    return "\(prefix)\(message.onOneLine)\(fields)\n"
  }
}

extension Logger.Level {
  fileprivate var journalPriority: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}
