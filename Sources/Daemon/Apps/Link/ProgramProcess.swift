import CChildProcess
import FoundationEssentials
import Glibc
import HandsetCore
import SystemThreads

/// A running program. Owns its descriptors and its place in the process table until `hasEnded`.
final class ProgramProcess {
  /// The reads at the end of a process: as many as the largest pipe of an unprivileged process can fill.
  private static let lastTurns = 16

  private let process: child_process
  private var machine: StateMachine
  private let answers: Bool
  private let limits: AppLinkLimits
  private let log: (String) -> Void
  private let report: (ProgramEnding) -> Void

  private var input: CInt
  private var unwritten: ArraySlice<UInt8>
  private var output: ProgramStream
  private var errors: ProgramStream
  private var lastLine: Lines.Line?
  private var loggedErrorLines = 0
  private var overfull: Set<String> = []
  private(set) var hasEnded = false

  /// - Parameters:
  ///   - time: the time limit of the run; nil for no limit.
  ///   - answers: true if its last line is an answer, and no result.
  ///   - report: called once with the result, possibly before the process has ended.
  init(
    _ process: child_process, input line: [UInt8], time: Duration?, answers: Bool = false, limits: AppLinkLimits,
    now: Duration, log: @escaping (String) -> Void, report: @escaping (ProgramEnding) -> Void
  ) {
    self.process = process
    machine = StateMachine(startedAt: now, time: time, grace: limits.grace)
    self.answers = answers
    self.limits = limits
    self.log = log
    self.report = report
    input = process.input
    unwritten = line[...]
    output = ProgramStream(
      descriptor: process.output, lineBytes: answers ? limits.extensionLineBytes : limits.outputLineBytes)
    errors = ProgramStream(descriptor: process.errors, lineBytes: limits.outputLineBytes)
    writeInput()
  }

  var deadline: Duration? { hasEnded ? nil : machine.deadline }

  var isRunning: Bool { !hasEnded && machine.isRunning }

