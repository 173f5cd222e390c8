// Core Audio's IMA ADPCM is what many old alert sounds are, and libsndfile does not read it in CAF. Where ffmpeg is
// installed, it converts the file in a process of its own, with an exact list of what it may read and a time limit.

import CHookProcess
import Glibc
import SystemThreads

/// An ffmpeg that is installed.
public struct FFmpeg: Sendable {
  enum Limits {
    /// Real time; a sound of 30 s takes a tenth of a second.
    static let milliseconds: Int32 = 10_000
    /// 31 s of 96 kHz stereo: what is longer than 30 s is still seen to be.
    static let outputBytes = 12 * 1024 * 1024
    static let outputSeconds = SoundFile.Limits.seconds + 1
    /// Bytes of its complaint that are quoted.
    static let complaintBytes = 200
  }

  let path: String

  /// The one that `$PATH` finds, or else the system's; looked for each time: it may be installed at any time.
  public static var installed: FFmpeg? {
    let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for place in places.split(separator: ":") where place.hasPrefix("/") {
      let path = "\(place)/ffmpeg"
      if access(path, X_OK) == 0 { return FFmpeg(path: path) }
    }
    return nil
  }

  /// Decodes a CAF file to a WAV file of 16-bit samples.
  func wave(ofCoreAudioIMA source: UnsafeRawBufferPointer, named name: String) throws(SoundFileError) -> [UInt8] {
    var process = try start(named: name)
    defer { FFmpeg.end(&process) }
    var (output, complaint): ([UInt8], [UInt8]) = ([], [])
    var written = 0
    let deadline = Speaker.uptime() + .milliseconds(Int(Limits.milliseconds))
    while process.output >= 0 || process.errors >= 0 {
      let left = Int32(clamping: (deadline - Speaker.uptime()).milliseconds)
      var descriptors = [
        pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: process.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: process.errors, events: Int16(POLLIN), revents: 0),
      ]
      guard left > 0, poll(&descriptors, nfds_t(descriptors.count), left) != 0 else {
        throw FFmpeg.failed(name, "ffmpeg took more than \(Limits.milliseconds / 1000) s")
      }
      if descriptors[0].revents != 0 {
        let rest = UnsafeRawBufferPointer(rebasing: source[written...])
        written = FFmpeg.feed(rest, to: process.input).map { written + $0 } ?? source.count
        if written == source.count { FFmpeg.close(&process.input) }
      }
      if descriptors[1].revents != 0 { FFmpeg.read(&process.output, into: &output, limit: Limits.outputBytes + 1) }
      if descriptors[2].revents != 0 { FFmpeg.read(&process.errors, into: &complaint, limit: Limits.complaintBytes) }
      guard output.count <= Limits.outputBytes else {
        throw FFmpeg.failed(name, "it decodes to more than \(Limits.outputBytes) bytes")
      }
    }
    guard !output.isEmpty else {
      let words = String(decoding: complaint.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      throw FFmpeg.failed(name, words.isEmpty ? "ffmpeg decoded nothing" : "ffmpeg says: \(words)")
    }
    return output
  }

  private func start(named name: String) throws(SoundFileError) -> hook_process {
    // Nothing but this container, this decoder and this pipe: a file that pretends to be a playlist reads nothing.
    let arguments = [
      path, "-nostdin", "-hide_banner", "-loglevel", "error", "-max_alloc", "\(64 * 1024 * 1024)",
      "-protocol_whitelist", "pipe", "-f", "caf", "-c:a", "adpcm_ima_qt", "-i", "pipe:0", "-map", "0:a:0",
      "-t", "\(Limits.outputSeconds)", "-map_metadata", "-1", "-bitexact", "-f", "wav", "-c:a", "pcm_s16le", "pipe:1",
    ]
    var process = hook_process()
    var code: Int32 = 0
    let fault = withCStrings(arguments) { arguments in
      withCStrings(["PATH=/usr/bin:/bin", "LC_ALL=C"]) { environment in
        hook_process_start(path, arguments, environment, "/", &process, &code)
      }
    }
    guard fault == HOOK_FAULT_NONE else {
      throw FFmpeg.failed(name, "\(path) cannot be started: \(SystemError(code: code))")
    }
    return process
  }

  private static func end(_ process: inout hook_process) {
    close(&process.input)
    close(&process.output)
    close(&process.errors)
    // Until it is reaped its process number is not reused.
    kill(-process.pid, SIGKILL)
    hook_process_reap(process.pid)
    close(&process.pidfd)
  }

  /// - Returns: how many bytes it took; nil where it reads no more, and says why at its other ends, if it wants to.
  private static func feed(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
    // A reader that has gone is news for us, and no signal for the program that we are a part of.
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

  /// Closes it at its end.
  private static func read(_ descriptor: inout Int32, into bytes: inout [UInt8], limit: Int) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
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

  private static func failed(_ name: String, _ problem: String) -> SoundFileError {
    SoundFileError(
      name, format: "CAF, IMA ADPCM", "cannot be decoded: \(problem)",
      "convert it to WAV with 16-bit Linear PCM")
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
