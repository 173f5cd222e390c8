// deskbell serve: the daemon itself.

import ArgumentParser
import DeskbellDaemon

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Be the handset: take pushes, drive the board, play sounds.",
    discussion: """
      Runs until it is told to stop (Ctrl-C, SIGTERM). A device that is missing costs that device alone. \
      What is not given here comes from the configuration file, else from the defaults.

      Under systemd it tells when it is ready and that it lives, and listens at the sockets named push and control that \
      it is given; SIGHUP puts a renewed certificate of your own into service.

      Examples:
        deskbell serve --board simulated
        deskbell serve --board simulated --wav sounds-played --state ./state
        deskbell serve --board simulated --clock virtual --journal inputs.journal
        deskbell serve --config /etc/deskbell/deskbell.yaml
      """)

  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("A board file, or one of those that come along, by name.", valueName: "file|simulated"))
  var board: String?
  @Option(
    help: ArgumentHelp(
      "The state directory. Default: $DESKBELL_STATE, /var/lib/deskbell for root, else ~/.local/state/deskbell.",
      valueName: "dir"))
  var state: String?
  @Option(help: ArgumentHelp("Where providers send to; * is every address. Default: *:2197.", valueName: "host:port"))
  var listen: String?
  @Option(
    help: ArgumentHelp(
      "The control socket. Default: $DESKBELL_CONTROL, else control.sock in the state directory.", valueName: "socket"))
  var control: String?
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("A further name or address for the server's certificate; may be repeated.", valueName: "name"))
  var names: [String] = []
  @Option(
    help: ArgumentHelp(
      "Which of Apple's two push services to be; keys may be good for one of them. Default: production.",
      valueName: "development|production"))
  var environment: DaemonOptions.Environment?
  @Option(help: ArgumentHelp("The ALSA PCM to play on. Default: default.", valueName: "name"))
  var pcm: String?
  @Option(
    help: ArgumentHelp("Write sounds to this folder, a WAV file each, instead of playing them.", valueName: "dir"))
  var wav: String?
  @Option(
    help: ArgumentHelp(
      "The handset's clock. A virtual one stands still but for 'deskbell clock advance'.", valueName: "system|virtual"))
  var clock = DaemonOptions.ClockKind.system
  @Option(
    help: ArgumentHelp(
      "Record everything that happens to the handset to this file, for 'deskbell replay'. It holds what pushes say.",
      valueName: "file"))
  var journal: String?
  @Option(
    help: ArgumentHelp(
      "The least important that is logged, to standard error. No level logs a secret.",
      valueName: "error|warning|notice|info|debug"))
  var logLevel = DaemonOptions.LogLevel.notice

  func validate() throws {
    if pcm != nil && wav != nil {
      throw ValidationError("--pcm and --wav exclude each other: sounds have one place to go.")
    }
  }

  var options: DaemonOptions {
    DaemonOptions(
      config: config, board: board, state: state, listen: listen, control: control, names: names,
      environment: environment, pcm: pcm, wav: wav, clock: clock, journal: journal, logLevel: logLevel)
  }

  func run() async throws {
    try await Daemon.run(options)
  }
}

extension DaemonOptions.ClockKind: ExpressibleByArgument {}
extension DaemonOptions.LogLevel: ExpressibleByArgument {}
extension DaemonOptions.Environment: ExpressibleByArgument {}
