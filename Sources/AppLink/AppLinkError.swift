// What can keep the link from starting; everything later is an event or a line in the log.

import Glibc
import UnixSockets

/// The link cannot start. Nothing was left behind.
public struct AppLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }

  init(_ error: UnixSocketError) {
    self.init("apps' socket \(error.path): \(error.reason); \(error.hint)")
  }
}

func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }
