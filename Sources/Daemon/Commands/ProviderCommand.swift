import ArgumentParser
import CommandSupport
import DeskbellDaemon
import PushPort

struct ProviderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provider",
    abstract: "Manage providers and the apps they may push to.",
    discussion: """
      Examples:
        deskbell provider add shop --apps com.example.shop \\
          --team A1B2C3D4E5 --key AuthKey_F6G7H8J9K0.p8
        deskbell provider add old --apps com.example.shop --password-file secret.txt
        deskbell provider add shop-by-certificate --certificate shop.pem
        deskbell provider list
        deskbell provider remove shop
      """,
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a provider, or replace the one with that name.",
      discussion: """
        The key is an EC P-256 key as PEM. The daemon stores only its public half. To create one:
          openssl ecparam -name prime256v1 -genkey -noout -out key.pem

        With --password-file the provider uses the 2008 service. Its user name is the app's identifier, its password \
        is the file's first line; the daemon stores only a hash. To create one:
          openssl rand -base64 24

        A client certificate is pinned as a whole. It names its apps by the UID of its subject or by Apple's \
        extension. A private key in the same file is not sent to the daemon. To create one for tests:
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
            -days 365 -subj /UID=com.example.shop -keyout shop.key -out shop.pem

        Examples:
          deskbell provider add shop --apps com.example.shop,com.example.stock \\
            --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key key.pem
          openssl rand -base64 24 | tee secret.txt | \\
            deskbell provider add old-shop --apps com.example.shop --password-file -
          deskbell provider add tests --apps com.example.shop \\
            --environment development --team A1B2C3D4E5 --key AuthKey_L1M2N3P4Q5.p8
          deskbell provider add shop-by-certificate --certificate shop.pem
        """)

    @Argument(help: ArgumentHelp("The provider's name.", valueName: "name"), completion: .providers)
    var name: String
    @Option(
      help: ArgumentHelp(
        "The apps it may push to, separated by commas. Default with --certificate: all apps in the certificate.",
        valueName: "app,app"))
    var apps: String?
    @Option(help: ArgumentHelp("The team identifier, 10 letters and digits (iss in tokens).", valueName: "team"))
    var team: String?
    @Option(
      help: "The key identifier, 10 letters and digits (kid in tokens). Default: from the file name AuthKey_….p8.")
    var keyID: String?
    @Option(help: ArgumentHelp("A file with the key, private or public.", valueName: "file"))
    var key: String?
    @Option(
      help: ArgumentHelp(
        "The Apple push environment the key is valid for. Default: both.",
        valueName: "development|production|both"))
    var environment: CredentialEnvironment?
    @Option(
      help: ArgumentHelp("A file with the password for the 2008 service; - reads standard input.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("A file with the client certificate, PEM.", valueName: "file"))
    var certificate: String?
    @OptionGroup var options: DaemonQuery

    func validate() throws {
      if let apps, splitList(apps).isEmpty { throw ValidationError("--apps names no app.") }
      let keysOptions = "--team, --key-id and --environment are a key's"
      let hasKeysOptions = team != nil || keyID != nil || environment != nil
      switch (key, passwordFile, certificate) {
      case (let key?, nil, nil):
        if apps == nil { throw ValidationError("--key needs --apps.") }
        if team == nil { throw ValidationError("--key needs --team.") }
        if keyID == nil && KeyFile.keyID(inNameOf: key) == nil {
          throw ValidationError("--key-id is missing, and the file name '\(key)' is not of the form AuthKey_….p8.")
        }
      case (nil, .some, nil):
        if apps == nil { throw ValidationError("--password-file needs --apps: they are its user names.") }
        if hasKeysOptions { throw ValidationError("\(keysOptions); a password needs --apps alone.") }
      case (nil, nil, .some):
        if hasKeysOptions { throw ValidationError("\(keysOptions); a certificate needs none of them.") }
      case (nil, nil, nil):
        throw ValidationError("Its credential is missing: --team and --key, --password-file, or --certificate.")
      default:
        throw ValidationError("A provider has one credential: --key, --password-file or --certificate.")
      }
    }

    func run() async throws {
      var request = ProviderRequest(apps: splitList(apps ?? ""))
      request.password = try passwordFile.map(PasswordFile.password(at:))
      request.certificate = try certificate.map(KeyFile.certificates(at:))?.first
      request.key = try key.map(KeyFile.publicPEM(at:))
      request.teamID = team
      request.keyID = keyID ?? key.flatMap(KeyFile.keyID(inNameOf:))
      request.environment = environment?.rawValue
      try options.json.print(await options.client().setProvider(name, request), ProviderCommand.added)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the providers.")
    @OptionGroup var options: DaemonQuery

    func run() async throws { try options.json.print(await options.client().providers(), ProviderCommand.list) }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a provider.")
    @Argument(help: ArgumentHelp("The provider's name.", valueName: "name"), completion: .providers)
    var name: String
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try await control.client().removeProvider(name)
      try Output.line("Removed provider \(name).")
    }
  }

  static func list(_ providers: [ProviderReport]) -> String {
    let rows = providers.map { provider in
      [provider.name, credential(of: provider), provider.environment ?? "", provider.apps.joined(separator: ", ")]
    }
    return table(["NAME", "CREDENTIAL", "ENVIRONMENT", "APPS"], rows)
      ?? "no provider has been added; deskbell provider add --help shows how"
  }

  private static func credential(of provider: ProviderReport) -> String {
    if let certificate = provider.certificate { return "certificate \(certificate.fingerprint.prefix(16))…" }
    return [provider.credential, provider.teamID, provider.keyID].compactMap(\.self).joined(separator: " ")
  }

  static func added(_ provider: ProviderReport) -> String {
    "\(provider.name) may push to \(provider.apps.joined(separator: ", "))"
  }
}

extension CredentialEnvironment: ExpressibleByArgument {}
