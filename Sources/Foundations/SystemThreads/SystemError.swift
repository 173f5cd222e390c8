import Glibc

/// An error of the kernel, as text and by its name in the manual pages.
public struct SystemError: Error, Hashable, CustomStringConvertible {
  public let code: Int32

  public init(code: Int32) {
    self.code = code
  }

  public static var last: SystemError { SystemError(code: errno) }

  /// The text alone: `No space left on device`.
  public var reason: String { String(cString: strerror(code)) }

  /// The text, such as `No space left on device (ENOSPC)`.
  public var description: String { "\(reason) (\(SystemError.symbol(of: code)))" }

  public static func symbol(of code: Int32) -> String { symbols[code] ?? "errno \(code)" }

  /// The errors of files, sockets, threads and sound cards.
  private static let symbols: [Int32: String] = [
    EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EBADF: "EBADF", EAGAIN: "EAGAIN",
    ENOMEM: "ENOMEM", EACCES: "EACCES", EBUSY: "EBUSY", EEXIST: "EEXIST", ENODEV: "ENODEV", ENOTDIR: "ENOTDIR",
    EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE", EMFILE: "EMFILE", ENOTTY: "ENOTTY", EFBIG: "EFBIG",
    ENOSPC: "ENOSPC", EROFS: "EROFS", EPIPE: "EPIPE", ENAMETOOLONG: "ENAMETOOLONG", ENOSYS: "ENOSYS",
    ELOOP: "ELOOP", EBADFD: "EBADFD", EDQUOT: "EDQUOT", ESTRPIPE: "ESTRPIPE", ETIMEDOUT: "ETIMEDOUT",
    ECONNREFUSED: "ECONNREFUSED",
  ]
}
