// deskbell ca: what a provider has to trust.

import ArgumentParser

struct CACommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Print the certificate authority's certificate as PEM.",
    discussion: """
      Example:
        deskbell ca > ca.pem
        curl --http2 --cacert ca.pem …
      """)

  @OptionGroup var control: ControlOptions

  func run() async throws {
    let pem = try await control.client().certificateAuthority()
    try Output.line(pem.last == "\n" ? String(pem.dropLast()) : pem)
  }
}
