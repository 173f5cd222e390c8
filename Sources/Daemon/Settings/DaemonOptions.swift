import HandsetCore
import PushPort

/// The command line of `deskbell serve`. An option overrides the same key of the settings file.
public struct DaemonOptions: Sendable {
  public var config: String?
  /// The path of a board file, or the name of one that is shipped: `simulated`, `raspberry-pi-4`.
  public var board: String?
  /// The path of a display file, or the name of one that is shipped: `tm1637`; nil for the board's own.
  public var display: String?
  public var state: String?
  /// `HOST:PORT`; `*` for all addresses, port 0 for a free one.
  public var listen: String?
  /// The `HOST:PORT` of the web panel, or `off`.
  public var panel: String?
  public var control: String?
  /// Further names and addresses for the server's certificate.
  public var names: [String] = []
  public var environment: PushEnvironment?
  public var pcm: String?
  /// A folder to write sounds to, one WAV file each, instead of playing them.
  public var wav: String?
  public var clock = ClockKind.system
  /// True if credentials, rates and certificates follow the virtual clock too; false with the system's clock.
  public var joinsClocks = false
  /// The time at which a virtual clock starts; nil to go on, or to start at the real time.
  public var clockStart: WallTime?
  /// The path of a file that has the time of the virtual clock, for libfaketime.
  public var clockFile: String?
  /// The path of a file to record all inputs to, for `Replay`.
  public var record: String?
  public var logLevel = LogLevel.notice
  /// Makes the daemon a test bench; nil for a desk's.
  public var bench: BenchSettings?

  /// The lowest level that is logged, in syslog's terms.
  public enum LogLevel: String, Sendable, CaseIterable {
    case error, warning, notice, info
    /// Also logs every connection that fails: any client that reaches the port can fill a log with them.
    case debug
  }

  /// The source of the handset's time.
  public enum ClockKind: String, Sendable, CaseIterable {
    case system
    /// A clock that moves only by `deskbell clock advance`.
    case virtual
  }
}

extension DaemonOptions {
  /// The earliest and the latest time at which a virtual clock may start. An earlier one counts as not set.
  static let clockStarts = Policy.earliestWallTime...WallTime(seconds: 7_258_118_400)

  /// The reason why the options of the clock do not go together; nil if they do.
  public var clockProblem: String? {
    if clock == .system {
      let others = [
        joinsClocks ? "--all" : nil, clockStart.map { _ in "--clock-start" }, clockFile.map { _ in "--clock-file" },
      ].compactMap(\.self)
      guard let first = others.first else { return nil }
      return "\(first) needs a virtual clock: add --clock virtual."
    }
    let starts = DaemonOptions.clockStarts
    if let clockStart, !starts.contains(clockStart) {
      return "--clock-start is between \(starts.lowerBound.utc) and \(starts.upperBound.utc), not \(clockStart.utc)."
    }
    return nil
  }

  public init(config path: String?) {
    self.init()
    config = path
  }
}

/// The reason why the daemon could not start or had to end. The description is for the user, and names the remedy.
public struct DaemonError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
