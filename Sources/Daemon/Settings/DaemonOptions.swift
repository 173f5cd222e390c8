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
  /// The path of a file to record all inputs to, for `Replay`.
  public var record: String?
  public var logLevel = LogLevel.notice
  /// True for a test bench, which records requests and may be made to fail.
  public var bench = false

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
