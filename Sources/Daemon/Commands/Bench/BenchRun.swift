import CommandSupport
import Glibc
import Synchronization
import SystemThreads

/// Waits for what ends a bench: a signal, its command, its standard input, its parent's death or its daemon's.
final class BenchRun: Sendable {
  private enum End {
    case asked
    case command(Int32)
    case daemon(Failure)
  }

  /// The pause between looks at the parent and the daemon.
  private static let look: Duration = .milliseconds(100)

  private let parent = getppid()
  private let command = Mutex<pid_t?>(nil)
  private let ends: AsyncStream<End>
  private let sender: AsyncStream<End>.Continuation

  init() {
    (ends, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Ctrl-C is for the command, which has it already; other signals are passed on. The bench ends with the command.
  func signalled(_ number: CInt) {
    let hasCommand = command.withLock { command in
      if let command, number != SIGINT { kill(command, number) }
      return command != nil
    }
    if !hasCommand { sender.yield(.asked) }
  }

  /// - Throws: `SystemError` if the system has no thread left.
  func watchInput() throws(SystemError) {
    try SystemThread(named: "bench input") { [sender] in
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count == 0 || count < 0 && errno != EINTR { break }
      }
      sender.yield(.asked)
    }.detach()
  }

  /// Starts the command, which uses this program's terminal.
  /// - Throws: `Failure`, exit code 127 if there is no such program, 126 if it cannot be run.
  func start(_ words: [String], variables: [String: String]) throws {
    let words = words.first == "--" ? Array(words.dropFirst()) : words
    guard let name = words.first else { throw Failure("no command follows --run", code: CommandExit.usage) }
    try command.withLock { command in
      var process: pid_t = 0
      let problem = withCStrings(words) { words in
        withCStrings(variables.asVariables) { posix_spawnp(&process, name, nil, nil, words, $0) }
      }
      guard problem == 0 else {
        throw Failure(
          "'\(name)' cannot be run: \(SystemError(code: problem).reason)", code: problem == ENOENT ? 127 : 126)
      }
      command = process
    }
    try SystemThread(named: "bench command") { [self] in
      guard let process = command.withLock(\.self) else { return }
      var information = siginfo_t()
      while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      // Its number is not another's until it is reaped.
      let status = command.withLock { command in
        command = nil
        return SystemService.end(of: process)
      }
      sender.yield(.command(status))
    }.detach()
  }

  /// - Returns: the command's exit code; 0 if there is none.
  /// - Throws: `Failure` if the daemon ended first.
  func end(of daemon: BenchDaemon) async throws -> Int32 {
    let looking = Task { [parent, sender] in
      while !Task.isCancelled {
        if let failure = daemon.failure { sender.yield(.daemon(failure)) }
        if getppid() != parent { self.parentDied() }
        try await Task.sleep(for: BenchRun.look)
      }
    }
    defer { looking.cancel() }
    for await end in ends {
      switch end {
      case .asked: return 0
      case .command(let status): return status
      case .daemon(let failure):
        signalled(SIGTERM)
        throw failure
      }
    }
    return 0
  }

  private func parentDied() {
    signalled(SIGTERM)
    sender.yield(.asked)
  }
}
