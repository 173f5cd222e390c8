// The root of the commands. Each is a file beside this one; what they print is in Words.

import ArgumentParser
import DeskbellDaemon

struct Deskbell: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A desk bell that rings when a push notification arrives.",
    discussion: """
      Start the daemon, on a simulated board if there is no real one:
        deskbell serve --board simulated
      Install an app, and push to it:
        deskbell app install examples/mailroom
        deskbell push com.example.mailroom --title 'A letter' --badge 1

      Ring it from another machine with curl, and when a command ends:
        deskbell app new parcels
        deskbell topic add parcels --app home.parcels
        deskbell run make test

      Exit codes: 0 done, 1 refused or failed, 2 usage, 3 no daemon is running.
      """,
    version: Daemon.version,
    subcommands: [
      DemoCommand.self, ServeCommand.self, CACommand.self, AppCommand.self, ProviderCommand.self, TopicCommand.self,
      HookCommand.self, PushCommand.self, RunCommand.self, PanelCommand.self,
      HandsetsCommand.self, StateCommand.self, MetricsCommand.self,
      EventsCommand.self, ExplainCommand.self, SettingsCommand.self, ConditionsCommand.self, CenterCommand.self,
      PressCommand.self, SnoozeCommand.self, SoundCommand.self, LocalCommand.self, ClockCommand.self,
      ReplayCommand.self, CheckCommand.self,
      SetupCommand.self, DoctorCommand.self,
    ])
}
