import ArgumentParser
import CommandSupport
import DeskbellDaemon

struct HookCommand: ParsableCommand, KeyedCommand {
  static let way = KeyKind.hook
  static let renewal = "Give a hook a new address; the old one becomes invalid."
  static let example = "ci"

  static let configuration = CommandConfiguration(
    commandName: "hook",
    abstract: "Manage hooks: addresses that services call to ring an app.",
    discussion: """
      A hook takes plain text, a form or any JSON. A template makes a title and a text from it. There are \
      templates for GitHub, Gitea, Forgejo, GitLab, Grafana, Alertmanager, Uptime Kuma, Healthchecks, Slack, Discord, \
      Sonarr, Radarr and Proxmox; the settings file can add more. The address is the access key: anyone who has it can \
      ring the bell. It is shown once.

      Examples:
        deskbell hook add ci --app com.example.mailroom --template github
        deskbell hook list
        deskbell hook templates
        deskbell hook key ci
        deskbell hook remove ci
      """,
    subcommands: [
      Add.self, KeyListCommand<HookCommand>.self, Templates.self, KeyRenewCommand<HookCommand>.self,
      KeyRemoveCommand<HookCommand>.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a hook, or change its app or template.",
      discussion: """
        Prints its address. An existing hook keeps its address.

        Examples:
          deskbell hook add backup --app com.example.mailroom
          deskbell hook add ci --app com.example.mailroom --template github
        """)

    @Argument(help: ArgumentHelp("The hook's name.", valueName: "name"))
    var name: String
    @OptionGroup var opens: KeyedOptions
    @Option(help: ArgumentHelp("The template that reads requests. Default: plain.", valueName: "template"))
    var template: String?
    @OptionGroup var output: KeyOutputOptions
    @OptionGroup var control: ControlOptions

    func run() async throws {
      var request = opens.request
      request.template = template
      try output.print(await control.client().setKey(.hook, name, request))
    }
  }

  struct Templates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "templates", abstract: "List the templates.")
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().hookTemplates()) { $0.joined(separator: "\n") }
    }
  }
}
