// A thread waits in one `poll` for descriptors, a deadline, and requests of other threads. The bell is a descriptor
// too, so it ends the wait at once, and without work the thread does not wake.

import CFileDescriptors
import Glibc

/// A descriptor that wakes a thread in `poll`. Several rings before `clear` count as one.
public final class Doorbell: Sendable {
  /// The descriptor, readable from `ring` until `clear`.
  public let descriptor: Int32

  /// - Throws: if the system has no descriptors left.
  public init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else { throw .last }
  }

  deinit {
    close(descriptor)
  }

  /// Rings the bell. Never blocks.
  public func ring() {
    // It fails only if it was rung too often to count, and is readable then.
    eventfd_write(descriptor, 1)
  }

  /// Clears all rings so far. Call it before reading the requests, so that none is missed.
  public func clear() {
    var rings: eventfd_t = 0
    eventfd_read(descriptor, &rings)
  }

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
