import ArgumentParser
import CommandSupport
import DeskbellDaemon
import PushPort

struct GatewayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "Run a gateway of a fleet: receive pushes for many desks.",
    discussion: """
      Receives pushes like 'deskbell serve', and stores each in the fleet's NATS servers before it answers. The desks \
      take them from there. It keeps nothing but its certificate, so run as many as you like behind one name.

      Until it has read the fleet's registry, and while the servers have no majority, it answers 503 with Retry-After.

      Examples:
        deskbell fleet add front --gateway
        deskbell gateway --config fleet/gateways/front/gateway.yaml
        deskbell gateway --config /etc/deskbell/gateway/gateway.yaml --listen '*:443'
      """)

  @Option(help: ArgumentHelp("The configuration file, with the key fleet.", valueName: "file"))
  var config: String
  @Option(
    help: ArgumentHelp(
      "The state directory, for the certificate. Default: $DESKBELL_STATE, /var/lib/deskbell for root.",
      valueName: "dir"))
  var state: String?
  @Option(help: ArgumentHelp("The address for pushes; * = all interfaces. Default: *:2197.", valueName: "host:port"))
  var listen: String?
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp(
      "An additional name or address for the server's certificate; may be repeated.", valueName: "name"))
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

  func run() async throws {
    var options = DaemonOptions(config: config)
    (options.state, options.listen, options.names) = (state, listen, names)
    (options.environment, options.logLevel) = (environment, logLevel)
    try await Daemon.runGateway(options)
  }
}
