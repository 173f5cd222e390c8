// How a thread of the board waits: for somebody to ring, for a moment, or for a folder to change, and for nothing else.
// Without a moment the kernel leaves it alone.

import Glibc
import HandsetCore

/// A thread of the board cannot be started.
public struct BoardStartFault: Error, Sendable, CustomStringConvertible {
  public var description: String

  init(_ what: String, errno code: Int32) {
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    self.description = "\(what): \(reason)"
  }
}

/// Rung from any thread, waited on by one.
final class Doorbell: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  init() throws(BoardStartFault) {
    var ends: [Int32] = [0, 0]
    // A pipe could not be closed to child processes from its first moment on without calls that are GNU's own.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw BoardStartFault("board: no pair of sockets for its threads", errno: errno)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Never blocks. Rings that nobody has heard yet are one: a full socket rings no less.
  func ring() {
    var byte: UInt8 = 1
    while write(writeEnd, &byte, 1) < 0 && errno == EINTR {}
  }

  /// Returns when the bell was rung (and is quiet again), `descriptor` can be read, or the time is over.
  /// - Parameter timeout: nil waits without end.
  func wait(timeout: Duration?, or descriptor: Int32? = nil) {
    var watched = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
    if let descriptor { watched.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
    // poll counts milliseconds, a lamp's edges are finer: what is left is slept.
    let milliseconds = timeout.map { Int32(clamping: $0.inMicroseconds / 1_000) }
    let isSilent = poll(&watched, nfds_t(watched.count), milliseconds ?? -1) == 0
    if isSilent, let timeout, let milliseconds {
      var rest = timespec(timeout - .milliseconds(milliseconds))
      // Only after a month would it be more; the caller then waits again.
      if rest.tv_sec == 0 { nanosleep(&rest, nil) }
    }
    if watched[0].revents != 0 { quieten() }
  }

  private func quieten() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while let start = buffer.baseAddress, read(readEnd, start, buffer.count) > 0 {}
    }
  }
}
