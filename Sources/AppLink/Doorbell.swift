// The link's thread waits in one place: for its descriptors, its next deadline, and whoever has something for it.

import Glibc

/// Wakes a thread that waits in `poll`. Rung any number of times before it is heard, it is heard once.
final class Doorbell: Sendable {
  /// Readable while the bell was rung and not yet heard.
  let descriptor: CInt
  private let button: CInt

  init() throws(AppLinkError) {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw AppLinkError("app link: no descriptor is left: \(errorText(errno)); allow the daemon more files")
    }
    (descriptor, button) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(button)
  }

  func ring() {
    // A full socket has rings enough.
    _ = send(button, [1], 1, Int32(MSG_NOSIGNAL))
  }

  /// Forgets all rings so far. Look at what they were about after this, never before.
  func hear() {
    var rings = [UInt8](repeating: 0, count: 64)
    while recv(descriptor, &rings, rings.count, 0) > 0 {}
  }
}
