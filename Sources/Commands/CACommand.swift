// deskbell ca: what a provider has to trust.

import ArgumentParser
import ControlAPI

struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Print the certificate authority's certificate as PEM; or make a new authority.",
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
      abstract: "Make a new certificate authority, which every client must then be given.",
      discussion: """
        For an authority that has ended, or whose key somebody else may have. The daemon never does it by itself. The \
        one before is kept beside the new one; connections that are open go on.

        Example:
          deskbell ca renew && deskbell ca > ca.pem
        """)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      let report = try await control.client().renewCertificateAuthority()
      if json.isWanted { return try Output.json(report) }
      try Output.line("a new certificate authority; give it to every client: deskbell ca > ca.pem")
      if !report.replaced.isEmpty {
        try Output.line("the one before is kept: \(report.replaced.joined(separator: ", "))")
      }
    }
  }
}
