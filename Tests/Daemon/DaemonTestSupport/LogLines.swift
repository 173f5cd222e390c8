import Logging
import Synchronization

/// The logged lines: warnings and errors, or from another level on.
public final class LogLines: Sendable {
  private let lines = Mutex<[(level: Logger.Level, text: String, fields: [String: String])]>([])
  private let level: Logger.Level

  public var all: [String] { lines.withLock { $0.map(\.text) } }

  /// The metadata of the lines.
  public var fields: [[String: String]] { lines.withLock { $0.map(\.fields) } }

  public init(from level: Logger.Level = .warning) { self.level = level }

  public var logger: Logger { Logger(label: "test") { _ in Handler(lines: self, logLevel: self.level) } }

  /// Removes and returns the lines, each after its level.
  public func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines.map { "\($0.level) \($0.text)" }
    }
  }

  private func add(_ event: LogEvent) {
    let fields = (event.metadata ?? [:]).mapValues { "\($0)" }
    lines.withLock { $0.append((event.level, "\(event.message)", fields)) }
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add(event) }
  }
}
