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
        deskbell provider add old-shop --apps com.example.shop --password-file secret.txt
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

        With --password-file the provider uses the 2008 service: its user name is any of the apps, its password the \
        file's text without the line's end, of which the daemon keeps a hash only. A good one is made with
          openssl rand -base64 24
        A client certificate is pinned whole. It names its apps itself: as UID of its subject, or as Apple's do. Only the \
        certificate is sent to the daemon, not a key that its file may hold, too. One to try it with is made with
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 \\
            -subj /UID=com.example.shop -keyout shop.key -out shop.pem

        Examples:
          deskbell provider add shop --apps com.example.shop,com.example.stock \\
            --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key key.pem
          openssl rand -base64 24 | tee secret.txt | \\
            deskbell provider add old-shop --apps com.example.shop --password-file -
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
    @Option(
      help: ArgumentHelp("The file with the password for the 2008 service; - is standard input.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("The file with its client certificate, PEM.", valueName: "file"))
    var certificate: String?
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if let apps, splitList(apps).isEmpty { throw ValidationError("--apps names no app.") }
      let keysOptions = "--team, --key-id and --environment are a key's"
      let hasKeysOptions = team != nil || keyID != nil || environment != nil
      switch (key, passwordFile, certificate) {
      case (let key?, nil, nil):
        if apps == nil { throw ValidationError("--key needs --apps.") }
        if team == nil { throw ValidationError("--key needs --team.") }
        if keyID == nil && KeyFile.keyID(inNameOf: key) == nil {
          throw ValidationError("--key-id is missing, and the name '\(key)' does not tell it as AuthKey_….p8 does.")
        }
      case (nil, .some, nil):
        if apps == nil { throw ValidationError("--password-file needs --apps: they are its user names.") }
        if hasKeysOptions { throw ValidationError("\(keysOptions); a password needs --apps alone.") }
      case (nil, nil, .some):
        if hasKeysOptions { throw ValidationError("\(keysOptions); a certificate says all by itself.") }
      case (nil, nil, nil):
        throw ValidationError("Its credential is missing: --team and --key, --password-file, or --certificate.")
      default:
        throw ValidationError("A provider has one credential: --key, --password-file or --certificate.")
      }
    }

    func run() async throws {
      let apps = splitList(apps ?? "")
      let request: ProviderRequest
      if let passwordFile {
        request = ProviderRequest(apps: apps, password: try PasswordFile.password(at: passwordFile))
      } else if let certificate {
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
