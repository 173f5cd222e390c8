// The root of the commands. Each is a file beside this one; what they print is in Words.

import ArgumentParser
import DeskbellDaemon

struct Deskbell: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deskbell",
    abstract: "A bell on a desk that pushes ring: the handset that push notifications come to.",
    discussion: """
      Start the appliance, on a simulated board where there is no real one:
        deskbell serve --board simulated
      Install an app, let it register, and ring:
        deskbell app install examples/mailroom
        deskbell app register com.example.mailroom
        deskbell push com.example.mailroom --title 'A letter' --badge 1

      Exit codes: 0 done, 1 refused or failed, 2 usage, 3 no daemon there.
      """,
    version: Daemon.version,
    subcommands: [
      ServeCommand.self, CACommand.self, AppCommand.self, ProviderCommand.self, PushCommand.self, StateCommand.self,
      EventsCommand.self, ExplainCommand.self, SettingsCommand.self, ConditionsCommand.self, CenterCommand.self,
      PressCommand.self, SoundCommand.self, LocalCommand.self, ClockCommand.self, ReplayCommand.self, CheckCommand.self,
      SetupCommand.self, DoctorCommand.self,
    ])
}
