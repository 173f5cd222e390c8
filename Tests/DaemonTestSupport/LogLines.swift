// What code under test logs.

import Logging
import Synchronization

/// The warnings and errors that were logged.
public final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  public var all: [String] { lines.withLock(\.self) }

  public init() {}

  public var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

  private func add(_ line: String) { lines.withLock { $0.append(line) } }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    init(lines: LogLines) { self.lines = lines }

    func log(event: LogEvent) {
      lines.add("\(event.message)")
    }
  }
}
