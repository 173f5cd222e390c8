import Glibc

/// A path in a socket's address, which has a fixed size.
public struct UnixAddress {
  /// Bytes of a path that Linux accepts, without the final zero [unix(7)].
  public static let pathBytes = 107

  private var address = sockaddr_un()

  /// - Returns: nil unless `path` has 1 to `pathBytes` bytes, none of them 0.
  public init?(_ path: String) {
    let bytes = path.utf8
    guard (1...Self.pathBytes).contains(bytes.count), !bytes.contains(0) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Makes a socket that does not block, and that programs do not inherit; -1 sets `errno`.
  public static func makeSocket() -> CInt {
    socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  public func connect(_ descriptor: CInt) -> CInt { withPointer { Glibc.connect(descriptor, $0, $1) } }

  public func bind(_ descriptor: CInt) -> CInt { withPointer { Glibc.bind(descriptor, $0, $1) } }

  private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
