import CFileDescriptors
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

  public static func symbol(of code: Int32) -> String {
    strerrorname_np(code).map { String(cString: $0) } ?? "errno \(code)"
  }
}
