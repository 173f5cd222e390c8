import CommandSupport
import DeskbellDaemon
import Glibc
import SystemThreads

/// The daemon of a bench, in a session of its own: what ends this program does not end it. It ends when its standard
/// input does, which this program holds, and then removes its folder, however this program ended.
final class BenchDaemon: Sendable {
  /// The options that a bench is started with.
  struct Settings: Sendable {
    var handsets = 1
    var clock = DaemonOptions.ClockKind.virtual
    /// The time at which a virtual clock starts, as `serve` takes it; nil for now.
    var clockStart: String?
    var environment: String?
    /// True if the daemon goes on after this program.
    var staysOn = false
  }

  private enum Limits {
    /// The time in which it ends.
    static let end: Duration = .seconds(10)
    /// The free space that makes memory a place for the folder, in bytes.
    static let memory: UInt64 = 256 * 1024 * 1024
    /// The last bytes of its log that an error quotes.
    static let quotedLog = 4_096
  }

  /// POSIX_SPAWN_SETSID, which the C library declares for GNU sources only.
  private static let newSession: CInt = 0x80

  let client: ControlClient
  let folder: DaemonFolder
  private let process: pid_t
  /// The descriptor that keeps it alive; -1 if it stays on.
  private let input: CInt
  private let log: String

  /// - Throws: `Failure` with its last words; `CancellationError`.
  static func start(_ settings: Settings, _ environment: Environment) async throws -> BenchDaemon {
    let folder = try DaemonFolder(for: "bench", in: BenchDaemon.parent(environment))
    let daemon: BenchDaemon
    do {
      daemon = try BenchDaemon(settings, in: folder)
    } catch {
      folder.remove()
      throw error
    }
    do {
      try await folder.waitUntilAnswered { daemon.failure }
    } catch {
      await daemon.stop()
      throw error
    }
    return daemon
  }

  /// Returns the folder for temporary files: in memory if there is room, where no commit waits for a disk.
  private static func parent(_ environment: Environment) -> String {
    if let named = environment["TMPDIR"] { return named }
    let memory = "/dev/shm"
    var space = statvfs()
    guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &space) == 0,
      UInt64(space.f_bavail) * UInt64(space.f_frsize) >= Limits.memory
    else { return "/tmp" }
    return memory
  }

  private init(_ settings: Settings, in folder: DaemonFolder) throws(Failure) {
    self.folder = folder
    client = ControlClient(socket: folder.socket)
    log = "\(folder.path)/daemon.log"
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    guard settings.staysOn || socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure("the bench's daemon cannot be started: \(SystemError.last)")
    }
    let started = BenchDaemon.spawn(
      BenchDaemon.arguments(settings, in: folder), folder.environment.asVariables, input: ends[0], log: log)
    if ends[0] >= 0 { close(ends[0]) }
    input = ends[1]
    do throws(SystemError) {
      process = try started.get()
    } catch {
      if input >= 0 { close(input) }
      throw Failure("the bench's daemon cannot be started: \(error)")
    }
  }

  static func arguments(_ settings: Settings, in folder: DaemonFolder) -> [String] {
    var words = folder.serving(panel: "off")
    words += [
      "--config", "none", "--bench", "--bench-folder", folder.path, "--bench-handsets", "\(settings.handsets)",
    ]
    if !settings.staysOn { words.append("--bench-until-eof") }
    if let environment = settings.environment { words += ["--environment", environment] }
    guard settings.clock == .virtual else { return words }
    words += ["--clock", "virtual", "--all", "--clock-file", "\(folder.path)/clock"]
    if let start = settings.clockStart { words += ["--clock-start", start] }
    return words
  }

  /// Starts this program in a session of its own, with its output in a file.
  /// - Parameter input: its standard input; -1 for none.
  private static func spawn(
    _ arguments: [String], _ variables: [String], input: CInt, log: String
  ) -> Result<pid_t, SystemError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | BenchDaemon.newSession))
    var process: pid_t = 0
    let problem = withCStrings(arguments) { arguments in
      withCStrings(variables) { posix_spawn(&process, DaemonFolder.program, &actions, &attributes, arguments, $0) }
    }
    return problem == 0 ? .success(process) : .failure(SystemError(code: problem))
  }

  /// The reason, once it has ended.
  var failure: Failure? {
    guard hasEnded else { return nil }
    let words = (try? readFile(log, atMost: 1 << 20)) ?? []
    let text = String(decoding: words.suffix(Limits.quotedLog), as: UTF8.self)
    let last = text.split(separator: "\n").suffix(3).joined(separator: "\n  ")
    return Failure("the bench's daemon has ended: \(last)")
  }

  /// True once the process has ended; it is not reaped, so that its number is not another's.
  private var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) != 0
      || information.si_signo == SIGCHLD
  }

  /// Ends it and removes its folder. Call it once.
  func stop() async {
    if input >= 0 { close(input) } else { kill(process, SIGTERM) }
    let deadline = ContinuousClock.now + Limits.end
    while !hasEnded, ContinuousClock.now < deadline {
      // Also in a task that was cancelled.
      await Task { try? await Task.sleep(for: DaemonFolder.Limits.poll) }.value
    }
    if !hasEnded { kill(process, SIGKILL) }
    _ = SystemService.end(of: process)
    folder.remove()
  }
}
