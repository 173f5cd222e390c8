// A thread of ours waits in one place for several things: a descriptor, a moment, and somebody who wants something
// else. The bell is a descriptor, too, so it is heard at once, and with nothing to do the thread sleeps for good.

import Glibc

/// Wakes a thread that waits in `poll`. Rung any number of times before it is heard, it is heard once.
public final class Doorbell: Sendable {
  /// Readable while the bell was rung and not yet heard.
  public let descriptor: Int32
  private let button: Int32

  /// - Throws: where the system has no descriptors left.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // A pair of sockets can be made close-on-exec in one step; a pipe, through what Swift sees of glibc, cannot.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last }
    (descriptor, button) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(button)
  }

  /// Never blocks. Rings that nobody has heard yet are one.
  public func ring() {
    // A full socket has rings enough.
    _ = send(button, [1], 1, Int32(MSG_NOSIGNAL))
  }

  /// Forgets all rings so far. Look at what they were about after this, never before.
  public func hear() {
    var rings = [UInt8](repeating: 0, count: 64)
    while recv(descriptor, &rings, rings.count, 0) > 0 {}
  }

  /// What ended a wait.
  public enum Wake: Hashable, Sendable {
    case rung
    /// One of the other descriptors.
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
      // A signal handled by chance on this thread is nothing to wake for; anything else cannot happen to open
      // descriptors, and is taken as a ring so that nobody waits for ever.
      if errno != EINTR { return .rung }
    }
  }

  public func wait(milliseconds: Int32 = -1) -> Wake {
    var none: [pollfd] = []
    return wait(with: &none, milliseconds: milliseconds)
  }
}
