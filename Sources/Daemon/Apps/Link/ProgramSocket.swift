// A program that is a service with a socket: under systemd each app then has its own user and limits, and the daemon
// needs no privilege to start it. Each push has one connection: a line to the service, a line back.

import Glibc
import HandsetCore
import SystemThreads
import UnixSockets

/// A push in transit through a service's socket. Owns its descriptor until `hasEnded`.
final class ProgramSocket {
  private static let turnBytes = 64 * 1024

  /// The decisions, without the socket.
  struct StateMachine {
    private let until: Duration
    private var lines: Lines
    private var hasEmitted = false

    init(startedAt now: Duration, time: Duration, lineBytes: Int) {
      until = now + time
      lines = Lines(limit: lineBytes)
    }

    var deadline: Duration? { hasEmitted ? nil : until }

    mutating func timePassed(at now: Duration) -> ProgramEnding? { now >= until ? emit(.timedOut) : nil }

    mutating func stop() -> ProgramEnding? { emit(.stopped) }

    /// Takes output of the service. The first line that is a result counts; other lines are ignored.
    mutating func received(_ bytes: ArraySlice<UInt8>) -> ProgramEnding? {
      let result = lines.append(bytes).lazy.compactMap { DeliveryResult(word: $0) }.first
      return result.flatMap { emit(.completed($0)) }
    }

    /// Handles the end of the stream, also of a line without a line feed. Without a result the service has died.
    mutating func closed() -> ProgramEnding? {
      if let result = lines.finish().flatMap({ DeliveryResult(word: $0) }) { return emit(.completed(result)) }
      return emit(.died("closed its socket without a result (\(DeliveryResult.words))"))
    }

    private mutating func emit(_ ending: ProgramEnding) -> ProgramEnding? {
      exchange(&hasEmitted, with: true) ? nil : ending
    }
  }

  private var machine: StateMachine
  private var descriptor: CInt
  private var unwritten: ArraySlice<UInt8>
  private let report: (ProgramEnding) -> Void

  var hasEnded: Bool { descriptor < 0 }

  /// - Throws: `AppLinkError` if no service listens there.
  init(
    path: String, input line: [UInt8], limits: AppLinkLimits, now: Duration, report: @escaping (ProgramEnding) -> Void
  ) throws(AppLinkError) {
    machine = StateMachine(startedAt: now, time: limits.delivery, lineBytes: limits.outputLineBytes)
    descriptor = try ProgramSocket.connect(path)
    unwritten = line[...]
    self.report = report
    write()
  }

  deinit { end() }

  var deadline: Duration? { machine.deadline }

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
    finish(count > 0 ? machine.received(bytes[..<count]) : machine.closed())
  }

  func timePassed(at now: Duration) { finish(machine.timePassed(at: now)) }

  func stop() { finish(machine.stop()) }

  private func finish(_ ending: ProgramEnding?) {
    guard let ending else { return }
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
