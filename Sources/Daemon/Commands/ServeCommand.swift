import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore
import PushPort

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the daemon: receive pushes, drive the board, play sounds.",
    discussion: """
      Runs until Ctrl-C or SIGTERM. If a device is missing, everything else still works. Every option is optional; \
      command-line options override the configuration file.

      Under systemd it reports readiness and feeds the watchdog, and it accepts the sockets named push and control. \
      SIGHUP reloads your own certificate after its renewal.

      Examples:
        deskbell serve --board simulated
        deskbell serve --board simulated --display max7219
        deskbell serve --board simulated --wav sounds-played --state ./state
        deskbell serve --board simulated --clock virtual --record inputs.jsonl
        deskbell serve --clock virtual --all --clock-start 2026-01-01T00:00:00Z --clock-file now
        deskbell serve --config desk.yaml
      """)

  @Option(
    help: ArgumentHelp(
      "The configuration file, or none. Default: /etc/deskbell/deskbell.yaml for root, else "
        + "~/.config/deskbell/deskbell.yaml, where it is.", valueName: "file|none"))
  var config: String?
  @Option(help: ArgumentHelp("A board file, or the name of a shipped one.", valueName: "file|simulated"))
  var board: String?
  @Option(
    help: ArgumentHelp("A display file, or the name of a shipped one. Default: the board's.", valueName: "file|name"))
  var display: String?
  @Option(
    help: ArgumentHelp(
      "The web panel's address, or off. Access from other machines requires TLS and a password. Default: 127.0.0.1:2198.",
      valueName: "host:port|off"))
  var panel: String?
  @Option(
    help: ArgumentHelp(
      "The control socket. Default: $DESKBELL_CONTROL, else control.sock in the state directory.", valueName: "socket"))
  var control: String?
  @Option(help: ArgumentHelp("The ALSA PCM to play on. Default: default.", valueName: "name"))
  var pcm: String?
  @Option(
    help: ArgumentHelp("Write each sound to a WAV file in this folder instead of playing it.", valueName: "dir"))
  var wav: String?
  @Option(
    help: ArgumentHelp(
      "The handset's clock. A virtual clock moves only by 'deskbell clock advance'.", valueName: "system|virtual"))
  var clock = DaemonOptions.ClockKind.system
  @Flag(
    name: .customLong("all"),
    help: "With --clock virtual: provider tokens, rates, certificates, retries and the log follow that clock too.")
  var joinsClocks = false
  @Option(
    help: ArgumentHelp(
      "With --clock virtual: the time to start at, in UTC: 2026-01-01T00:00:00Z. Default: the stored time, else now.",
      valueName: "time"),
    transform: ServeCommand.clockStart)
  var clockStart: WallTime?
  @Option(
    help: ArgumentHelp(
      "With --clock virtual: write its time to this file at each step, for a provider under libfaketime.",
      valueName: "file"))
  var clockFile: String?
  @Option(
    help: ArgumentHelp(
      "Record all inputs to this file, for 'deskbell replay'. It contains the payloads of pushes.",
      valueName: "file"))
  var record: String?
  /// The name of `--record` before 0.8.
  @Option(help: ArgumentHelp(visibility: .private))
  var journal: String?
  @OptionGroup(visibility: .private) var bench: ServedBenchOptions
  @OptionGroup var port: PortOptions

  func validate() throws {
    if pcm != nil && wav != nil {
      throw ValidationError("--pcm and --wav cannot be combined.")
    }
    if let problem = options.clockProblem { throw ValidationError(problem) }
  }

  private static func clockStart(_ text: String) throws -> WallTime {
    guard let time = WallTime(utc: text) else {
      throw ValidationError("expected a time in UTC, such as 2026-01-01T00:00:00Z")
    }
    return time
  }

  var options: DaemonOptions {
    let file = config ?? SettingsFile.standing(Environment.ofProcess)
    var options = port.options(config: file == "none" ? nil : file)
    (options.board, options.display, options.panel, options.control) = (board, display, panel, control)
    (options.pcm, options.wav, options.clock, options.record) = (pcm, wav, clock, record ?? journal)
    (options.joinsClocks, options.clockStart, options.clockFile) = (joinsClocks, clockStart, clockFile)
    options.bench = bench.settings
    return options
  }

  func run() async throws {
    try await Daemon.run(options)
  }
}

/// The options that make the daemon a test bench: for `deskbell bench`, which starts one. No settings file has them, so
/// that no desk becomes a bench by mistake.
struct ServedBenchOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(visibility: .private))
  var bench = false
  /// A folder of the bench's own, which is removed at the end.
  @Option(help: ArgumentHelp(visibility: .private))
  var benchFolder: String?
  /// The number of handsets.
  @Option(help: ArgumentHelp(visibility: .private))
  var benchHandsets = 1
  /// Ends the daemon with its standard input.
  @Flag(help: ArgumentHelp(visibility: .private))
  var benchUntilEOF = false

  var settings: BenchSettings? {
    guard bench else { return nil }
    var settings = BenchSettings()
    (settings.folder, settings.handsets, settings.endsWithInput) = (benchFolder, benchHandsets, benchUntilEOF)
    return settings
  }
}

/// The options of every daemon with a push port: `serve` and `gateway`.
struct PortOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The state directory. Default: $DESKBELL_STATE, /var/lib/deskbell for root, else ~/.local/state/deskbell.",
      valueName: "dir"))
  var state: String?
  @Option(help: ArgumentHelp("The address for pushes; * = all interfaces. Default: *:2197.", valueName: "host:port"))
  var listen: String?
  @Option(
    name: .customLong("name"), help: "An additional name or address for the server's certificate; may be repeated.")
  var names: [String] = []
  @Option(
    help: ArgumentHelp(
      "The Apple push environment to act as. Default: production.",
      valueName: "development|production"))
  var environment: PushEnvironment?
  @Option(
    help: ArgumentHelp(
      "The log level, to standard error. No level logs secrets.",
      valueName: "error|warning|notice|info|debug"))
  var logLevel = DaemonOptions.LogLevel.notice

  func options(config: String?) -> DaemonOptions {
    var options = DaemonOptions(config: config)
    (options.state, options.listen, options.names) = (state, listen, names)
    (options.environment, options.logLevel) = (environment, logLevel)
    return options
  }
}

extension DaemonOptions.ClockKind: ExpressibleByArgument {}
extension DaemonOptions.LogLevel: ExpressibleByArgument {}
