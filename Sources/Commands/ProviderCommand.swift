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

        Examples:
          deskbell provider add shop --apps com.example.shop,com.example.stock \\
            --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key key.pem
          openssl rand -base64 24 | tee secret.txt | \
            deskbell provider add old-shop --apps com.example.shop --password-file -
        """)

    @Argument(help: ArgumentHelp("What to call it.", valueName: "name"))
    var name: String
    @Option(help: ArgumentHelp("The apps it may push to, with commas.", valueName: "app,app"))
    var apps: String
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
      help: ArgumentHelp("The file with the password for the 2008 service; - is standard input.", valueName: "file"))
    var passwordFile: String?
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if splitList(apps).isEmpty { throw ValidationError("--apps names no app.") }
      if passwordFile != nil {
        guard team == nil && keyID == nil && key == nil else {
          throw ValidationError("A provider has one credential: --team, --key-id and --key, or --password-file.")
        }
        return
      }
      guard let key else { throw ValidationError("Its credential is missing: --team and --key, or --password-file.") }
      if team == nil { throw ValidationError("--key needs --team.") }
      if keyID == nil && KeyFile.keyID(inNameOf: key) == nil {
        throw ValidationError("--key-id is missing, and the name '\(key)' does not tell it as AuthKey_….p8 does.")
      }
    }

    func run() async throws {
      let request: ProviderRequest
      if let passwordFile {
        request = ProviderRequest(apps: splitList(apps), password: try PasswordFile.password(at: passwordFile))
      } else {
        let key = key ?? ""
        request = ProviderRequest(
          apps: splitList(apps), teamID: team ?? "", keyID: keyID ?? KeyFile.keyID(inNameOf: key) ?? "",
          key: try KeyFile.pem(at: key))
      }
      let provider = try await control.client().setProvider(name, request)
      if json.isWanted { try Output.json(provider) } else { try Output.line(ProviderWords.added(provider)) }
    }
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
