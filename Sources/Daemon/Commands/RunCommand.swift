import ArgumentParser
import CommandSupport
import Glibc
import HandsetCore
import SystemThreads

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command, and ring with its result and duration when it ends.",
    usage: "deskbell run [--app <app>] [--provider <folder>] [--show-arguments] [--] <command> ...",
    discussion: """
      Exits as the command does. A failure is time-sensitive. The title is the command's name; --show-arguments adds its \
      arguments, which may be secret. Without --app it rings the app home.terminal, which is created the first time. \
      From another machine, --provider names the folder that 'deskbell setup' wrote.

      Examples:
        deskbell run make test
        deskbell run --app com.example.mailroom --show-arguments -- ./backup.sh --all
        deskbell run --provider deskbell-provider/ -- make
      """)

  static let app = "home.terminal"

  @Option(help: ArgumentHelp("The app that rings. Default: home.terminal.", valueName: "app"), completion: .apps)
  var app: String?
  @Option(help: ArgumentHelp("The folder of a provider, to ring another machine.", valueName: "folder"))
  var provider: String?
  @Flag(help: "Show the command's arguments, too, to everyone who can read the notification.")
  var showArguments = false
  @OptionGroup var control: HandsetOptions
  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
  var command: [String]

  func validate() throws {
    // The words captured for the command include these options.
    if command.first == "--help" || command.first == "-h" { throw CleanExit.helpRequest(self) }
  }

  func run() async throws {
    let words = command.first == "--" ? Array(command.dropFirst()) : command
    guard !words.isEmpty else { throw ValidationError("Which command? deskbell run make test") }
    let clock = ContinuousClock()
    let start = clock.now
    let status = try RunCommand.runProgram(words)
    let elapsed = clock.now - start
    let level = status == 0 ? InterruptionLevel.active : .timeSensitive
    do {
      let options = [
        "--title=\(RunCommand.title(words, showsArguments: showArguments))",
        "--body=\(RunCommand.outcome(status, after: elapsed))", "--level=\(level.rawValue)",
      ]
      try await PushCommand.ring(options, app: app, own: (RunCommand.app, "Terminal"), provider: provider, control)
    } catch let code as ExitCode where code == ExitCode(Program.Exit.failed) {
      // The reason has been printed.
    } catch {
      // The exit code is that of the command.
      Output.complaint(Program.end(of: error).complaint ?? "deskbell: it did not ring")
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Returns the command's name without its folder, or all its words.
  static func title(_ words: [String], showsArguments: Bool) -> String {
    let name = words.first?.split(separator: "/").last.map(String.init) ?? ""
    let title = showsArguments ? words.joined(separator: " ") : name
    return title.count > 60 ? title.prefix(59) + "…" : title
  }

  /// Returns `succeeded after 2 min 3 s`.
  static func outcome(_ status: Int32, after elapsed: Duration) -> String {
    let outcome = status == 0 ? "succeeded" : status > 128 ? "ended by signal \(status - 128)" : "failed with \(status)"
    return "\(outcome) after \(duration(elapsed))"
  }

  static func duration(_ elapsed: Duration) -> String {
    let seconds = elapsed.components.seconds
    if seconds < 60 {
      return seconds < 10 ? "\(decimal(elapsed.inMicroseconds / 1_000, places: 1)) s" : "\(seconds) s"
    }
    if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
  }

  /// Runs a program that uses this one's terminal.
  /// - Returns: as `SystemService.end`.
  /// - Throws: `Failure`, exit code 127 if there is no such program, 126 if it cannot be run.
  private static func runProgram(_ words: [String]) throws(Failure) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Ctrl-C is for the command: this program stays to report its outcome.
    var interrupted = sigset_t()
    sigemptyset(&interrupted)
    sigaddset(&interrupted, SIGINT)
    sigaddset(&interrupted, SIGQUIT)
    posix_spawnattr_setsigdefault(&attributes, &interrupted)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let before = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
    defer {
      signal(SIGINT, before.0)
      signal(SIGQUIT, before.1)
    }
    var process: pid_t = 0
    let problem = withCStrings(words) { posix_spawnp(&process, words[0], nil, &attributes, $0, environ) }
    guard problem == 0 else {
      throw Failure(
        "'\(words[0])' cannot be run: \(SystemError(code: problem).reason)", code: problem == ENOENT ? 127 : 126)
    }
    return SystemService.end(of: process)
  }
}
