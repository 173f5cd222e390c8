import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HandsetCore
import PushPort
import Synchronization
import SystemThreads

struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Test a push provider: start a daemon that accepts every push, for this test alone.",
    discussion: """
      Starts a daemon in a temporary folder, with a simulated board and a virtual clock, at free ports of this machine, \
      and prints where it is. It takes pushes for any topic and any device token: an app comes to be with its first push. \
      It accepts any provider token, and verifies those of the key that it prints. At the end it leaves nothing behind.

      The variables: BELL_URL, BELL_CA (the authority's certificate), BELL_KEY (a .p8), BELL_KEY_ID, BELL_TEAM_ID, \
      BELL_TOKEN (a device token), BELL_CONTROL (the control socket) and BELL_CLOCK (a file with the virtual time).

      Examples:
        deskbell bench
        deskbell bench --run pytest -x
        eval "$(deskbell bench --background)"
        deskbell bench --background --env-file "$GITHUB_ENV"
        deskbell bench reset
      """,
    subcommands: [Start.self, Reset.self], defaultSubcommand: Start.self)

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset",
      abstract: "Bring a running bench back to its start, but for its clock.",
      discussion: """
        Removes notifications, badges, held updates, settings, events, requests, faults and rates. Apps and device tokens \
        stay, and each app is registered for all kinds again. One that was installed from files keeps its manifest and \
        programs: 'deskbell app uninstall' removes them. With --handset only what concerns that one.

        Examples:
          deskbell bench reset
          deskbell bench reset --handset 2
        """)

    @OptionGroup var control: HandsetOptions

    func run() async throws {
      try await control.client().resetBench()
    }
  }

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start a bench.")

    @Option(help: ArgumentHelp("The number of handsets, named 1, 2, …: one for each test.", valueName: "number"))
    var handsets = 1
    @Option(
      help: ArgumentHelp(
        "virtual: time moves only by 'deskbell clock advance', and provider tokens follow it.",
        valueName: "system|virtual"))
    var clock = DaemonOptions.ClockKind.virtual
    @Option(
      help: ArgumentHelp("The time at which a virtual clock starts: 2026-01-01T00:00:00Z.", valueName: "time"))
    var clockStart: String?
    @Option(
      help: ArgumentHelp(
        "The Apple push environment to act as. Default: production.", valueName: "development|production"))
    var environment: PushEnvironment?
    @Flag(help: "Print the variables as one JSON object.")
    var json = false
    @Flag(help: "Print the variables and return; 'kill $BELL_PID' ends the bench.")
    var background = false
    @Flag(name: .customLong("until-eof"), help: "End with the end of standard input.")
    var untilEOF = false
    @Option(
      help: ArgumentHelp("Add the variables to this file, as NAME=VALUE: \"$GITHUB_ENV\".", valueName: "file"))
    var envFile: String?
    @Option(
      name: .customLong("run"), parsing: .remaining,
      help: ArgumentHelp(
        "Run a command with the variables in its environment, and end with its exit code. The last option.",
        valueName: "command"))
    var words: [String] = []

    func validate() throws {
      let limit = BenchSettings.handsetLimit
      guard (1...limit).contains(handsets) else {
        throw ValidationError("A bench has 1 to \(limit) handsets, not \(handsets).")
      }
      if background && !words.isEmpty { throw ValidationError("--background and --run cannot be combined.") }
      if untilEOF && !words.isEmpty {
        throw ValidationError("--until-eof and --run cannot be combined: the command has the standard input.")
      }
      if background && untilEOF { throw ValidationError("--background and --until-eof cannot be combined.") }
      if clock == .system && clockStart != nil { throw ValidationError("--clock-start needs --clock virtual.") }
    }

    private var settings: BenchDaemon.Settings {
      BenchDaemon.Settings(
        handsets: handsets, clock: clock, clockStart: clockStart, environment: environment?.rawValue,
        staysOn: background)
    }

    func run() async throws {
      let settings = settings
      let run = BenchRun()
      let starting = Task { try await BenchDaemon.start(settings, Environment.ofProcess) }
      try await Signals.listen(for: [SIGINT, SIGTERM, SIGHUP]) { number in
        run.signalled(number)
        starting.cancel()
      }
      let daemon = try await starting.value
      let end: Result<Int32, any Error>
      do {
        end = .success(try await use(daemon, run))
      } catch {
        end = .failure(error)
      }
      if background, case .success = end { return }
      await daemon.stop()
      let code = try end.get()
      if code != 0 { throw ExitCode(code) }
    }

    /// Prints the variables, and waits for the end.
    /// - Returns: the exit code.
    private func use(_ daemon: BenchDaemon, _ run: BenchRun) async throws -> Int32 {
      let variables = BenchVariables(try await daemon.client.bench(), control: daemon.folder.socket)
      if let envFile {
        do throws(SystemError) {
          try variables.append(to: envFile)
        } catch {
          throw Failure("\(envFile) cannot be written: \(error.reason)", hint: "name another with --env-file")
        }
      }
      if words.isEmpty { try Output.line(json ? BenchCommand.json(variables) : variables.shellLines) }
      if background { return 0 }
      if isatty(STDERR_FILENO) == 1 && words.isEmpty && !untilEOF { Output.complaint("The bench runs until Ctrl-C.") }
      if untilEOF { try run.watchInput() }
      if !words.isEmpty {
        try run.start(words, variables: daemon.folder.environment.merging(variables.object) { $1 })
      }
      return try await run.end(of: daemon)
    }
  }

  /// One line: a reader knows when it is complete.
  static func json(_ variables: BenchVariables) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(variables.object), as: UTF8.self)
  }
}
