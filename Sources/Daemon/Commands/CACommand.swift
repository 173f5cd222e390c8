import ArgumentParser
import CommandSupport

struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Print the certificate authority's certificate as PEM, or create a new authority.",
    discussion: """
      Examples:
        deskbell ca > ca.pem
        curl --http2 --cacert ca.pem …
        deskbell ca --pin
      """,
    subcommands: [Show.self, Renew.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the certificate authority's certificate as PEM.",
      discussion: """
        A client that pins the server's key needs no authority. The pin is the SHA-256 of the key's SubjectPublicKeyInfo. \
        Renewed certificates keep the key; 'deskbell ca renew' replaces it.

        Examples:
          deskbell ca > ca.pem
          curl --insecure --pinnedpubkey "$(deskbell ca --pin)" …
        """)

    @Flag(help: "Print the pin of the server's key instead, as curl's --pinnedpubkey takes it.")
    var pin = false
    @Flag(help: "With --pin: print JSON, with the server's certificate and its names.")
    var json = false
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if json && !pin { throw ValidationError("--json needs --pin; the certificate alone is PEM") }
    }

    func run() async throws {
      let client = try control.client()
      if pin {
        let report = try await client.certificate()
        if json { return try Output.json(report) }
        guard let pin = report.pin else {
          throw Failure(
            "the server's certificate has no key that can be pinned", hint: "deskbell ca prints the authority")
        }
        return try Output.line(pin)
      }
      let pem = try await client.certificateAuthority()
      try Output.line(pem.last == "\n" ? String(pem.dropLast()) : pem)
    }
  }

  struct Renew: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "renew",
      abstract: "Create a new certificate authority; every client then needs its certificate.",
      discussion: """
        For an authority that has expired, or whose key may have leaked. The daemon never renews it by itself. The old \
        authority is kept beside the new one; open connections continue.

        Example:
          deskbell ca renew && deskbell ca > ca.pem
        """)

    @OptionGroup var options: DaemonQuery

    func run() async throws {
      let report = try await options.client().renewCertificateAuthority()
      if options.json.isWanted { return try Output.json(report) }
      try Output.line("created a new certificate authority; give its certificate to every client: deskbell ca > ca.pem")
      if !report.replaced.isEmpty {
        try Output.line("the old authority is kept: \(report.replaced.joined(separator: ", "))")
      }
    }
  }
}