  var interests: [pollfd] {
    guard !hasEnded else { return [] }
    var interests = [pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)]
    if input >= 0 { interests.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
    for stream in [output, errors] where stream.descriptor >= 0 {
      interests.append(pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0))
    }
    return interests
  }

  func ready(_ descriptor: CInt) {
    guard !hasEnded else { return }
    switch descriptor {
    case process.pidfd: examineEnd()
    case input: writeInput()
    case output.descriptor: handle(output.read() ?? [], errors: false)
    case errors.descriptor: handle(errors.read() ?? [], errors: true)
    default: break
    }
  }

  func timePassed(at now: Duration) {
    if !hasEnded { perform(machine.timePassed(at: now)) }
  }

  func stop(at now: Duration) {
    if !hasEnded { perform(machine.stop(at: now)) }
  }

  private func examineEnd() {
    var bySignal: CInt = 0
    let status = child_process_ending(process.pid, &bySignal)
    guard status >= 0 else { return }
    drain()
    perform(
      machine.ended(
        bySignal == 1 ? .signalled(status) : .exited(status), result: lastLine.flatMap { DeliveryResult(word: $0) }))
    end()
  }

  private func perform(_ actions: [StateMachine.Action]) {
    for action in actions {
      switch action {
      // The leader is not reaped yet, so the group's number is still its own.
      case .signal(let number): kill(-process.pid, number)
      case .report(.completed) where answers && lastLine?.isCut == false:
        report(.answered(Array((lastLine?.text ?? "").utf8)))
      case .report(let ending): report(ending)
      }
    }
  }

  private func end() {
    child_process_reap(process.pid)
    closeInput()
    output.close()
    errors.close()
    close(process.pidfd)
    hasEnded = true
  }

  // MARK: Streams

  private func writeInput() {
    guard input >= 0 else { return }
    while !unwritten.isEmpty {
      let count = unwritten.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { return }
        // The program does not read its input: only the result counts.
        break
      }
      unwritten = unwritten.dropFirst(count)
    }
    closeInput()
  }

  private func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  private func handle(_ lines: [Lines.Line], errors isErrors: Bool) {
    for line in lines where !line.text.isEmpty {
      if !isErrors {
        lastLine = line
      } else if loggedErrorLines < limits.errorLines {
        loggedErrorLines += 1
        log(line.text + (line.isCut ? "…" : ""))
      }
    }
    let name = isErrors ? "standard error" : "standard output"
    if (isErrors ? errors : output).lines.bytes > limits.outputBytes, overfull.insert(name).inserted {
      log("wrote more than \(limits.outputBytes) bytes to \(name): the rest is dropped, but for the last line")
    }
  }

  /// Reads the output that was written before the process ended and is still in the pipes. Other processes of its group
  /// may still write, so the number of reads is limited.
  private func drain() {
    for isErrors in [false, true] {
      for _ in 0..<ProgramProcess.lastTurns {
        guard let lines = isErrors ? errors.read() : output.read() else { break }
        handle(lines, errors: isErrors)
      }
    }
    handle(output.lines.finish(), errors: false)
    handle(errors.lines.finish(), errors: true)
  }

  // MARK: Start

  /// Starts the process of a command. Orphaned processes become its children, so that they can be attributed at its end.
  /// - Parameters:
  ///   - folder: the folder in which it runs, and which contains a program without a leading slash.
  ///   - environment: `NAME=value` each; nothing else is inherited.
  ///   - keepsOrphans: false for a program without a time limit, which would collect zombies.
  /// - Throws: `AppLinkError` with the advice if it cannot start; nothing is left behind.
  static func start(
    _ words: [String], in folder: String, environment: [String], keepsOrphans: Bool = true
  ) throws(AppLinkError) -> child_process {
    guard let word = words.first else { throw AppLinkError("its command is empty") }
    let program = word.hasPrefix("/") ? word : "\(folder)/\(word)"
    var process = child_process()
    var code: CInt = 0
    let fault = withCStrings(words) { arguments in
      withCStrings(environment) { environment in
        child_process_start(program, arguments, environment, folder, keepsOrphans, &process, &code)
      }
    }
    switch fault {
    case CHILD_FAULT_NONE: return process
    case CHILD_FAULT_FOLDER:
      throw AppLinkError(
        "its folder \(folder) cannot be entered: \(SystemError(code: code).reason); install the app again")
    case CHILD_FAULT_PROGRAM:
      let remedy =
        switch code {
        case ENOENT where word.contains("/"): "the file, or the interpreter in its first line, does not exist"
        case ENOENT: "a word without a slash is a file in the bundle's folder; write a program's absolute path"
        case EACCES: "make it executable (chmod +x) for the daemon's user"
        case ENOEXEC: "give it a first line such as #!/bin/sh"
        default: "check the file"
        }
      throw AppLinkError("\(program) cannot be executed: \(SystemError(code: code).reason); \(remedy)")
    default:
      throw AppLinkError(
        "no process could be started: \(SystemError(code: code).reason); the machine has no room for more")
    }
  }

  /// The decisions about a process, from its start until it has ended.
  struct StateMachine {
    enum Action: Hashable {
      case signal(CInt)
      /// Report the result, once, and not always at the end of the process.
      case report(ProgramEnding)
    }

    enum Ending: Hashable {
      case exited(Int32)
      case signalled(Int32)
    }

    private enum Phase: Hashable {
      case running(until: Duration?)
      /// The process was asked to end, and the result is reported.
      case ending(killAt: Duration)
      /// The process was killed; the kernel has not reported its end yet.
      case killed
    }

    private var phase: Phase
    private let grace: Duration

    init(startedAt now: Duration, time: Duration?, grace: Duration) {
      self.phase = .running(until: time.map { now + $0 })
      self.grace = grace
    }

    /// True if the process is within its time limit and was not asked to end.
    var isRunning: Bool { if case .running = phase { true } else { false } }

    var deadline: Duration? {
      switch phase {
      case .running(let until): until
      case .ending(let killAt): killAt
      case .killed: nil
      }
    }

    mutating func timePassed(at now: Duration) -> [Action] {
      guard let deadline, now >= deadline else { return [] }
      switch phase {
      case .running:
        phase = .ending(killAt: now + grace)
        return [.report(.timedOut), .signal(SIGTERM)]
      case .ending:
        phase = .killed
        return [.signal(SIGKILL)]
      case .killed: return []
      }
    }

    mutating func stop(at now: Duration) -> [Action] {
      guard case .running = phase else { return [] }
      phase = .ending(killAt: now + grace)
      return [.report(.stopped), .signal(SIGTERM)]
    }

    /// Handles the end of the process, after which the rest of its group must end.
    mutating func ended(_ ending: Ending, result: DeliveryResult?) -> [Action] {
      let wasRunning = isRunning
      phase = .killed
      guard wasRunning else { return [.signal(SIGKILL)] }
      let report: ProgramEnding =
        switch ending {
        case .exited(0): .completed(result ?? .newData)
        case .exited(let status): .failed("ended with exit status \(status)")
        case .signalled(let number): .died("signal \(number) (\(String(cString: strsignal(number))))")
        }
      return [.signal(SIGKILL), .report(report)]
    }
  }
}

