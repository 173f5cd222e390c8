import ArgumentParser
import DeskbellDaemon

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
  @OptionGroup var port: PortOptions

  func run() async throws {
    try await Daemon.runGateway(port.options(config: config))
  }
}
