import CChildProcess
import Glibc
import Synchronization
import SystemThreads

/// A program without a terminal whose output is collected. It ends with this one.
final class CollectedProgram: Sendable {
  struct Result: Sendable {
    /// The exit code; 127 if it could not be started; 128 and the signal that ended it.
    var status: Int32
    /// The last `outputBytes` of standard output and standard error.
    var output: String
  }

  static let outputBytes = 65_536

  private struct State {
    var process: pid_t?
    /// True if it must end, even before it has begun.
    var isTerminated = false
    var result: Result?
    var waiting: [CheckedContinuation<Result, Never>] = []
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - arguments: the first is the program's name.
  ///   - environment: NAME=VALUE.
  init(_ path: String, _ arguments: [String], environment: [String]) {
    @Sendable func fail(_ error: SystemError) {
      finish(Result(status: 127, output: "\(path) cannot be started: \(error)"))
    }
    do {
      // The kernel ends the process with the thread that started it.
      try SystemThread(named: "program") { [self] in
        var process = child_process()
        var code: Int32 = 0
        let fault = withCStrings(arguments) { arguments in
          withCStrings(environment) { environment in
            child_process_start(path, arguments, environment, "/", false, &process, &code)
          }
        }
        guard fault == CHILD_FAULT_NONE else { return fail(SystemError(code: code)) }
        close(process.input)
        state.withLock { state in
          state.process = process.pid
          if state.isTerminated { kill(process.pid, SIGTERM) }
        }
        collect(process)
      }.detach()
    } catch {
      fail(error)
    }
  }

  func terminate() {
    state.withLock { state in
      state.isTerminated = true
      // Its process number is not reused until `finish`.
      if let process = state.process { kill(process, SIGTERM) }
    }
  }

  var result: Result? { state.withLock(\.result) }

  func end() async -> Result {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state -> Result? in
        if state.result == nil { state.waiting.append(continuation) }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  private func collect(_ process: child_process) {
    var streams = [process.output, process.errors]
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !streams.isEmpty {
      var descriptors = streams.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
      for ready in descriptors where ready.revents != 0 {
        let count = read(ready.fd, &buffer, buffer.count)
        if count > 0 {
          output += buffer[..<count]
          output.removeFirst(max(0, output.count - CollectedProgram.outputBytes))
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
          close(ready.fd)
          streams.removeAll { $0 == ready.fd }
        }
      }
    }
    var ended = pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)
    while poll(&ended, 1, -1) < 0 {}
    close(process.pidfd)
    var bySignal: Int32 = 0
    let code = child_process_ending(process.pid, &bySignal)
    state.withLock { $0.process = nil }
    child_process_reap(process.pid)
    finish(Result(status: bySignal == 0 ? code : 128 + code, output: String(decoding: output, as: UTF8.self)))
  }

  private func finish(_ result: Result) {
    let waiting = state.withLock { state in
      state.result = result
      return exchange(&state.waiting, with: [])
    }
    for continuation in waiting { continuation.resume(returning: result) }
  }
}
