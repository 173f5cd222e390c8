import ArgumentParser
import Testing

@testable import Commands

struct HelpTests {
  private static func all(below command: any ParsableCommand.Type = Deskbell.self) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { all(below: $0) }
  }

  /// Indented lines are to be copied: help that wraps them at 80 columns breaks the command.
  @Test func noExampleIsBrokenAt80Columns() {
    let commands = HelpTests.all()
    #expect(commands.count > 60)
    for command in commands {
      for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
        #expect(line.count <= 80, "\(command._commandName): \(line)")
      }
    }
  }

  /// For a command without a name the parser asks the runtime at each start: for all, an eighth of the start.
  @Test func everyCommandSaysItsName() {
    for command in HelpTests.all() { #expect(command.configuration.commandName != nil, "\(command)") }
  }

  @Test func everyCommandIsInOneGroup() {
    let groups = Deskbell.configuration.groupedSubcommands
    #expect(groups.map(\.name) == ["Setup", "Push", "Test bench", "Fleet", "Handset", "Inspection"])
    #expect(Deskbell.configuration.ungroupedSubcommands.allSatisfy { !$0.configuration.shouldDisplay })
    let names = groups.flatMap { $0.subcommands.map { $0._commandName } }
    #expect(Set(names).count == names.count)
  }

  @Test func aCompletionAsksTheDaemonThatTheLineNames() {
    let given = ControlOptions.named(in: ["deskbell", "push", "--control", "/tmp/a.sock", "--handset=desk-2", "com"])
    #expect(given.socket == "/tmp/a.sock")
    #expect(given.handset == "desk-2")
    let none = ControlOptions.named(in: ["deskbell", "push", "--control"])
    #expect(none.socket == nil)
    #expect(none.handset == nil)
  }
}
