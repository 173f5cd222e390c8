import ArgumentParser
import CommandSupport

struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "Print Prometheus metrics, or create a scrape token.",
    discussion: """
      Examples:
        deskbell metrics | grep deskbell_pushes_total
        deskbell metrics token
        deskbell metrics token --revoke
      """,
    subcommands: [Show.self, Token.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the metrics in Prometheus' text format.",
      discussion: """
        Examples:
          deskbell metrics
          deskbell metrics show | grep deskbell_device_works
        """)

    @OptionGroup var control: ControlOptions

    func run() async throws {
      let text = try await control.client().metrics()
      // The last line already has its end.
      try Output.line(String(text.dropLast()))
    }
  }

  struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Print a new token for GET /metrics at the panel's port.",
      discussion: """
        It replaces the previous token. Only its digest is stored, so it is printed once.

        Examples:
          deskbell metrics token > /etc/prometheus/deskbell.token
          deskbell metrics token --json
          deskbell metrics token --revoke
        """)

    @Flag(help: "Revoke the token. Then the metrics are on the control socket only.")
    var revoke = false
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let client = try options.client()
      if revoke {
        try await client.revokeMetricsToken()
        return try options.json.print(["revoked": true]) { _ in
          "the metrics have no token; they are on the control socket only"
        }
      }
      let report = try await client.makeMetricsToken()
      try options.json.print(report) { $0.token }
      guard !options.json.isWanted else { return }
      Output.complaint(
        report.url.map { "the metrics are at \($0); send Authorization: Bearer TOKEN" }
          ?? "the web panel is off, and with it GET /metrics; deskbell serve --panel HOST:PORT turns it on")
    }
  }
}
