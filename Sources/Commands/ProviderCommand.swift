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

        Example:
          deskbell provider add shop --apps com.example.shop,com.example.stock \\
            --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key key.pem
        """)

    @Argument(help: ArgumentHelp("What to call it.", valueName: "name"))
    var name: String
    @Option(help: ArgumentHelp("The apps it may push to, with commas.", valueName: "app,app"))
    var apps: String
    @Option(help: ArgumentHelp("Its team's identifier, 10 letters and digits: the token's iss.", valueName: "team"))
    var team: String
    @Option(
      help: ArgumentHelp(
        "The key's identifier, 10 letters and digits: the token's kid. Default: as in AuthKey_….p8, the key file's name.",
        valueName: "key-id"))
    var keyID: String?
    @Option(help: ArgumentHelp("The file with the key, private or public.", valueName: "file"))
    var key: String
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
      if splitList(apps).isEmpty { throw ValidationError("--apps names no app.") }
      if keyID == nil && KeyFile.keyID(inNameOf: key) == nil {
        throw ValidationError("--key-id is missing, and the name '\(key)' does not tell it as AuthKey_….p8 does.")
      }
    }

    func run() async throws {
      let request = ProviderRequest(
        apps: splitList(apps), teamID: team, keyID: keyID ?? KeyFile.keyID(inNameOf: key) ?? "",
        key: try KeyFile.pem(at: key))
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
