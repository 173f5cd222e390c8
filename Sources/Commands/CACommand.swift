import ArgumentParser
import ControlAPI

struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Print the certificate authority's certificate as PEM, or create a new authority.",
    discussion: """
      Example:
        deskbell ca > ca.pem
        curl --http2 --cacert ca.pem …
      """,
    subcommands: [Show.self, Renew.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the certificate authority's certificate as PEM.",
      discussion: """
        Example:
          deskbell ca > ca.pem
        """)

    @OptionGroup var control: ControlOptions

    func run() async throws {
      let pem = try await control.client().certificateAuthority()
      try Output.line(pem.last == "\n" ? String(pem.dropLast()) : pem)
    }
  }

  struct Renew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a new certificate authority; every client then needs its certificate.",
      discussion: """
        For an authority that has expired, or whose key may have leaked. The daemon never renews it by itself. The old \
        authority is kept beside the new one; open connections continue.

        Example:
          deskbell ca renew && deskbell ca > ca.pem
        """)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      let report = try await control.client().renewCertificateAuthority()
      if json.isWanted { return try Output.json(report) }
      try Output.line("created a new certificate authority; give its certificate to every client: deskbell ca > ca.pem")
      if !report.replaced.isEmpty {
        try Output.line("the old authority is kept: \(report.replaced.joined(separator: ", "))")
      }
    }
  }
}