/// A non-blocking descriptor that is read in lines. It is always read to its end, because a full pipe would stop the
/// program.
private struct ProgramStream {
  /// The bytes read in one turn, so that an endless output does not delay the other apps.
  private static let turnBytes = 64 * 1024

  /// The descriptor; -1 once the stream has ended.
  private(set) var descriptor: CInt
  var lines: Lines

  init(descriptor: CInt, lineBytes: Int) {
    self.descriptor = descriptor
    lines = Lines(limit: lineBytes)
  }

  /// - Returns: the lines of one turn, at the end of the stream also the last line without a line feed; nil if there is
  ///   nothing to read now.
  mutating func read() -> [Lines.Line]? {
    guard descriptor >= 0 else { return nil }
    var code: CInt = 0
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: ProgramStream.turnBytes) { buffer, filled in
      repeat {
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        code = count < 0 ? errno : 0
      } while code == EINTR
      filled = max(count, 0)
    }
    if code == EAGAIN { return nil }
    guard count > 0 else {
      close()
      return lines.finish()
    }
    return lines.append(piece[...])
  }

  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

enum ProgramEnding: Hashable {
  case completed(DeliveryResult)
  /// The last line of a service extension.
  case answered([UInt8])
  /// The program could not do its work. The text for the log has the problem and the remedy.
  case failed(String)
  case timedOut
  /// A cause other than the daemon or the program itself ended it (rule U5).
  case died(String)
  /// The daemon ended it; this is not reported.
  case stopped
}

/// The folder in which an app's commands run. The files of a bundle are stored once for all handsets, so commands must
/// not run among them: files that a command writes belong to its app on its handset alone.
enum WorkingFolder {
  /// Creates the folder if it does not exist, and in it a symbolic link to each file and folder of the bundle. An entry
  /// with which a command has replaced a link stays.
  /// - Parameters:
  ///   - folder: absolute; at most its last two components are created.
  ///   - bundle: relative to `folder`.
  static func prepare(_ folder: String, bundle: String) throws(AppLinkError) {
    if mkdir(folder, 0o700) != 0 && errno == ENOENT, let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      _ = mkdir(String(folder[..<slash]), 0o700)
      _ = mkdir(folder, 0o700)
    }
    // If the folder could not be created, starting the command reports it.
    let files = "\(folder)/\(bundle)"
    guard access(files, R_OK | X_OK) == 0, let names = try? FileManager.default.contentsOfDirectory(atPath: files)
    else {
      throw AppLinkError(
        "its bundle \(files) cannot be read: \(SystemError.last.reason); install the app again")
    }
    for name in names {
      guard symlink("\(bundle)/\(name)", "\(folder)/\(name)") == 0 || errno == EEXIST else {
        throw AppLinkError(
          "its folder \(folder) cannot be written: \(SystemError.last.reason); free some space in the state directory"
        )
      }
    }
  }
}

struct Lines {
  let limit: Int
  private var line: [UInt8] = []
  private var isCut = false
  private(set) var bytes = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: the lines that end within `piece`, without their ends; lines past the limit are truncated.
  mutating func append(_ piece: ArraySlice<UInt8>) -> [Line] {
    bytes += piece.count
    var lines: [Line] = []
    var rest = piece
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      lines.append(take())
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return lines
  }

  /// Returns the line that has no line feed yet, as if it were complete; none if there is no such line.
  mutating func finish() -> [Line] { line.isEmpty ? [] : [take()] }

  struct Line: Equatable {
    var text: String
    var isCut: Bool
  }

  private mutating func keep(_ piece: ArraySlice<UInt8>) {
    let left = limit - line.count
    if piece.count > left { isCut = true }
    line += piece.prefix(left)
  }

  private mutating func take() -> Line {
    defer {
      line.removeAll(keepingCapacity: true)
      isCut = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return Line(text: String(decoding: line, as: UTF8.self), isCut: isCut)
  }
}

extension DeliveryResult {
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Reads the word that a program prints; spaces around it are allowed.
  init?(word line: Lines.Line) {
    guard !line.isCut else { return nil }
    let text = line.text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let end = text.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard let end, let word = String(text[...end]) else { return nil }
    self.init(rawValue: word)
  }
}
