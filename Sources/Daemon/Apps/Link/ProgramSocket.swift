// A program that is a service with a socket: under systemd each app then has its own user and limits, and the daemon
// needs no privilege to start it. Each push has one connection: a line to the service, a line back.

import Glibc
import HandsetCore
import SystemThreads
import UnixSockets

/// A push in transit through a service's socket. Owns its descriptor until `hasEnded`.
final class ProgramSocket {
  private static let turnBytes = 64 * 1024

  private let until: Duration
  private let answers: Bool
  private var lines: Lines
  private var descriptor: CInt
  private var unwritten: ArraySlice<UInt8>
  private let report: (ProgramEnding) -> Void

  var hasEnded: Bool { descriptor < 0 }

  init(
    path: String, input line: [UInt8], time: Duration? = nil, answers: Bool = false, limits: AppLinkLimits,
    now: Duration, report: @escaping (ProgramEnding) -> Void
  ) throws(AppLinkError) {
    until = now + (time ?? limits.delivery)
    self.answers = answers
    lines = Lines(limit: answers ? limits.extensionLineBytes : limits.outputLineBytes)
    descriptor = try ProgramSocket.connect(path)
    unwritten = line[...]
    self.report = report
    write()
  }

  deinit { end() }

  var deadline: Duration? { hasEnded ? nil : until }

  var interests: [pollfd] {
    guard !hasEnded else { return [] }
    let events = unwritten.isEmpty ? POLLIN : POLLIN | POLLOUT
    return [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
  }

  func ready() {
    guard !hasEnded else { return }
    write()
    var bytes = [UInt8](repeating: 0, count: ProgramSocket.turnBytes)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    // The first line that is a result counts, at the end of the stream also one without a line feed.
    let arrived = count > 0 ? lines.append(bytes[..<count]) : lines.finish()
    if answers, let line = arrived.first(where: { !$0.text.isEmpty }) {
      finish(line.isCut ? .failed("its answer is longer than \(lines.limit) bytes") : .answered(Array(line.text.utf8)))
    } else if !answers, let result = arrived.lazy.compactMap({ DeliveryResult(word: $0) }).first {
      finish(.completed(result))
    } else if count <= 0 {
      finish(.died("closed its socket without a result (\(DeliveryResult.words))"))
    }
  }

  func timePassed(at now: Duration) {
    if now >= until { finish(.timedOut) }
  }

  func stop() { finish(.stopped) }

  private func finish(_ ending: ProgramEnding) {
    guard !hasEnded else { return }
    end()
    report(ending)
  }

  private func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private func write() {
    guard !unwritten.isEmpty else { return }
    while !unwritten.isEmpty {
      let count = unwritten.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 {
        if errno == EINTR { continue }
        // A service that has closed its end may have answered before: its answer is still to be read.
        if errno != EAGAIN { unwritten = [] }
        return
      }
      unwritten = unwritten.dropFirst(count)
    }
    // A script behind the socket may read its input to the end, as a program's command may.
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private static func connect(_ path: String) throws(AppLinkError) -> CInt {
    guard let address = UnixAddress(path) else {
      throw AppLinkError("\(path) is no path of a socket: 1 to \(AppLinkLimits.socketPathBytes) bytes")
    }
    let descriptor = UnixAddress.makeSocket()
    guard descriptor >= 0 else { throw AppLinkError("no socket could be made: \(SystemError.last.reason)") }
    guard address.connect(descriptor) == 0 else {
      let code = errno
      close(descriptor)
      let remedy =
        switch code {
        case ENOENT, ECONNREFUSED: "start the service's socket (systemctl enable --now NAME.socket)"
        case EACCES, EPERM: "let the daemon's user or group use it (SocketGroup=, SocketMode=)"
        case EAGAIN: "the service has too many connections waiting"
        default: "check the service"
        }
      throw AppLinkError("no service answers at \(path): \(SystemError(code: code).reason); \(remedy)")
    }
    return descriptor
  }
}
