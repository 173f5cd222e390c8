// A thread waits in one `poll` for descriptors, a deadline, and requests of other threads. The bell is a descriptor
// too, so it ends the wait at once, and without work the thread does not wake.

import Glibc

/// A descriptor that wakes a thread in `poll`. Several rings before `clear` count as one.
public final class Doorbell: Sendable {
  /// The descriptor, readable from `ring` until `clear`.
  public let descriptor: Int32
  private let button: Int32

  /// - Throws: if the system has no descriptors left.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // A pair of sockets can be made close-on-exec in one step; a pipe cannot with the part of glibc that Swift imports.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last }
    (descriptor, button) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(button)
  }

  /// Rings the bell. Never blocks.
  public func ring() {
    // A full socket is readable anyway.
    _ = send(button, [1], 1, Int32(MSG_NOSIGNAL))
  }

  /// Clears all rings so far. Call it before reading the requests, so that none is missed.
  public func clear() {
    var rings = [UInt8](repeating: 0, count: 64)
    while recv(descriptor, &rings, rings.count, 0) == rings.count {}
  }

  /// The end of a wait.
  public enum Wake: Hashable, Sendable {
    case rung
    /// One of the other descriptors is ready.
    case ready
    case timedOut
  }

  /// Waits for the bell or any of `others`.
  /// - Parameter milliseconds: -1 waits for ever.
  public func wait(with others: inout [pollfd], milliseconds: Int32) -> Wake {
    others.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    defer { others.removeLast() }
    while true {
      let count = poll(&others, nfds_t(others.count), milliseconds)
      if count == 0 { return .timedOut }
      if count > 0 { return others.last.map { $0.revents != 0 } == true ? .rung : .ready }
      // A signal that this thread handled does not end the wait. Other errors cannot occur with open descriptors, and
      // count as a ring so that the thread cannot wait for ever.
      if errno != EINTR { return .rung }
    }
  }

  public func wait(milliseconds: Int32 = -1) -> Wake {
    var none: [pollfd] = []
    return wait(with: &none, milliseconds: milliseconds)
  }
}
