// Foreign sound files are decoded by separate programs, ffmpeg and a child of this one, so that a fault in a decoder is
// none in the daemon, which has keys and network access. A program gets the file on its standard input.

import CChildProcess
import Glibc
import SystemThreads

/// A program that decodes one sound file to samples, with limits of time and output.
struct DecoderProgram: Sendable {
  /// The name in messages: `ffmpeg`.
  let name: String
  let path: String
  /// The sound and, if known, its format, for errors.
  let sound: String
  var format: String?
  /// The longest run, in real time.
  let limit: Duration
  let outputBytes: Int

  struct Result {
    let output: [UInt8]
    /// The first line of its standard error, at most 200 bytes; empty if there is none.
    let complaint: String
    let ending: Ending
  }

  enum Ending: Hashable {
    case exit(code: Int32)
    case signal(Int32)
  }

  private static let complaintBytes = 200

  /// Runs the program until it has ended and no process that it started holds its output.
  /// - Parameter input: one byte at least. A program need not read all of it.
  func run(_ arguments: [String], reading input: [UInt8]) throws(SoundFileError) -> Result {
    var process = try start(arguments)
    defer { DecoderProgram.end(&process) }
    var (output, complaint): ([UInt8], [UInt8]) = ([], [])
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var written = 0
    var hasEnded = false
    let deadline = monotonicTime() + limit
    while !hasEnded || process.output >= 0 || process.errors >= 0 {
      let left = deadline - monotonicTime()
      var descriptors = [
        pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: process.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.errors, events: Int16(POLLIN), revents: 0),
        pollfd(fd: hasEnded ? -1 : process.pidfd, events: Int16(POLLIN), revents: 0),
      ]
      guard left > .zero, poll(&descriptors, nfds_t(descriptors.count), Int32(left / .milliseconds(1)) + 1) != 0 else {
        throw fault("\(name) took more than \(limit.components.seconds) s")
      }
      if descriptors[0].revents != 0 {
        let count = input.withUnsafeBytes { bytes in
          DecoderProgram.feed(UnsafeRawBufferPointer(rebasing: bytes[written...]), to: process.input)
        }
        written = count.map { written + $0 } ?? input.count
        if written == input.count { DecoderProgram.close(&process.input) }
      }
      if descriptors[1].revents != 0 {
        DecoderProgram.read(&process.output, through: &buffer, into: &output, limit: outputBytes + 1)
      }
      if descriptors[2].revents != 0 {
        DecoderProgram.read(&process.errors, through: &buffer, into: &complaint, limit: Self.complaintBytes)
      }
      hasEnded = hasEnded || descriptors[3].revents != 0
      guard output.count <= outputBytes else { throw fault("it decodes to more than \(outputBytes) bytes") }
    }
    var bySignal: Int32 = 0
    let code = child_process_ending(process.pid, &bySignal)
    return Result(
      output: output, complaint: String(decoding: complaint.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
      ending: bySignal == 0 ? .exit(code: code) : .signal(code))
  }

  func fault(_ problem: String) -> SoundFileError { .undecodable(sound, format: format, problem) }

  private func start(_ arguments: [String]) throws(SoundFileError) -> child_process {
    var process = child_process()
    var code: Int32 = 0
    let fault = withCStrings([path] + arguments) { arguments in
      // Swift's own crash report would start another program.
      withCStrings(["PATH=/usr/bin:/bin", "LC_ALL=C", "SWIFT_BACKTRACE=enable=no"]) { environment in
        child_process_start(path, arguments, environment, "/", true, &process, &code)
      }
    }
    guard fault == CHILD_FAULT_NONE else {
      throw self.fault("\(path) cannot be started: \(SystemError(code: code))")
    }
    return process
  }

  private static func end(_ process: inout child_process) {
    close(&process.input)
    close(&process.output)
    close(&process.errors)
    // The process number is not reused before the process is reaped.
    kill(-process.pid, SIGKILL)
    child_process_reap(process.pid)
    close(&process.pidfd)
  }

  /// Writes bytes to the program's standard input.
  /// - Returns: the number of bytes written; nil if the program reads no more. Its outputs may say why.
  private static func feed(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
    // A closed pipe is handled here, and must not send a signal to the process.
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let count = write(descriptor, bytes.baseAddress, bytes.count)
    if count >= 0 { return count }
    let code = errno
    if code == EPIPE {
      var atOnce = timespec()
      while sigtimedwait(&pipe, nil, &atOnce) < 0 && errno == EINTR {}
    }
    return code == EAGAIN || code == EINTR ? 0 : nil
  }

  /// Reads what is available, and closes the descriptor at its end.
  private static func read(
    _ descriptor: inout Int32, through buffer: inout [UInt8], into bytes: inout [UInt8], limit: Int
  ) {
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<min(count, max(0, limit - bytes.count))]
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(&descriptor)
    }
  }

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
