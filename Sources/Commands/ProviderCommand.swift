// deskbell provider: who may push to which apps.

import ArgumentParser
import ControlAPI

struct ProviderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provider",
    abstract: "Say who may push to which apps.",
    discussion: """
      Examples:
        deskbell provider add shop --apps com.example.shop \\
          --team A1B2C3D4E5 --key AuthKey_F6G7H8J9K0.p8
        deskbell provider add shop-by-certificate --certificate shop.pem
        deskbell provider list
        deskbell provider remove shop
      """,
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a provider in, or put it in the place of the one of that name.",
      discussion: """
        The key is an EC P-256 key as PEM; of a private one the daemon keeps the public half only. A new one is made with
          openssl ecparam -name prime256v1 -genkey -noout -out key.pem

        A client certificate is pinned whole. It names its apps itself: as UID of its subject, or as Apple's do. Only the \
        certificate is sent to the daemon, not a key that its file may hold, too. One to try it with is made with
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 \\
            -subj /UID=com.example.shop -keyout shop.key -out shop.pem

        Examples:
          deskbell provider add shop --apps com.example.shop,com.example.stock \\
            --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key key.pem
          deskbell provider add tests --apps com.example.shop --environment development \\
            --team A1B2C3D4E5 --key AuthKey_L1M2N3P4Q5.p8
          deskbell provider add shop-by-certificate --certificate shop.pem
        """)

    @Argument(help: ArgumentHelp("What to call it.", valueName: "name"))
    var name: String
    @Option(
      help: ArgumentHelp(
        "The apps it may push to, with commas. Default with --certificate: all that the certificate names.",
        valueName: "app,app"))
    var apps: String?
    @Option(help: ArgumentHelp("Its team's identifier, 10 letters and digits: the token's iss.", valueName: "team"))
    var team: String?
    @Option(
      help: ArgumentHelp(
        "The key's identifier, 10 letters and digits: the token's kid. Default: as in AuthKey_….p8, the key file's name.",
        valueName: "key-id"))
    var keyID: String?
    @Option(help: ArgumentHelp("The file with the key, private or public.", valueName: "file"))
    var key: String?
    @Option(
      help: ArgumentHelp(
        "Which of Apple's two push services the key is good for. Default: both.",
        valueName: "development|production|both"))
    var environment: CredentialEnvironment?
    @Option(help: ArgumentHelp("The file with its client certificate, PEM.", valueName: "file"))
    var certificate: String?
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if let apps, splitList(apps).isEmpty { throw ValidationError("--apps names no app.") }
      switch (key, certificate) {
      case (let key?, nil):
        if apps == nil { throw ValidationError("--key needs --apps.") }
        if team == nil { throw ValidationError("--key needs --team.") }
        if keyID == nil && KeyFile.keyID(inNameOf: key) == nil {
          throw ValidationError("--key-id is missing, and the name '\(key)' does not tell it as AuthKey_….p8 does.")
        }
      case (nil, .some):
        if team != nil || keyID != nil || environment != nil {
          throw ValidationError("--team, --key-id and --environment are a key's; a certificate says all by itself.")
        }
      default:
        throw ValidationError("A provider has either --key or --certificate.")
      }
    }

    func run() async throws {
      let apps = splitList(apps ?? "")
      let request: ProviderRequest
      if let certificate {
        request = ProviderRequest(apps: apps, certificate: try CertificateFile.pem(at: certificate))
      } else {
        let key = key ?? ""
        request = ProviderRequest(
          apps: apps, teamID: team ?? "", keyID: keyID ?? KeyFile.keyID(inNameOf: key) ?? "",
          key: try KeyFile.pem(at: key), environment: environment?.rawValue)
      }
      let provider = try await control.client().setProvider(name, request)
      if json.isWanted { try Output.json(provider) } else { try Output.line(ProviderWords.added(provider)) }
    }
  }

  /// Which of Apple's two push services a key is good for.
  enum CredentialEnvironment: String, CaseIterable, ExpressibleByArgument {
    case development, production, both
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the providers.")
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      let providers = try await control.client().providers()
      if json.isWanted { try Output.json(providers) } else { try Output.line(ProviderWords.list(providers)) }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let a provider in no more.")
    @Argument(help: ArgumentHelp("What it is called.", valueName: "name"))
    var name: String
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try await control.client().removeProvider(name)
      try Output.line("\(name) may push no more")
    }
  }
}
