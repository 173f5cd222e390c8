// What can keep the link from starting; everything later is an event or a line in the log.

import Glibc

/// The link cannot start. Nothing was left behind.
public struct AppLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) {
    self.description = description
  }

  init(socket path: String, code: CInt) {
    let remedy =
      switch code {
      case ENOENT, ENOTDIR: "make its folder first"
      case EACCES, EPERM, EROFS: "its folder must be writable for the daemon's user"
      default: "choose another path"
      }
    self.init("apps' socket \(path): \(errorText(code)); \(remedy)")
  }
}

func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }
