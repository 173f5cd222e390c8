import ArgumentParser
import CommandSupport
import DeskbellDaemon
import PushPort

struct FaultCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fault",
    abstract: "Make a test bench fail on purpose, as Apple's service or a network would.",
    discussion: """
      A fault is one action, and what limits it, as KEY=VALUE: the keys are those of scenario files and of the control \
      API. 'deskbell fault keys' lists them with their meanings. The first fault that matches a request wins. A fault \
      that never strikes is listed as such: a test that armed it did not test what it says.

      Only a test bench has faults: a desk's daemon refuses them.

      Examples:
        deskbell fault add name=busy answer=503 retry-after=2s pushes=1-2
        deskbell fault add cut=answer at=after-commit pushes=1
        deskbell fault add preset=expired-token-in-a-burst
        deskbell fault list
        deskbell fault remove busy
      """,
    subcommands: [Add.self, List.self, Remove.self, Presets.self, Keys.self],
    defaultSubcommand: List.self)

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a fault, behind those that there are.",
      discussion: """
        Examples:
          deskbell fault add answer=410 timestamp=1767225600000 pushes=1
          deskbell fault add goaway=no-error last-stream=previous pushes=5-5
          deskbell fault add streams=1 window=1
          deskbell fault add reset=refused-stream share=10% seed=7 for=1m
          deskbell fault add certificate=expired
        """)

    @Argument(help: ArgumentHelp("Keys and values: answer=503 pushes=1-2.", valueName: "key=value"))
    var words: [String]
    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func validate() throws { _ = try FaultCommand.words(words) }

    func run() async throws {
      let fault = try await control.client().addFault(FaultCommand.words(words))
      try json.print(fault) { fault in
        ([fault.name] + (fault.more ?? [])).map { "\($0) is armed" }.joined(separator: "\n")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the faults, and how often they struck.",
      discussion: """
        Examples:
          deskbell fault list
          deskbell fault list --json
        """)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().faults()) { FaultCommand.table($0) ?? "No fault is armed." }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove faults.",
      discussion: """
        Examples:
          deskbell fault remove busy
          deskbell fault remove --all
        """)

    @Argument(help: ArgumentHelp("The faults' names.", valueName: "name"))
    var names: [String] = []
    @Flag(help: "Remove all of them.")
    var all = false
    @OptionGroup var control: ControlOptions

    func validate() throws {
      guard names.isEmpty == all else { throw ValidationError("Expected names of faults, or --all.") }
    }

    func run() async throws {
      let client = try control.client()
      if all { try await client.removeFaults() }
      for name in names { try await client.removeFault(name) }
    }
  }

  struct Presets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "presets", abstract: "List known habits of Apple's service, with their sources.",
      discussion: """
        Examples:
          deskbell fault presets
          deskbell fault add preset=too-many-token-updates pushes=3
        """)

    @OptionGroup var json: JSONOption
    @OptionGroup var control: ControlOptions

    func run() async throws {
      try json.print(await control.client().faultPresets()) { presets in
        presets.map { "\($0.name)\n  \($0.description)\n  Source: \($0.source)" }.joined(separator: "\n")
      }
    }
  }

  struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keys", abstract: "List the keys of a fault with their meanings.",
      discussion: """
        Examples:
          deskbell fault keys
        """)

    func run() throws { try Output.line(CommandSupport.table(FaultWord.allCases.map { [$0.rawValue, $0.meaning] })) }
  }

  /// - Throws: `ValidationError` for a word without a value, or a key twice.
  fileprivate static func words(_ arguments: [String]) throws -> [String: String] {
    var words: [String: String] = [:]
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ValidationError("'\(argument)' has no value. Expected KEY=VALUE, such as answer=503.")
      }
      guard words.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
        throw ValidationError("There are two values of '\(parts[0])'.")
      }
    }
    return words
  }

  static func table(_ list: FaultList) -> String? {
    CommandSupport.table(
      ["NAME", "FAULT", "ARMED", "HITS"],
      list.faults.map { fault in
        let words = fault.words.filter { $0.key != "name" }.sorted { $0.key < $1.key }
        return [
          oneLine(fault.name), oneLine(words.map { "\($0.key)=\($0.value)" }.joined(separator: " ")),
          fault.armed ? "yes" : "ended", fault.hits == 0 ? "never struck" : "\(fault.hits)",
        ]
      })
  }
}
