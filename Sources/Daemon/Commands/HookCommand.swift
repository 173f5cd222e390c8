import ArgumentParser
import DeskbellDaemon

struct HookCommand: ParsableCommand, KeyedCommand {
  static let way = KeyKind.hook

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

    func run() async throws {
      let request = KeyRequest(app: opens.app, handset: opens.handset, template: template)
      try await output.show { try await $0.setKey(.hook, name, request) }
    }
  }

  struct Templates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "templates", abstract: "List the templates.")
    @OptionGroup var options: DaemonQuery

    func run() async throws {
      try options.json.print(await options.client().hookTemplates()) { $0.joined(separator: "\n") }
    }
  }
}
