import CChildProcess
import Glibc
import Synchronization
import SystemThreads

/// A program that the runner starts: the provider under test, or a bench. Its output is read line by line. It ends with
/// the runner.
final class ScenarioProgram: Sendable {
  /// Lines longer than this are cut.
  static let lineBytes = 16_384
  /// Lines that are kept for `says`; the log has all.
  static let keptLines = 10_000

  private struct State {
    var process: child_process?
    var lines: [String] = []
    var lineCount = 0
    var status: Int32?
    var problem: String?
    var isTerminated = false
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: the program, found by `path(of:)`.
  ///   - arguments: the first is the program's name.
  ///   - environment: NAME=VALUE.
  ///   - folder: the working folder, which exists.
  ///   - log: the file for its output, which is replaced; nil for none.
  init(_ path: String, _ arguments: [String], environment: [String], folder: String, log: String?) {
    do {
      // The kernel ends the process with the thread that started it.
      try SystemThread(named: "scenario") { [self] in
        run(path, arguments, environment: environment, folder: folder, log: log)
      }.detach()
    } catch {
      fail("cannot be started: \(error)")
    }
  }

  var lines: [String] { state.withLock(\.lines) }
  /// All lines, those included that are not kept.
  var lineCount: Int { state.withLock(\.lineCount) }
  /// The exit code, 128 and the signal, or 127 if it could not be started; nil while it runs.
  var status: Int32? { state.withLock(\.status) }
  /// Nil before it runs, and once it has ended.
  var process: pid_t? { state.withLock { $0.process?.pid } }
  /// Why it could not be started.
  var problem: String? { state.withLock(\.problem) }

  /// Writes a line to its standard input.
  /// - Throws: `SystemError` if it has ended, or does not read its input.
  func write(line: String) throws(SystemError) {
    let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
    let code = state.withLock { state -> Int32? in
      guard let process = state.process else { return EPIPE }
      let written = bytes.withUnsafeBytes { send(process.input, $0.baseAddress, $0.count) }
      return written == bytes.count ? nil : written < 0 ? errno : EAGAIN
    }
    if let code { throw SystemError(code: code) }
  }

  /// Writes to a pipe whose reader may have gone, without the signal for that.
  private func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    var (pipe, before) = (sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let written = Glibc.write(descriptor, bytes, count)
    let code = errno
    if written < 0, code == EPIPE {
      var now = timespec()
      sigtimedwait(&pipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return written
  }

  /// Closes its standard input, and waits for its end; signals it if it does not end by itself.
  /// - Parameter signal: sent at once; nil to wait first.
  func end(signal: Int32? = SIGTERM) async {
    close(signal: signal)
    if await ended(within: .seconds(3)) { return }
    self.signal(SIGTERM)
    if await ended(within: .seconds(2)) { return }
    self.signal(SIGKILL)
    _ = await ended(within: .seconds(5))
  }

  private func ended(within time: Duration) async -> Bool {
    await polled(within: time) { self.status != nil ? true : nil } ?? false
  }

  private func close(signal: Int32?) {
    state.withLock { state in
      state.isTerminated = true
      guard var process = state.process else { return }
      if process.input >= 0 { Glibc.close(process.input) }
      process.input = -1
      state.process = process
      if let signal { kill(-process.pid, signal) }
    }
  }

  private func signal(_ signal: Int32) {
    // Its process number is not reused until `finish`.
    state.withLock { state in if let process = state.process { kill(-process.pid, signal) } }
  }

  private func fail(_ problem: String) {
    state.withLock { state in
      state.problem = problem
      state.status = 127
    }
  }

  private func run(_ path: String, _ arguments: [String], environment: [String], folder: String, log: String?) {
    var file: Int32 = -1
    if let log {
      file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard file >= 0 else { return fail("its log \(log) cannot be written: \(SystemError.last.reason)") }
    }
    defer { if file >= 0 { Glibc.close(file) } }
    var process = child_process()
    var code: Int32 = 0
    let fault = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        child_process_start(path, arguments, environment, folder, false, &process, &code)
      }
    }
    guard fault == CHILD_FAULT_NONE else {
      let reason = SystemError(code: code).reason
      return fail(
        fault == CHILD_FAULT_FOLDER ? "cannot be started in \(folder): \(reason)" : "cannot be started: \(reason)")
    }
    let started = process
    state.withLock { state in
      state.process = started
      if state.isTerminated { kill(-started.pid, SIGTERM) }
    }
    collect(started, log: file)
    finish(started)
  }

  private func collect(_ process: child_process, log: Int32) {
    var streams: [(descriptor: Int32, rest: [UInt8])] = [(process.output, []), (process.errors, [])]
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !streams.isEmpty {
      var ready = streams.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&ready, nfds_t(ready.count), -1) > 0 else { continue }
      for one in ready where one.revents != 0 {
        guard let place = streams.firstIndex(where: { $0.descriptor == one.fd }) else { continue }
        let count = read(one.fd, &buffer, buffer.count)
        if count > 0 {
          streams[place].rest += buffer[..<count]
          while let end = streams[place].rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(streams[place].rest[..<end], log: log)
            streams[place].rest.removeFirst(end + 1)
          }
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
          if !streams[place].rest.isEmpty { take(streams[place].rest[...], log: log) }
          Glibc.close(one.fd)
          streams.remove(at: place)
        }
      }
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>, log: Int32) {
    let line = Array(bytes.prefix(ScenarioProgram.lineBytes))
    if log >= 0 {
      let whole = line + [UInt8(ascii: "\n")]
      _ = whole.withUnsafeBytes { Glibc.write(log, $0.baseAddress, $0.count) }
    }
    let text = String(decoding: line, as: UTF8.self)
    state.withLock { state in
      state.lineCount += 1
      if state.lines.count == ScenarioProgram.keptLines { state.lines.removeFirst() }
      state.lines.append(text)
    }
  }

  private func finish(_ process: child_process) {
    var ended = pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)
    while poll(&ended, 1, -1) < 0 {}
    Glibc.close(process.pidfd)
    var bySignal: Int32 = 0
    let code = child_process_ending(process.pid, &bySignal)
    state.withLock { state in
      if let input = state.process?.input, input >= 0 { Glibc.close(input) }
      state.process = nil
      // Its children have its group; the number is free when the process is reaped.
      kill(-process.pid, SIGKILL)
      child_process_reap(process.pid)
      state.status = bySignal == 0 ? code : 128 + code
    }
  }

  /// Finds a program as a shell does.
  /// - Parameter folder: what a path with a slash is relative to.
  /// - Returns: nil if there is none.
  static func path(of name: String, in folder: String, searching path: String) -> String? {
    if name.contains("/") {
      let place = name.hasPrefix("/") ? name : "\(folder)/\(name)"
      return access(place, X_OK) == 0 ? place : nil
    }
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

/// Asks again and again, with pauses of 2 to 20 ms, until there is an answer or the time is over.
func polled<Value>(
  within time: Duration, _ ask: () async throws -> Value?
) async rethrows -> Value? {
  let clock = ContinuousClock()
  let end = clock.now + time
  var pause = Duration.milliseconds(2)
  while true {
    if let value = try await ask() { return value }
    guard clock.now < end, !Task.isCancelled else { return nil }
    try? await clock.sleep(for: pause)
    pause = min(pause * 3 / 2, .milliseconds(20))
  }
}
