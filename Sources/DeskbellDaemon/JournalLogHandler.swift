// Logs go to standard error: with the journal's levels where systemd reads it, in plain words where a person does.

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

  /// A message is one line, whatever foreign text is in it.
  static func line(_ message: String, _ metadata: Logger.Metadata, prefix: String) -> String {
    let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)".onOneLine }.joined()
    return "\(prefix)\(message.onOneLine)\(fields)\n"
  }
}

extension Logger.Level {
  /// As syslog(3) numbers them.
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

/// Writes the text to the descriptor as far as it is accepted. That standard error is closed cannot be reported.
/// - Returns: whether all of it was.
@discardableResult
public func write(_ text: String, to descriptor: CInt) -> Bool {
  (try? writeAll(text.utf8.span.bytes, to: descriptor)) != nil
}
