import ArgumentParser
import DeskbellDaemon
import FleetCommands

/// The root of the commands. Each has a file in this folder, with the words of its output.
struct Deskbell: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deskbell",
    abstract: "A desk bell that rings when a push notification arrives.",
    discussion: """
      See it, without a board:
        deskbell demo
      Run it, install an app, and push to it:
        deskbell serve --board simulated
        deskbell app install mailroom
        deskbell push com.example.mailroom --title 'A letter' --badge 1
      Ring it from another machine with curl, and when a command ends:
        deskbell app new parcels
        deskbell topic add parcels --app home.parcels
        deskbell run make test

      Exit codes: 0 done, 1 refused or failed, 2 usage, 3 no daemon is running.
      """,
    version: Daemon.version,
    subcommands: [ReferenceCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Setup",
        subcommands: [
          DemoCommand.self, SetupCommand.self, BoardCommand.self, ServeCommand.self, PanelCommand.self,
          DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
        ]),
      CommandGroup(
        name: "Push",
        subcommands: [
          PushCommand.self, RunCommand.self, MailCommand.self, TopicCommand.self, HookCommand.self,
          ProviderCommand.self, ChannelCommand.self, CACommand.self,
        ]),
      CommandGroup(
        name: "Test bench",
        subcommands: [
          BenchCommand.self, RequestsCommand.self, FaultCommand.self, LintCommand.self, ScenarioCommand.self,
        ]),
      CommandGroup(name: "Fleet", subcommands: [FleetCommand.self, GatewayCommand.self]),
      CommandGroup(
        name: "Handset",
        subcommands: [
          AppCommand.self, SettingsCommand.self, ConditionsCommand.self, CenterCommand.self, PressCommand.self,
          FocusCommand.self, SnoozeCommand.self, FetchCommand.self, SoundCommand.self, LocalCommand.self,
          ActivityCommand.self, HandsetsCommand.self,
        ]),
      CommandGroup(
        name: "Inspection",
        subcommands: [
          StateCommand.self, EventsCommand.self, ExplainCommand.self, DeliveryLogCommand.self, MetricsCommand.self,
          ClockCommand.self, ReplayCommand.self, CheckCommand.self, OpenAPICommand.self,
        ]),
    ])
}
